package crawler

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/robots"
	"github.com/webquarry/quarry/frontier"
)

// TestHostileAnswers: whatever a server sends is a page or an error of a kind
// that says what to do about it.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	const hi = "Content-Length: 2\r\n\r\nhi"
	for name, c := range map[string]struct {
		answer string
		kind   Kind
		status int
	}{
		"nothing":                      {"", ErrNoAnswer, 0},
		"half a status":                {"HTTP/1", ErrProtocol, 0},
		"a header and no more":         {ok + "Content-Type: text/html\r\n", ErrNoAnswer, 0},
		"half a header":                {ok + "Content-Type: text/html\r\nX", ErrProtocol, 0},
		"closed after 100":             {"HTTP/1.1 100 Continue\r\n\r\n", ErrNoAnswer, 0},
		"many hints first":             {strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 50) + ok + hi, "", 200},
		"hints without end":            {strings.Repeat("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", 20_000), ErrTooLarge, 0},
		"another protocol":             {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhi", ErrProtocol, 0},
		"status 000":                   {"HTTP/1.1 000 x\r\n" + hi, ErrProtocol, 0},
		"status 099":                   {"HTTP/1.1 099 x\r\n" + hi, ErrProtocol, 0},
		"status 999":                   {"HTTP/1.1 999 Denied\r\n" + hi, "", 999},
		"HTTP/0.9":                     {"<html><title>x</title>", ErrProtocol, 0},
		"an empty line first":          {"\r\n" + ok + hi, "", 200},
		"of HTTP/2":                    {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ErrProtocol, 0},
		"ICY":                          {"ICY 200 OK\r\n\r\nhi", ErrProtocol, 0},
		"length twice":                 {ok + "Content-Length: 2\r\n" + hi, "", 200},
		"two lengths":                  {ok + "Content-Length: 3\r\n" + hi, ErrProtocol, 0},
		"length below zero":            {ok + "Content-Length: -1\r\n\r\nhi", "", 200},
		"length beyond all":            {ok + "Content-Length: 99999999999999999999\r\n\r\nhi", "", 200},
		"length of exabytes":           {ok + "Content-Length: 9000000000000000000\r\n\r\nhi", ErrBroken, 0},
		"length of exabytes, no text":  {ok + "Content-Type: image/png\r\nContent-Length: 9000000000000000000\r\n\r\nhi", ErrTooLarge, 0},
		"length too short":             {ok + "Connection: close\r\n" + hi + "hihihi", "", 200},
		"unknown transfer encoding":    {ok + "Transfer-Encoding: foo\r\n\r\nhi", "", 200},
		"length and chunks":            {ok + "Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhi\r\n0\r\nX: y\r\n\r\n", "", 200},
		"chunk cut":                    {ok + "Transfer-Encoding: chunked\r\n\r\n9\r\nhi", ErrBroken, 0},
		"chunk size cut":               {ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n9", ErrBroken, 0},
		"chunk of no size":             {ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", ErrBroken, 0},
		"chunk of all sizes":           {ok + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("f", 5000) + "\r\nhi", ErrBroken, 0},
		"more extension than chunk":    {ok + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("e", 2000)+"\r\nx\r\n", 100), ErrBroken, 0},
		"trailer without end":          {ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n" + strings.Repeat("X: y\r\n", 50_000), "", 200},
		"many headers":                 {ok + strings.Repeat("X: y\r\n", 10_000) + hi, "", 200},
		"too many headers":             {ok + strings.Repeat("X: y\r\n", 100_000) + hi, ErrTooLarge, 0},
		"header without colon":         {ok + "no colon\r\n" + hi, "", 200},
		"header with zero":             {ok + "X: a\x00b\r\n" + hi, "", 200},
		"header in Latin-1":            {ok + "X: caf\xe9\r\n" + hi, "", 200},
		"header in two lines":          {ok + "X: a\r\n b\r\n" + hi, "", 200},
		"bare line feeds":              {strings.ReplaceAll(ok+hi, "\r\n", "\n"), "", 200},
		"gzip of one byte":             {ok + "Content-Encoding: gzip\r\n\r\n\x1f", "", 200},
		"gzip of a header":             {ok + "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08", ErrDecode, 0},
		"no content, with some":        {"HTTP/1.1 204 No Content\r\nConnection: close\r\n" + hi, "", 204},
		"redirect whose body breaks":   {"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 999\r\n\r\nhi", "", 302},
		"redirect with broken gzip":    {"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08", "", 302},
		"Retry-After of long ago":      {"HTTP/1.1 503 Busy\r\nRetry-After: Thu, 01 Jan 1970 00:00:00 GMT\r\n" + hi, "", 503},
		"Retry-After of another world": {"HTTP/1.1 429 No\r\nRetry-After: -99999999999999999999\r\n" + hi, "", 429},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, err := fetchURL(t, local(t), hostile(t, func(conn net.Conn) { readHead(conn); io.WriteString(conn, c.answer) }))
			if c.kind != "" {
				wantKind(t, err, c.kind)
			} else if err != nil || resp.Status != c.status || c.status == 200 && !strings.HasPrefix(string(resp.Body), "hi") && len(resp.Body) != 1 {
				t.Errorf("%+v, %v; want status %d", resp, err, c.status)
			}
		})
	}
}

