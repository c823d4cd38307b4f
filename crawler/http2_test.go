package crawler

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// pipes is a listener within the process, whose connections keep to the time of
// synctest.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newPipes() pipes {
	closed := make(chan struct{})
	return pipes{make(chan net.Conn), closed, sync.OnceFunc(func() { close(closed) })}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error { p.close(); return nil }

func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

// dial connects to it.
func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p.conns <- there
	return here, nil
}

// client is an HTTP whose connections lead there.
func (p pipes) client(t *testing.T, trust *tls.Config) *HTTP {
	t.Helper()
	h := local(t, func(h *HTTP) {
		h.Network.TLS, h.Timeout, h.MinRate, h.MaxBody = trust, 2*time.Second, 1000, 1<<20
	})
	if err := h.prepare(); err != nil {
		t.Fatal(err)
	}
	var way *http.Transport
	ctx := WithTransport(t.Context(), func(guarded http.RoundTripper) http.RoundTripper {
		way = guarded.(*http.Transport)
		return roundTrip(func(*http.Request) (*http.Response, error) { return nil, io.EOF })
	})
	if _, err := h.Fetch(ctx, frontier.Request{URL: "https://127.0.0.1/"}); way == nil {
		t.Fatal(err)
	}
	way.DialTLSContext, way.DialContext = nil, p.dial
	return h
}

// TestHTTP2Trouble: what goes wrong with a stream has the kinds that it has with
// a connection of HTTP/1.1, and leaves the others of its connection alone. The
// clock is that of synctest: no timeout depends on how busy the machine is.
func TestHTTP2Trouble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testHTTP2Trouble)
}

func testHTTP2Trouble(t *testing.T) {
	t.Cleanup(func() { time.Sleep(time.Second) }) // until the handlers have seen that all is closed
	at := newPipes()
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
	}, func(s *httptest.Server) { s.Listener.Close(); s.Listener = at })
	h := at.client(t, trust)
	for path, kind := range map[string]Kind{
		"/abort": ErrNoAnswer, "/half": ErrBroken, "/silent": ErrTimeoutHeader, "/drip": ErrSlow, "/endless": "", "/good": "",
	} {
		resp, err := fetchURL(t, h, base+path)
		switch {
		case kind != "":
			wantKind(t, err, kind)
		case err != nil || resp.Truncated != (path == "/endless"):
			t.Errorf("%s: %v", path, err)
		}
	}
	// A header far over the limit ends the connection, one just over it the stream.
	if _, err := fetchURL(t, h, base+"/headers"); !errors.Is(err, ErrNoAnswer) && !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	if resp, err := fetchURL(t, h, base+"/good"); err != nil || string(resp.Body) != "good" || conns.Load() > 3 {
		t.Errorf("%v after %d connections", err, conns.Load())
	}
}

// TestTextsOfNetHTTP: the errors of net/http that are known by their text alone have their
// kind. It fails where another version of Go words them in another way.
func TestTextsOfNetHTTP(t *testing.T) {
	t.Parallel()
	for _, h2 := range []bool{false, true} {
		base, trust, _ := secure(t, h2, func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Path[1:])
			for i := range n {
				w.Header().Set("X-"+strconv.Itoa(1000+i), strings.Repeat("x", 1000))
			}
		})
		h := local(t, func(h *HTTP) { h.Network.TLS, h.Timeout = trust, 2*time.Minute })
		tooLarge := 0
		for n := 246; n < 266; n += 2 { // HTTP/2 tells headers that are little over the limit
			if _, err := fetchURL(t, h, base+"/"+strconv.Itoa(n)); errors.Is(err, ErrTooLarge) {
				tooLarge++
			} else if err != nil && !errors.Is(err, ErrNoAnswer) {
				t.Errorf("%d headers: %v", n, err)
			}
		}
		if tooLarge == 0 {
			t.Errorf("HTTP/2 %v: no header was too large", h2)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(10 * time.Second) }) // until net/http has forgotten the connection
		at := newPipes()
		_, trust, _ := secure(t, true, nil, func(s *httptest.Server) {
			s.Listener.Close()
			s.Listener = at
			s.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
				"h2": func(_ *http.Server, c *tls.Conn, _ http.Handler) { c.Read(make([]byte, 1000)) }, // and hangs up
			}
		})
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn: func(httptrace.GotConnInfo) { time.Sleep(time.Millisecond) }, // until it is seen
		})
		_, err := at.client(t, trust).Fetch(ctx, frontier.Request{URL: "https://127.0.0.1/"})
		wantKind(t, err, ErrConnect)
		if !strings.Contains(err.Error(), "http2: client conn could not be established") {
			t.Errorf("%v", err)
		}
	})
}
