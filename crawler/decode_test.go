package crawler

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/frontier"
)

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

// encoded serves a body with its Content-Encoding.
func encoded(t *testing.T, coding string, body []byte) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain") // of what is no text, nothing is kept over the limit
		w.Header().Set("Content-Encoding", coding)
		w.Write(body)
	})
}

func TestDecode(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("the quick brown fox ", 500))
	gz := encode(t, "gzip", text)
	h := local(t)
	for name, c := range map[string]struct {
		coding string
		body   []byte
		want   []byte
	}{
		"gzip":              {"gzip", gz, text},
		"x-gzip, upper":     {"X-GZip", gz, text},
		"br":                {"br", encode(t, "br", text), text},
		"zstd":              {"zstd", encode(t, "zstd", text), text},
		"deflate":           {"deflate", encode(t, "deflate", text), text},
		"deflate bare":      {"deflate", encode(t, "raw", text), text},
		"gzip in br":        {"gzip, br", encode(t, "br", gz), text},
		"gzip in gzip":      {"gzip,gzip", encode(t, "gzip", gz), text},
		"members":           {"gzip", append(bytes.Clone(gz), gz...), append(bytes.Clone(text), text...)},
		"zstd frames":       {"zstd", append(encode(t, "zstd", text), encode(t, "zstd", text)...), append(bytes.Clone(text), text...)},
		"padded":            {"gzip", append(bytes.Clone(gz), "\x00\x00\x00\x00 and more"...), text},
		"padded a little":   {"gzip", append(bytes.Clone(gz), "\x00\x00\x00"...), text},
		"padded as if more": {"gzip", append(bytes.Clone(gz), "\x1f"...), text},
		"gzip as deflate":   {"deflate", gz, text},
		"a page as br":      {"br", []byte("<!doctype html>hello"), []byte("<!doctype html>hello")},
		"padded br":         {"br", append(encode(t, "br", text), "<!-- and more -->"...), text},
		"padded zstd":       {"zstd", append(encode(t, "zstd", text), "<!-- and more -->"...), text},
		"padded deflate":    {"deflate", append(encode(t, "deflate", text), "<!-- and more -->"...), text},
		"skippable zstd":    {"zstd", append([]byte("\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"), encode(t, "zstd", text)...), text},
		"not gzip":          {"gzip", text, text},
		"not zstd":          {"zstd", text, text},
		"empty":             {"gzip", nil, nil},
		"unknown coding":    {"utf-8", text, text},
		"identity":          {"identity", text, text},
	} {
		for range 2 { // the second time with a decoder used before
			resp, err := fetchURL(t, h, encoded(t, c.coding, c.body))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if !bytes.Equal(resp.Body, c.want) || resp.Truncated || resp.Wire != int64(len(c.body)) {
				t.Errorf("%s: %d bytes of %d, wire %d of %d", name, len(resp.Body), len(c.want), resp.Wire, len(c.body))
			}
		}
	}
	for coding, body := range map[string][]byte{
		"gzip": gz[:len(gz)/2], "gzip,": append(bytes.Clone(gz), gz[:len(gz)-1]...), "br": []byte("this is no brotli at all"), "zstd": append(encode(t, "zstd", text)[:9], "this is no zstd any more"...),
		"gzip,gzip,gzip,gzip,gzip": gz,
	} {
		_, err := fetchURL(t, h, encoded(t, coding, body))
		wantKind(t, err, ErrDecode)
	}
}

func TestBodyOverTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	noise := make([]byte, 2*limit)
	r := rand.NewChaCha8([32]byte{})
	r.Read(noise)
	h := local(t, func(h *HTTP) { h.MaxBody = limit })
	for name, c := range map[string]struct {
		coding string
		body   []byte
		cut    bool
	}{
		"exactly the limit":      {"", noise[:limit], false},
		"one more":               {"", noise[:limit+1], true},
		"twice the limit":        {"", noise, true},
		"gzip, the limit":        {"gzip", encode(t, "gzip", noise[:limit]), false},
		"gzip, one more":         {"gzip", encode(t, "gzip", noise[:limit+1]), true},
		"gzip, twice":            {"gzip", encode(t, "gzip", noise), true},
		"gzip in zstd, one more": {"gzip, zstd", encode(t, "zstd", encode(t, "gzip", noise[:limit+1])), true},
	} {
		resp, err := fetchURL(t, h, encoded(t, c.coding, c.body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(resp.Body, noise[:limit]) || resp.Truncated != c.cut {
			t.Errorf("%s: %d bytes, truncated %v", name, len(resp.Body), resp.Truncated)
		}
	}
	big := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", strings.TrimPrefix(r.URL.Path, "/"))
		w.Write(noise)
	})
	if resp, err := fetchURL(t, h, big+"/text/plain"); err == nil {
		if !resp.Truncated {
			t.Error("text not truncated")
		}
	} else {
		t.Error(err)
	}
}

func TestLargeFileThatIsNoText(t *testing.T) {
	t.Parallel()
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		w.Header().Set("Content-Length", "5000000000")
		w.Write(make([]byte, 1000))
	})
	_, err := fetchURL(t, local(t), base)
	if fe := wantKind(t, err, ErrTooLarge); fe.Retryable() || !strings.Contains(err.Error(), "5000000000") {
		t.Error(err)
	}
}

func TestBombs(t *testing.T) {
	// Not parallel: it looks at the heap.
	const limit, size = 1 << 20, 24 << 20
	zeros := make([]byte, size)
	gz := encode(t, "gzip", zeros)
	bombs := map[string][]byte{
		"gzip": gz, "br": encode(t, "br", zeros), "zstd": encode(t, "zstd", zeros), "deflate": encode(t, "deflate", zeros),
		"gzip, gzip": encode(t, "gzip", gz), "gzip, br": encode(t, "br", encode(t, "gzip", zeros)),
	}
	members := bytes.Repeat(encode(t, "gzip", zeros[:1<<20]), 8)
	empty := encode(t, "gzip", bytes.Repeat(encode(t, "gzip", nil), 1<<16)) // 1.5 MB of members without content
	zeros = nil
	h := local(t, func(h *HTTP) { h.MaxBody = limit })
	for coding, body := range bombs {
		wantBomb(t, h, encoded(t, coding, body))
	}
	wantBomb(t, h, encoded(t, "gzip", members))
	wantBomb(t, h, encoded(t, "gzip, gzip", empty))
}

func wantBomb(t *testing.T, h *HTTP, url string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := fetchURL(t, h, url)
	runtime.ReadMemStats(&after)
	wantKind(t, err, ErrBomb)
	if n := after.TotalAlloc - before.TotalAlloc; n > 20<<20 {
		t.Errorf("%s: %d MiB allocated", err, n>>20)
	}
}

func TestBodyOfSitemap(t *testing.T) {
	t.Parallel()
	const size = defaultMaxBody + 1000
	body := strings.Repeat("<url/>\n", size/7)
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r, ContentLength: int64(len(body))}, nil
	})
	for req, cut := range map[frontier.Request]bool{{}: true, {Label: "sitemap"}: true, {Meta: sitemap.Mark(frontier.Meta{}, 0)}: false} {
		req.URL = "http://a.test/s.xml"
		h := &HTTP{UserAgent: testAgent, Transport: transport}
		resp, err := h.Fetch(t.Context(), req)
		if err != nil || resp.Truncated != cut {
			t.Errorf("%+v: %v", req, err)
		}
		h = &HTTP{UserAgent: testAgent, Transport: transport, MaxBody: 1000}
		if resp, err = h.Fetch(t.Context(), req); err != nil || !resp.Truncated {
			t.Errorf("%+v, limited: %v", req, err)
		}
	}
}
