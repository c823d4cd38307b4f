package crawler

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/frontier"
)

// crawl is a crawler of a web in memory that notes what it does.
type crawl struct {
	Crawler
	web    *crawlertest.Web
	mu     sync.Mutex
	put    []string
	events []Event
}

// over makes a crawl over a web; to be called in a bubble, as a frontier keeps time.
func over(t testing.TB, web string) *crawl {
	t.Helper()
	w, err := crawlertest.Parse(web)
	if err != nil {
		t.Fatal(err)
	}
	c := &crawl{web: w}
	c.Crawler = Crawler{
		UserAgent: testAgent,
		Frontier:  frontier.New(frontier.Options{}),
		Fetcher:   &HTTP{UserAgent: testAgent, Transport: w},
		OnEvent:   func(e Event) { c.events = append(c.events, e) },
		Sink: Pages(func(_ context.Context, p *Page) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.put = append(c.put, p.URL)
			return nil
		}),
	}
	return c
}

func (c *crawl) run(t testing.TB, seeds ...string) {
	t.Helper()
	if err := c.Run(t.Context(), seeds...); err != nil && !errors.Is(err, ErrNothingFetched) {
		t.Fatal(err)
	}
}

// unfinished crawls, and expects that so many URLs are left that wait for their hosts.
func (c *crawl) unfinished(t testing.TB, urls int, seeds ...string) *UnfinishedError {
	t.Helper()
	err := c.Run(t.Context(), seeds...)
	e, ok := errors.AsType[*UnfinishedError](err)
	if !ok || e.URLs != urls {
		t.Fatalf("Run: %v, want %d URLs that wait", err, urls)
	}
	return e
}

// wantPut checks which pages were put, in whatever order.
func (c *crawl) wantPut(t testing.TB, want ...string) {
	t.Helper()
	got := slices.Sorted(slices.Values(c.put))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("put %q, want %q", got, want)
	}
}

// about returns the events about a URL.
func (c *crawl) about(url string) (out []Event) {
	for _, e := range c.events {
		if e.URL == url {
			out = append(out, e)
		}
	}
	return out
}

func (c *crawl) wantEvent(t testing.TB, url string, kind EventKind, reason string) {
	t.Helper()
	if e := c.about(url); len(e) != 1 || e[0].Kind != kind || e[0].Reason != reason {
		t.Errorf("events about %s: %+v, want one %s %s", url, e, kind, reason)
	}
}

const smallWeb = `
-- http://a.test/ --
<title>Home</title><a href="/1">one</a> <a href="/2">two</a> <a href="http://b.test/">off site</a> <a href="/1#x">again</a>
-- http://a.test/1 --
<title>One</title><a href="/2">two</a> <a href="/3" rel="nofollow">three</a> <a href="/private/x">x</a>
-- http://a.test/2 --
<title>Two</title><a href="/">home</a> <a href="/4">four</a>
-- http://a.test/4 --
<title>Four</title>
-- http://a.test/robots.txt --
HTTP 200
Content-Type: text/plain

User-agent: *
Disallow: /private/
`

func TestRunVisitsEachPageOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		start := time.Now()
		c.run(t, "http://a.test/#top")
		c.wantPut(t, "http://a.test/", "http://a.test/1", "http://a.test/2", "http://a.test/4")
		c.web.EachOnce(t)
		c.web.Gaps(t, time.Second)
		c.wantEvent(t, "http://a.test/private/x", Skipped, SkipRobots)
		if took := time.Since(start); took > 6*time.Second {
			t.Errorf("took %v", took)
		}
		last := c.events[len(c.events)-1]
		if s := last.Summary; last.Kind != Ended || last.Err != nil || s.Pages != 4 || s.Skipped[SkipRobots] != 1 || s.Failed != nil || s.Bytes == 0 || s.Took < 4*time.Second {
			t.Errorf("last event %+v", last)
		}
		c.run(t, "http://a.test/") // nothing is left to do
		if len(c.put) != 4 {
			t.Errorf("put %d pages after a second run", len(c.put))
		}
	})
}

func TestRunRefusesBadSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []Crawler{{}, {UserAgent: "acme/1.0"}, {UserAgent: testAgent, Fetcher: &HTTP{}}} {
		if err := c.Run(t.Context(), "http://a.test/"); !isA[*ConfigError](err) {
			t.Errorf("user agent %q: %v", c.UserAgent, err)
		}
	}
	c := Crawler{UserAgent: testAgent}
	for _, seed := range []string{"ftp://a.test/", "a.test", "", "http://", "http://a b/", "mailto:a@b"} {
		err := c.Run(t.Context(), "http://a.test/", seed)
		if ce, ok := errors.AsType[*ConfigError](err); !ok || ce.What != "seed" || ce.Value != seed {
			t.Errorf("seed %q: %v", seed, err)
		}
	}
	if err := c.Run(t.Context()); err != nil {
		t.Errorf("no seeds: %v", err)
	}
}

// bubble runs f on a crawl over a web, its time faked.
func bubble(t *testing.T, web string, f func(t *testing.T, c *crawl)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, over(t, web)) })
}
