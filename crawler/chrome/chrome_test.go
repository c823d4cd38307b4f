package chrome_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/frontier"
)

const agent = "acme/1.0 (+https://acme.example/bot)"

// one is the browser of all tests that need none of their own. Its limits are
// short, so that pages that never end do so soon.
var one struct {
	sync.Once
	*chrome.Fetcher
}

func TestMain(m *testing.M) {
	code := m.Run()
	if one.Fetcher != nil {
		one.Close()
	}
	os.Exit(code)
}

func local() *crawler.HTTP { return &crawler.HTTP{UserAgent: agent, AllowPrivate: true} }

// needs skips a test where there is no browser, unless CI says that there must be.
func needs(t testing.TB) {
	t.Helper()
	if _, err := chrome.Find(); err == nil {
		return
	} else if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip("no Chrome found: install chromium-headless-shell to run this test")
}

func shared(t testing.TB) *chrome.Fetcher {
	t.Helper()
	needs(t)
	one.Do(func() { one.Fetcher = &chrome.Fetcher{Via: local(), Settle: 3 * time.Second, Tabs: 8} })
	return one.Fetcher
}

func own(t testing.TB, f *chrome.Fetcher) *chrome.Fetcher {
	t.Helper()
	needs(t)
	if f.Via == nil {
		f.Via = local()
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// site serves HTML by path, and counts what it was asked for.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	hits map[string]int
}

type pages map[string]any // string: HTML; func(http.ResponseWriter, *http.Request)

func serve(t testing.TB, p pages) *site {
	t.Helper()
	s := &site{hits: make(map[string]int)}
	s.Server = httptest.NewServer(s.handler(p))
	t.Cleanup(s.close)
	return s
}

func (s *site) handler(p pages) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.hits[r.URL.Path]++
		s.mu.Unlock()
		switch page := p[r.URL.Path].(type) {
		case string:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, page)
		case func(http.ResponseWriter, *http.Request):
			page(w, r)
		default:
			http.NotFound(w, r)
		}
	})
}

func (s *site) close() {
	s.CloseClientConnections()
	s.Close()
}

func (s *site) asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[path]
}

func fetch(t testing.TB, f crawler.Fetcher, url string) *crawler.Response {
	t.Helper()
	resp, err := f.Fetch(t.Context(), frontier.Request{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func wantBody(t testing.TB, resp *crawler.Response, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(string(resp.Body), part) {
			t.Errorf("%s: %q is not in %.2000s", resp.URL, part, resp.Body)
		}
	}
}

// until waits for a condition.
func until(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{
		"/": `<!doctype html><title>shop</title><div id=root></div><script>
			document.cookie = "seen=1"
			fetch("/api").then(r => r.json()).then(j => { root.innerHTML = "<a href='/p/1'>" + j.name + "</a>" + navigator.userAgent })
		</script>`,
		"/api": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"name": "Pfl\u00fcgerin, cookie %s, agent %s"}`, strings.Trim(r.Header.Get("Cookie"), `"`), r.UserAgent())
		},
	})
	resp := fetch(t, shared(t), s.URL+"/")
	wantBody(t, resp, `<a href="/p/1">Pflügerin, cookie seen=1, agent `+agent+`</a>`+agent)
	if resp.Status != 200 || resp.URL != s.URL+"/" || resp.Request.URL != s.URL+"/" || !resp.Addr.IsLoopback() || resp.Fetched.IsZero() || resp.Took <= 0 {
		t.Errorf("got %+v", resp)
	}
	if got := resp.Header.Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("type %q", got)
	}
}

func TestTab(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{"/": `<title>one</title><a href=/two>go</a>`, "/two": `<title>two</title>`})
	var got string
	err := shared(t).Tab(t.Context(), s.URL, func(tab context.Context) error {
		var err error
		got, err = clickThrough(tab, s.URL)
		return err
	})
	if err != nil || got != "two" {
		t.Fatalf("title %q, %v", got, err)
	}
}

func TestNoBrowser(t *testing.T) {
	t.Parallel()
	f := &chrome.Fetcher{UserAgent: agent, Path: "/nowhere/chrome"}
	c := crawler.Crawler{UserAgent: agent, Fetcher: f, IgnoreRobots: true}
	err := c.Run(t.Context(), "http://example.test/")
	if err == nil || !strings.Contains(err.Error(), "install chromium-headless-shell") {
		t.Errorf("got %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
