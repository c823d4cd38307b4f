package fetch

import (
	"io"
	"strings"
	"testing"
)

// TestHeaderInPieces: where a header is cut makes no difference, and what
// net/http reads anyway means the same. What is no answer stays as it is.
func TestHeaderInPieces(t *testing.T) {
	t.Parallel()
	const in = "\r\nhttp/1.1 103 x\r\n\r\nHTTP/1.1 200 OK\r\nno colon\r\n more\r\nX-A: b\r\n c\r\nX-B :\x00d\r\nContent-Length: 3\r\n\r\nno\n\r\n: x"
	const want = "HTTP/1.1 103 x\r\n\r\nHTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nX-B: d\r\nContent-Length: 3\r\n\r\nno\n\r\n: x"
	const none = "SSH-2.0-x\r\nno colon\r\n"
	for size := 1; size <= len(in); size++ {
		for in, want := range map[string]string{in: want, none: none} {
			l := &lenient{Conn: canned{pieceReader{strings.NewReader(in), size}}}
			l.asked.Store(true)
			if got, err := io.ReadAll(l); err != nil || string(got) != want {
				t.Fatalf("in pieces of %d: %q, %v", size, got, err)
			}
		}
	}
}

// pieceReader reads so many bytes at a time.
type pieceReader struct {
	io.Reader
	size int
}

func (r pieceReader) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), r.size)]) }
