package crawler

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

const testAgent = "quarrytest/1.0 (+https://bot.example/about)"

// local returns a fetcher for servers on loopback that is closed with the test.
func local(t *testing.T, change ...func(*HTTP)) *HTTP {
	t.Helper()
	h := &HTTP{UserAgent: testAgent, AllowPrivate: true, Timeout: 10 * time.Second}
	for _, f := range change {
		f(h)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func serve(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

// hostile answers every connection with f and closes it.
func hostile(t *testing.T, f func(c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				f(c)
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

// readHead reads a request's header, so that closing does not reset the connection.
func readHead(c net.Conn) { http.ReadRequest(bufio.NewReader(c)) }

// drip writes s again and again until the client has had enough.
func drip(c net.Conn, s string, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for range tick.C {
		if _, err := io.WriteString(c, s); err != nil {
			return
		}
	}
}

func fetchURL(t *testing.T, h *HTTP, url string) (*Response, error) {
	t.Helper()
	return h.Fetch(t.Context(), frontier.Request{URL: url})
}

// wantKind checks that err is a FetchError of a kind.
func wantKind(t *testing.T, err error, kind Kind) *FetchError {
	t.Helper()
	fe, ok := errors.AsType[*FetchError](err)
	if !ok || fe.Kind != kind || !errors.Is(err, kind) {
		t.Fatalf("error %v, want kind %q", err, kind)
	}
	return fe
}

func TestFetchOrdinaryPage(t *testing.T) {
	t.Parallel()
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for k, want := range map[string]string{
			"User-Agent": testAgent, "Accept-Encoding": "gzip, br, zstd, deflate",
			"Accept-Language": "en,*;q=0.5", "X-Extra": "1",
		} {
			if got := r.Header.Get(k); got != want {
				t.Errorf("%s: %q, want %q", k, got, want)
			}
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "<p>gone")
	})
	h := local(t, func(h *HTTP) { h.Header = http.Header{"x-extra": {"1"}} })
	resp, err := fetchURL(t, h, base+"/p?q=%zz")
	if err != nil {
		t.Fatal(err)
	}
	if resp.Status != 404 || string(resp.Body) != "<p>gone" || resp.Wire != 7 || resp.Truncated || resp.URL != base+"/p?q=%zz" ||
		resp.Fetched.IsZero() || resp.Took <= 0 || resp.Header.Get("Content-Type") != "text/html" {
		t.Errorf("response %+v", resp)
	}
}

func TestFetchPathThatIsNoGoURL(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	base := hostile(t, func(c net.Conn) {
		line, _ := bufio.NewReader(c).ReadString('\n')
		got <- line
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	})
	if _, err := fetchURL(t, local(t), base+"100%/x?y"); err != nil {
		t.Fatal(err)
	}
	if line := <-got; !strings.HasSuffix(line, "/100%/x?y HTTP/1.1\r\n") {
		t.Errorf("asked for %q", line)
	}
}

func TestFetchTooLong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		serve func(net.Conn)
		kind  Kind
		set   func(*HTTP)
	}{
		"1 byte at a time for ever": {func(c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			drip(c, "x", 20*time.Millisecond)
		}, ErrSlow, nil},
		"fast for ever": {func(c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			drip(c, strings.Repeat("x", 1000), 20*time.Millisecond)
		}, ErrTimeoutTotal, nil},
		"slow, and it may be": {func(c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			drip(c, "x", 20*time.Millisecond)
		}, ErrTimeoutTotal, func(h *HTTP) { h.MinRate = -1 }},
		"stalls": {func(c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this")
			io.Copy(io.Discard, c)
		}, ErrSlow, nil},
		"headers never end": {func(c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			drip(c, "X-More: 1\r\n", 20*time.Millisecond)
		}, ErrTimeoutHeader, nil},
		"silent": {func(c net.Conn) { io.Copy(io.Discard, c) }, ErrTimeoutHeader, nil},
		"continues for ever": {func(c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 103 Early Hints\r\n\r\n")
			io.Copy(io.Discard, c)
		}, ErrTimeoutHeader, nil},
		"closes without word": {func(c net.Conn) { readHead(c) }, ErrNoAnswer, nil},
		"headers too large": {func(c net.Conn) {
			readHead(c)
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nX: %s\r\n\r\n", strings.Repeat("x", 300<<10))
		}, ErrTooLarge, nil},
		"not HTTP":        {func(c net.Conn) { readHead(c); io.WriteString(c, "SSH-2.0-OpenSSH_9\r\n\r\n") }, ErrProtocol, nil},
		"body breaks off": {func(c net.Conn) { readHead(c); io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf") }, ErrBroken, nil},
		"chunk breaks off": {func(c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf")
		}, ErrBroken, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := local(t)
			switch c.kind {
			case ErrSlow, ErrTimeoutHeader, ErrTimeoutTotal:
				h.Timeout, h.MinRate = 2*time.Second, 1000
			}
			if c.set != nil {
				c.set(h)
			}
			start := time.Now()
			_, err := fetchURL(t, h, hostile(t, c.serve))
			wantKind(t, err, c.kind)
			if took := time.Since(start); took > 8*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestFetchNoTLS(t *testing.T) {
	t.Parallel()
	h := local(t, func(h *HTTP) { h.Timeout = time.Second })
	silent := hostile(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	_, err := fetchURL(t, h, "https"+strings.TrimPrefix(silent, "http"))
	wantKind(t, err, ErrTimeoutConnect)
	h = local(t)
	plain := hostile(t, func(c net.Conn) { io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") })
	_, err = fetchURL(t, h, "https"+strings.TrimPrefix(plain, "http"))
	wantKind(t, err, ErrTLS)
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err = fetchURL(t, h, s.URL)
	wantKind(t, err, ErrTLS)
}

func TestFetchHTTP2(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	h := local(t)
	h.Network.TLS = &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	resp, err := fetchURL(t, h, s.URL)
	if err != nil || string(resp.Body) != "HTTP/2.0" {
		t.Fatalf("%v, %v", resp, err)
	}
}

func TestFetchNobodyThere(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = fetchURL(t, local(t), "http://"+l.Addr().String()+"/")
	if fe := wantKind(t, err, ErrConnect); !fe.Retryable() {
		t.Error("not retryable")
	}
}

func TestFetchCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	base := hostile(t, func(c net.Conn) { readHead(c); cancel(errors.New("enough")); io.Copy(io.Discard, c) })
	_, err := local(t).Fetch(ctx, frontier.Request{URL: base})
	if err == nil || err.Error() != "enough" {
		t.Errorf("error %v, want the cause", err)
	}
}

func TestFetchThroughProxy(t *testing.T) {
	t.Parallel()
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.String()) })
	proxy, _ := url.Parse(base)
	h := local(t, func(h *HTTP) { h.Proxy, h.AllowPrivate = proxy, false })
	resp, err := fetchURL(t, h, "http://name.test/x")
	if err != nil || string(resp.Body) != "http://name.test/x" {
		t.Fatalf("%v, %v", resp, err)
	}
	for _, host := range []string{"127.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "2130706433", "0x7f.1", "localhost", "a.localhost."} {
		_, err := fetchURL(t, h, "http://"+host+"/")
		wantKind(t, err, ErrBlockedAddr)
	}
}

// TestHalfABody: what broke off twice is taken as far as it goes.
func TestHalfABody(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("every word counts. ", 200))
	half := encode(t, "gzip", text)
	half = half[:len(half)-9]
	for head, body := range map[string]string{
		"Content-Length: 100":        "half",
		"Transfer-Encoding: chunked": "4\r\nhalf\r\nfoo",
		"Content-Encoding: gzip":     string(half),
	} {
		base := hostile(t, func(c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\n"+head+"\r\n\r\n"+body)
		})
		h := local(t)
		if _, err := fetchURL(t, h, base); !errors.Is(err, ErrBroken) && !errors.Is(err, ErrDecode) {
			t.Errorf("%s: first %v", head, err)
		}
		resp, err := h.Fetch(t.Context(), frontier.Request{URL: base, Attempt: 1})
		if err != nil || !resp.Truncated || string(resp.Body) != "half" && !strings.HasPrefix(string(text), string(resp.Body)) {
			t.Errorf("%s: then %+v, %v", head, resp, err)
		}
	}
}

func TestFetchWhatIsNoURL(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "a.test", "://x", "ftp://a.test/", "http://", "http://a.test:port/", "http:// /"} {
		if _, err := fetchURL(t, local(t), u); !isA[*FetchError](err) {
			t.Errorf("%q: %v", u, err)
		}
	}
}
