package harvest_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/harvest"
	"github.com/webquarry/quarry/frontier"
)

const agent = "test/1.0 (+https://quarry.test/bot)"

// web has redirects, forbidden pages, dead ones, ones that must not be indexed
// and ones that name another as canonical, among 60.
func web(t testing.TB) *crawlertest.Web {
	t.Helper()
	w, err := crawlertest.Parse("-- http://a.test/robots.txt --\nHTTP 200\n\nUser-agent: *\nDisallow: /13\n")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		links := fmt.Sprintf("<title>%d</title><a href='/%d'>x</a> <a href='/%d'>x</a>", i, 2*i+1, 2*i+2)
		switch {
		case i > 0 && i%11 == 0:
			links = fmt.Sprintf("HTTP 301\nLocation: /%d\n\n", i+1)
		case i%7 == 3:
			links = "<meta name=robots content=noindex>" + links
		case i%7 == 4:
			links = fmt.Sprintf("<link rel=canonical href='/%d'>%s", i+1, links)
		case i == 20:
			links = "HTTP 404\n\n"
		case i == 21:
			links = "HTTP 200\nTest-Wait: 9s\n\n" + links
		}
		w.Add(fmt.Sprintf("http://a.test/%d", i), links)
	}
	return w
}

type pages struct {
	mu   sync.Mutex
	urls []string
	body map[string]string
}

func (p *pages) Put(_ context.Context, r *crawler.Result) error {
	page := r.Page
	if page == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.urls = append(p.urls, page.URL)
	if p.body == nil {
		p.body = make(map[string]string)
	}
	p.body[page.URL] = string(page.Response.Body)
	return nil
}

func (p *pages) sorted() []string { return slices.Sorted(slices.Values(p.urls)) }

func open(t testing.TB, dir string) *frontier.Disk {
	t.Helper()
	f, err := frontier.Open(dir, frontier.Options{SyncEvery: -1, Horizon: -1})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// crawl runs a crawl over the frontiers of folders, opened anew each time, and
// interrupts it again and again where that is wanted.
func crawl(t testing.TB, w *crawlertest.Web, dir string, interrupt bool, set func(*crawler.Crawler), seeds ...string) {
	t.Helper()
	enough := errors.New("enough")
	for n := 0; ; n++ {
		links, later := open(t, filepath.Join(dir, "links")), open(t, filepath.Join(dir, "pages"))
		c := crawler.Crawler{UserAgent: agent, Frontier: links, Sink: &harvest.Links{Into: later}, Workers: 3}
		if set != nil {
			c.Frontier = later
			c.Parser = harvest.Raw{}
			set(&c)
		}
		c.Fetcher = &crawler.HTTP{UserAgent: agent, Transport: w}
		ctx, cancel := context.WithCancel(t.Context())
		if interrupt {
			ctx, cancel = context.WithTimeoutCause(t.Context(), time.Duration(n+1)*1300*time.Millisecond, enough)
		}
		err := c.Run(ctx, seeds...)
		cancel()
		if err := errors.Join(links.Close(), later.Close()); err != nil {
			t.Fatal(err)
		}
		if err == nil {
			return
		}
		if err != enough {
			t.Fatal(err)
		}
	}
}

// TestTwoPhases: the pages of a straight run and of two phases are the same, each
// once and with its body, also when both phases are interrupted and opened anew.
func TestTwoPhases(t *testing.T) {
	t.Parallel()
	const seed = "http://a.test/0"
	for _, interrupt := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := web(t)
			var straight pages
			c := crawler.Crawler{UserAgent: agent, Fetcher: &crawler.HTTP{UserAgent: agent, Transport: w}, Sink: &straight}
			if err := c.Run(t.Context(), seed); err != nil {
				t.Fatal(err)
			}
			if len(straight.urls) < 25 {
				t.Fatalf("put %q", straight.urls)
			}
			dir, first, second := t.TempDir(), web(t), web(t)
			crawl(t, first, dir, interrupt, nil, seed)
			var fetched pages
			crawl(t, second, dir, interrupt, func(c *crawler.Crawler) { c.Sink = &fetched })
			if !slices.Equal(fetched.sorted(), straight.sorted()) {
				t.Errorf("put %q, want %q", fetched.sorted(), straight.sorted())
			}
			for url, body := range straight.body {
				if fetched.body[url] != body {
					t.Errorf("%s has %q, want %q", url, fetched.body[url], body)
				}
			}
			for _, r := range second.Requests() {
				if !strings.HasSuffix(r.URL, "/robots.txt") && !slices.Contains(straight.urls, r.URL) {
					t.Errorf("the second phase asked for %s", r.URL)
				}
			}
			first.Gaps(t, time.Second)
			second.Gaps(t, time.Second)
		})
	}
}

// TestDepthAndLabel: the second phase knows how deep a page is, and in which
// order pages were wanted.
func TestDepthAndLabel(t *testing.T) {
	t.Parallel()
	f := frontier.New(frontier.Options{})
	defer f.Close()
	page := &crawler.Page{URL: "http://a.test/x", Response: &crawler.Response{
		Request: frontier.Request{URL: "http://a.test/old", Via: "http://a.test/", Depth: 3, Priority: 2, Label: "l", Attempt: 2},
	}}
	if err := (&harvest.Links{Into: f}).Put(t.Context(), fresh(page)); err != nil {
		t.Fatal(err)
	}
	req, err := f.Next(t.Context())
	if want := (frontier.Request{URL: page.URL, Depth: 3, Priority: 2, Label: "l"}); err != nil || req.Request != want {
		t.Errorf("%+v, %v", req, err)
	}
}

// Example collects the pages of a site first and then fetches them in bulk.
func Example() {
	site := &site{}
	links, later := frontier.New(frontier.Options{}), frontier.New(frontier.Options{}) // or frontier.Open, to go on another day
	defer links.Close()
	defer later.Close()
	first := crawler.Crawler{UserAgent: agent, Fetcher: site, IgnoreRobots: true, Frontier: links, Sink: &harvest.Links{Into: later}}
	if err := first.Run(context.Background(), "http://a.test/"); err != nil {
		fmt.Println(err)
	}
	if s, err := later.Stats(context.Background()); err == nil {
		fmt.Println(s.Queued, "pages to fetch")
	}
	second := crawler.Crawler{UserAgent: agent, Fetcher: site, IgnoreRobots: true, Frontier: later, Parser: harvest.Raw{},
		Sink: crawler.Pages(func(_ context.Context, p *crawler.Page) error {
			fmt.Println(p.URL, len(p.Response.Body), "bytes")
			return nil
		})}
	if err := second.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Unordered output:
	// 2 pages to fetch
	// http://a.test/ 17 bytes
	// http://a.test/b 4 bytes
}

type site struct{}

func (*site) Fetch(_ context.Context, req frontier.Request) (*crawler.Response, error) {
	body := map[string]string{"http://a.test/": "<a href='/b'>b</a", "http://a.test/b": "last"}[req.URL]
	return &crawler.Response{Status: 200, Body: []byte(body)}, nil
}

// fresh is what a Sink gets of a page that it does not have.
func fresh(page *crawler.Page) *crawler.Result {
	return &crawler.Result{Kind: crawler.New, URL: page.URL, Page: page}
}