// TestLocations: what a Location means, however it is written.
func TestLocations(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"":                    "",
		"  /a b  c  ":         "http://a.test/a%20b%20%20c",
		"/caf\xe9?q=\xe9":     "http://a.test/caf%E9?q=%E9",
		"/café?q=é":           "http://a.test/caf%C3%A9?q=%C3%A9",
		"http://bücher.test/": "http://xn--bcher-kva.test/",
		"javascript:alert(1)": "", "mailto:a@b": "", "ftp://a.test/": "", "file:///etc/passwd": "", "data:text/html,hi": "",
		"//b.test": "http://b.test/", "\\\\b.test\\x": "http://b.test/x", "http:/b": "http://a.test/b", "https:b.test": "https://b.test/",
		"../../../../x/./y/../z": "http://a.test/x/z", "?q": "http://a.test/d/p?q", "x#f": "http://a.test/d/x", "./": "http://a.test/d/",
		"http://b.test:0/": "http://b.test:0/", "http://b.test:65536/": "", "http://b.test:80/": "http://b.test/", "http://[::1": "", "http://[::1]/": "http://[::1]/",
		"http://user:password@b.test/": "http://b.test/", "http://b.test./": "http://b.test/", "HTTP://B.TEST/": "http://b.test/",
		"http://2130706433/": "http://127.0.0.1/", "http://0x7f.1/": "http://127.0.0.1/", "http://256.256.256.256/": "", "http://%31%32%37.0.0.1/": "http://127.0.0.1/",
		"/" + strings.Repeat("x", 10_000): "", "http://a test/": "", "/%zz%": "http://a.test/%zz%", "/a%2fb%7e": "http://a.test/a%2Fb~",
	} {
		web := pages{"http://a.test/d/p": "302 " + location}
		resp, err := fetchURL(t, &HTTP{UserAgent: testAgent, Transport: web}, "http://a.test/d/p")
		if err != nil || resp.Location != want {
			t.Errorf("%q: %+v, %v; want %q", location, resp, err, want)
		}
	}
	for _, status := range []string{"300", "301", "302", "303", "307", "308"} {
		resp, err := fetchURL(t, &HTTP{UserAgent: testAgent, Transport: pages{"http://a.test/": status + " /x"}}, "http://a.test/")
		if err != nil || resp.Location != "http://a.test/x" {
			t.Errorf("status %s: %+v, %v", status, resp, err)
		}
	}
}

