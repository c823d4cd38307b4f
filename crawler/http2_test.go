package crawler

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestHTTP2Trouble: what goes wrong with a stream has the kinds that it has with
// a connection of HTTP/1.1, and leaves the others of its connection alone.
func TestHTTP2Trouble(t *testing.T) {
	t.Parallel()
	base, trust, conns := secure(t, true, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/abort":
			panic(http.ErrAbortHandler)
		case "/half":
			w.Header().Set("Content-Length", "999")
			io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "/silent":
			<-r.Context().Done()
		case "/drip":
			for r.Context().Err() == nil {
				io.WriteString(w, "x")
				w.(http.Flusher).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		case "/headers":
			for i := range 400 {
				w.Header().Set("X-"+strconv.Itoa(i), strings.Repeat("x", 1000))
			}
		case "/endless":
			w.Header().Set("Content-Type", "text/plain")
			for r.Context().Err() == nil {
				w.Write(make([]byte, 1000))
			}
		default:
			io.WriteString(w, "good")
		}
	})
	h := local(t, func(h *HTTP) {
		h.Network.TLS, h.Timeout, h.MinRate, h.MaxBody = trust, 2*time.Second, 1000, 1<<20
	})
	for path, kind := range map[string]Kind{
		"/abort": ErrNoAnswer, "/half": ErrBroken, "/silent": ErrTimeoutHeader, "/drip": ErrSlow, "/endless": "", "/good": "",
	} {
		resp, err := fetch(t, h, base+path)
		switch {
		case kind != "":
			wantKind(t, err, kind)
		case err != nil || resp.Truncated != (path == "/endless"):
			t.Errorf("%s: %v", path, err)
		}
	}
	// A header far over the limit ends the connection, one just over it the stream.
	if _, err := fetch(t, h, base+"/headers"); !errors.Is(err, ErrNoAnswer) && !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	if resp, err := fetch(t, h, base+"/good"); err != nil || string(resp.Body) != "good" || conns.Load() > 3 {
		t.Errorf("%v after %d connections", err, conns.Load())
	}
}
