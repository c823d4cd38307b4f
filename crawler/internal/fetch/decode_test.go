package fetch

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// FuzzDecode: whatever bytes come under whatever codings, the body stays within
// its limit and nothing panics.
func FuzzDecode(f *testing.F) {
	text := []byte("hello, hello, hello")
	for _, c := range []string{"gzip", "br", "zstd", "deflate"} {
		f.Add(c, encode(f, c, text))
		f.Add(c+", gzip", encode(f, "gzip", encode(f, c, text)))
	}
	f.Add("gzip, br, zstd, deflate", []byte("\x1f\x8b\x08"))
	var all decoders
	f.Fuzz(func(t *testing.T, codings string, body []byte) {
		const limit = 1000
		in := &wire{r: bytes.NewReader(body), watch: new(watch), limit: limit + limit/8 + drainLimit}
		got := pieces{pool: new(sync.Pool)}
		_, err := all.decode(&got, in, strings.Split(codings, "\n"), limit)
		if got.n > limit+1 {
			t.Errorf("%d bytes, %v", got.n, err)
		}
	})
}

func encode(t testing.TB, coding string, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w, _ = gzip.NewWriterLevel(&buf, gzip.BestSpeed)
	case "br":
		w = brotli.NewWriterLevel(&buf, 1)
	case "zstd":
		w, _ = zstd.NewWriter(&buf, zstd.WithEncoderLevel(zstd.SpeedFastest))
	case "deflate":
		w = zlib.NewWriter(&buf)
	case "raw":
		w, _ = flate.NewWriter(&buf, 9)
	}
	w.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestPieces: what comes in, in whatever portions, comes out, up to the limit.
func TestPieces(t *testing.T) {
	t.Parallel()
	random := rand.NewChaCha8([32]byte{1})
	pool := new(sync.Pool)
	for _, size := range []int{0, 1, pieceSize - 1, pieceSize, pieceSize + 1, 3*pieceSize + 5} {
		want := make([]byte, size)
		random.Read(want)
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(want), "halves": iotest.HalfReader(bytes.NewReader(want)), "with its end": iotest.DataErrReader(bytes.NewReader(want)),
		} {
			p := pieces{pool: pool}
			if err := p.readFrom(r); err != nil || p.n != int64(size) {
				t.Fatalf("%d %s: %d, %v", size, name, p.n, err)
			}
			if got := p.bytes(1 << 20); !bytes.Equal(got, want) || cap(got) != size {
				t.Errorf("%d %s: %d bytes of %d", size, name, len(got), cap(got))
			}
			if limit := size / 2; !bytes.Equal(p.bytes(int64(limit)), want[:limit]) {
				t.Errorf("%d %s: not the first half", size, name)
			}
			p.free()
		}
	}
	broken := errors.New("broken")
	p := pieces{pool: pool}
	if err := p.readFrom(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))); err != broken || string(p.bytes(9)) != "half" {
		t.Errorf("%v, %q", err, p.bytes(9))
	}
	if err := p.readFrom(idle{}); err != io.ErrNoProgress {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }
