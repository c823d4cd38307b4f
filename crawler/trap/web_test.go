package trap_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/trap"
	"github.com/webquarry/quarry/frontier"
)

const agent = "acme/1.0 (+https://acme.example/bot)"

// web answers requests in memory and counts them. Each takes its own time, of the
// bubble's clock, so that this and not the scheduler decides which are under way
// together.
type web struct {
	page  func(host, path, query string) (status int, title, body string)
	mu    sync.Mutex
	count map[string]int // by URL
	links map[string]bool
}

func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(time.Duration(1+xxh3.HashString(req.URL.String())%20_000) * time.Microsecond)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count == nil {
		w.count = make(map[string]int)
	}
	status, title, body := 404, "", ""
	if req.URL.Path != "/robots.txt" {
		w.count[req.URL.String()]++
		status, title, body = w.page(req.URL.Host, req.URL.Path, req.URL.RawQuery)
	}
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	if status/100 == 3 {
		header.Set("Location", body)
	}
	if title != "" {
		body = "<title>" + title + "</title>" + body
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req}, nil
}

// follow follows all links, and remembers them.
func (w *web) follow(from *crawler.Page, link crawler.Link) (float64, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.links == nil {
		w.links = make(map[string]bool)
	}
	w.links[link.URL] = true
	return crawler.Any(from, link)
}

// reasons are those for which links are refused in the end.
func (w *web) reasons(g *trap.Guard) map[trap.Reason]string {
	all := make(map[trap.Reason]string)
	for url := range w.links {
		if v, ok := g.Explain(url); ok && v.Refused {
			all[v.Reason] = v.String()
		}
	}
	return all
}

// fetched counts the requests whose URL holds part.
func (w *web) fetched(part string) (n int) {
	for url, k := range w.count {
		if strings.Contains(url, part) {
			n += k
		}
	}
	return n
}

// crawl crawls a web from its home page with a Guard; nil: without one. It gives
// up after 2,000 pages, which no web here has.
func crawl(t *testing.T, w *web, g *trap.Guard, workers int, seeds ...string) {
	t.Helper()
	front := frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1, PerHost: 8, PerDomain: 8, Factor: -1}})
	defer front.Close()
	c := crawler.Crawler{
		UserAgent: agent, Frontier: front, Workers: workers, Follow: w.follow,
		Fetcher: &crawler.HTTP{UserAgent: agent, Transport: w},
		Budget:  crawler.Budget{Pages: 2000},
	}
	if g != nil {
		c.Plugins = []crawler.Plugin{g}
	}
	if len(seeds) == 0 {
		seeds = []string{"http://a.test/"}
	}
	if err := c.Run(t.Context(), seeds...); err != nil {
		t.Fatal(err)
	}
}

// inBubble runs f where time is faked.
func inBubble(t *testing.T, f func(t *testing.T)) { synctest.Test(t, f) }

// prose is a text of its own for each number.
func prose(n, words int) string {
	var b strings.Builder
	x := uint64(n)*0x9e3779b97f4a7c15 + 1
	for range words {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		fmt.Fprintf(&b, "w%d ", x%3000)
	}
	return b.String()
}

func links(format string, from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "<a href=\""+format+"\">link</a> ", i)
	}
	return b.String()
}

const articles = 40

// withArticles is a host whose home leads into a trap and to forty articles, each with a
// text of its own.
func withArticles(enter string, page func(path, query string) (int, string, string)) func(host, path, query string) (int, string, string) {
	return func(_, path, query string) (int, string, string) {
		var n int
		if k, _ := fmt.Sscanf(path, "/article/%d", &n); k == 1 && n < articles {
			return 200, fmt.Sprint("Article ", n), prose(1000+n, 80) + links("/article/%d", n+1, min(n+3, articles))
		}
		if path == "/" {
			return 200, "Home", `<a href="` + enter + `">go</a> <a href="/article/0">read</a>`
		}
		return page(path, query)
	}
}

// each is links to what f makes of 0 to n-1.
func each(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<a href="%s">link</a> `, f(i))
	}
	return b.String()
}

// letters names a number by letters alone.
func letters(n int) string {
	name := []byte("aaa")
	for i := len(name) - 1; n > 0; i, n = i-1, n/26 {
		name[i] += byte(n % 26)
	}
	return string(name)
}
