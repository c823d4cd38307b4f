package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/webquarry/quarry/frontier"
)

// TestCancelInEveryPhase: wherever a visit is, the end of the context ends it at
// once, and nothing goes on afterwards. The request waits for the next run.
func TestCancelInEveryPhase(t *testing.T) { // not parallel: it looks at all goroutines
	reached := make(chan struct{}, 100)
	wait := func(c net.Conn, sent string) {
		readHead(c)
		io.WriteString(c, sent)
		reached <- struct{}{}
		io.Copy(io.Discard, c)
	}
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	for name, tt := range map[string]struct {
		serve  func(net.Conn)
		tls    bool
		robots bool
	}{
		"before the handshake":    {serve: func(c net.Conn) { reached <- struct{}{}; io.Copy(io.Discard, c) }, tls: true},
		"before an answer":        {serve: func(c net.Conn) { wait(c, "") }},
		"amid the header":         {serve: func(c net.Conn) { wait(c, ok) }},
		"before the body":         {serve: func(c net.Conn) { wait(c, ok+"Content-Length: 9\r\n\r\n") }},
		"amid the body":           {serve: func(c net.Conn) { wait(c, ok+"\r\n"+strings.Repeat("x", 100_000)) }},
		"amid a chunk":            {serve: func(c net.Conn) { wait(c, ok+"Transfer-Encoding: chunked\r\n\r\nfff\r\nx") }},
		"amid gzip":               {serve: func(c net.Conn) { wait(c, ok+"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08") }},
		"amid a redirect":         {serve: func(c net.Conn) { wait(c, "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 9\r\n\r\n") }},
		"amid an early hint":      {serve: func(c net.Conn) { wait(c, "HTTP/1.1 103 Early Hints\r\n\r\n") }},
		"amid robots.txt":         {serve: func(c net.Conn) { wait(c, ok+"\r\nUser-agent: *\r\n") }, robots: true},
		"amid robots.txt by hops": {serve: func(c net.Conn) { wait(c, "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 9\r\n\r\n") }, robots: true},
	} {
		t.Run(name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for c, err := l.Accept(); err == nil; c, err = l.Accept() {
					go func() { defer c.Close(); tt.serve(c) }()
				}
			}()
			url := "http://" + l.Addr().String() + "/"
			if tt.tls {
				url = "https://" + l.Addr().String() + "/"
			}
			h := &HTTP{UserAgent: testAgent, AllowPrivate: true}
			defer h.Close()
			f := frontier.New(frontier.Options{})
			defer f.Close()
			c := &Crawler{UserAgent: testAgent, Frontier: f, Fetcher: h, IgnoreRobots: !tt.robots, Budget: Budget{Grace: -1}}
			cancelled(t, c, reached, url)
			if s := statsOf(f); s.Queued != 1 || s.Leased != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// cancelled runs a crawl, cancels it when it got somewhere, and sees that it ends.
func cancelled(t *testing.T, c *Crawler, reached chan struct{}, seed string) {
	t.Helper()
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx, seed) }()
	<-reached
	cancel(enough)
	start := time.Now()
	if err := <-ended; !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(start); took > 5*time.Second { // at once, but for a busy machine
		t.Errorf("took %v", took)
	}
}

// TestCancelInHandlers: the same where a handler has the visit, or nobody.
func TestCancelInHandlers(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		for n := range 100 {
			fmt.Fprintf(w, "<a href='/%d'>x</a>", n)
		}
	}))
	defer s.Close()
	reached := make(chan struct{}, 100)
	block := func(ctx context.Context) error {
		reached <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	for name, set := range map[string]func(*Crawler){
		"in the fetcher": func(c *Crawler) {
			c.Fetcher = FetcherFunc(func(ctx context.Context, _ frontier.Request) (*Response, error) { return nil, block(ctx) })
		},
		"in the parser": func(c *Crawler) {
			c.Parser = parserFunc(func(ctx context.Context, _ *Response) (*Page, error) { return nil, block(ctx) })
		},
		"in the sink": func(c *Crawler) {
			c.Sink = Pages(func(ctx context.Context, _ *Page) error { return block(ctx) })
		},
		"in back-off": func(c *Crawler) { c.OnEvent = func(Event) { reached <- struct{}{} } },
		"in an event": func(c *Crawler) { c.OnEvent = func(Event) { reached <- struct{}{}; runtime.Gosched() } },
		"between visits": func(c *Crawler) {
			c.Sink = Pages(func(context.Context, *Page) error { reached <- struct{}{}; return nil })
		},
		"waiting for a page": func(c *Crawler) {
			c.Budget.Pages = 1
			c.Sink = Pages(func(ctx context.Context, _ *Page) error { return block(ctx) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			h := &HTTP{UserAgent: testAgent, AllowPrivate: true}
			defer h.Close()
			f := frontier.New(frontier.Options{})
			defer f.Close()
			c := &Crawler{UserAgent: testAgent, Frontier: f, Fetcher: h, IgnoreRobots: true, Budget: Budget{Grace: -1}}
			set(c)
			cancelled(t, c, reached, s.URL+"/")
			for len(reached) > 0 {
				<-reached
			}
			if s := statsOf(f); s.Queued == 0 || s.Leased != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}