// TestProxyTrouble: a proxy that does not work is not the page's fault, and that
// it wants a password or does not exist is said before any page is given up.
func TestProxyTrouble(t *testing.T) {
	t.Parallel()
	send := func(s string) func(net.Conn) { return func(c net.Conn) { readHead(c); io.WriteString(c, s) } }
	silent := func(c net.Conn) { io.Copy(io.Discard, c) }
	nowhere := func(c net.Conn) {
		send("HTTP/1.1 200 OK\r\n\r\n")(c)
		c.SetReadDeadline(time.Now().Add(500 * time.Millisecond)) // for a page there is nothing to read
		c.Read(make([]byte, 1<<14))                               // the hello: what is left unread would reset the connection
	}
	const password = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
	for name, c := range map[string]struct {
		scheme string
		proxy  func(net.Conn)
		kinds  [2]Kind // for http and https; empty: a ConfigError, or a response
	}{
		"wants a password":     {"http", send(password), [2]Kind{"", ""}},
		"finds no server":      {"http", send("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"), [2]Kind{ErrStatus, ErrConnect}},
		"hangs up":             {"http", send(""), [2]Kind{ErrNoAnswer, ErrConnect}},
		"speaks otherwise":     {"http", send("SSH-2.0-x\r\n\r\n"), [2]Kind{ErrProtocol, ErrConnect}},
		"is silent":            {"http", silent, [2]Kind{ErrTimeoutHeader, ErrTimeoutConnect}},
		"leads nowhere":        {"http", nowhere, [2]Kind{"", ErrTLS}},
		"is no SOCKS proxy":    {"socks5", func(c net.Conn) { io.WriteString(c, "nonsense"); silent(c) }, [2]Kind{ErrConnect, ErrConnect}},
		"is no SOCKS, silent":  {"socks5", silent, [2]Kind{ErrTimeoutConnect, ErrTimeoutConnect}},
		"has no TLS, they say": {"https", send("HTTP/1.1 400 Bad Request\r\n\r\n"), [2]Kind{ErrTLS, ErrTLS}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, _ := url.Parse(c.scheme + strings.TrimPrefix(hostile(t, c.proxy), "http"))
			for i, target := range []string{"http://a.test/", "https://a.test/"} {
				h := local(t, func(h *HTTP) { h.Proxy, h.AllowPrivate, h.Timeout = proxy, false, 2*time.Second })
				resp, err := fetchURL(t, h, target)
				switch kind := c.kinds[i]; {
				case kind == ErrStatus:
					if err != nil || resp.Status != 502 {
						t.Errorf("%s: %+v, %v", target, resp, err)
					}
				case kind != "":
					wantKind(t, err, kind)
				case name == "wants a password":
					if ce, ok := errors.AsType[*ConfigError](err); !ok || ce.What != "proxy" {
						t.Errorf("%s: %v, want a ConfigError", target, err)
					}
				}
			}
		})
	}
}

// TestProxyTroubleLater: a password that a working proxy asks for later, or a
// page says it asks for, does not end the crawl.
func TestProxyTroubleLater(t *testing.T) {
	t.Parallel()
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/good" {
			io.WriteString(w, "hi")
			return
		}
		w.WriteHeader(http.StatusProxyAuthRequired)
	})
	proxy, _ := url.Parse(base)
	h := local(t, func(h *HTTP) { h.Proxy, h.AllowPrivate = proxy, false })
	if _, err := fetchURL(t, h, "http://a.test/good"); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"http://a.test/", "https://a.test/"} {
		_, err := fetchURL(t, h, target)
		if fe := wantKind(t, err, ErrConnect); !fe.Retryable() || !strings.Contains(err.Error(), "407") {
			t.Errorf("%v", err)
		}
	}
	direct := local(t) // without a proxy the status is the server's
	if resp, err := fetchURL(t, direct, base+"/x"); err != nil || resp.Status != 407 {
		t.Errorf("%+v, %v", resp, err)
	}
}

// TestNoProxy: a proxy that does not exist ends a crawl with an error, and no
// page is given up.
func TestNoProxy(t *testing.T) {
	t.Parallel()
	noSuchHost := &net.OpError{Op: "proxyconnect", Err: &net.OpError{Op: "dial", Err: &net.DNSError{Name: "proxy.example", Err: "no such host", IsNotFound: true}}}
	run := &run{health: newHealth(), Crawler: Crawler{Frontier: frontier.New(frontier.Options{})}}
	v, err := run.unreachable(frontier.Request{URL: "http://a.test/"}, &robots.Entry{Failures: 1, Expires: time.Now().Add(time.Minute),
		Err: &robots.UnreachableError{Err: &FetchError{Kind: ErrConnect, Err: noSuchHost}}}, true)
	if err != nil || v.Kind != Retrying {
		t.Errorf("%+v, %v; want another try", v, err)
	}
}
