package crawler

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestOnEventPanics: that is no page's trouble, so it ends the run, which says
// where it was; nothing is lost.
func TestOnEventPanics(t *testing.T) {
	t.Parallel()
	for _, when := range []EventKind{Fetched, Skipped, Ended} {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, smallWeb)
			c.Frontier.Close()
			c.Frontier = frontier.New(frontier.Options{Limits: frontier.Limits{Delay: time.Millisecond}}) // so that no visit begins while an event is told
			defer c.Frontier.Close()
			c.OnEvent = func(e Event) {
				if e.Kind == when {
					panic("boom")
				}
			}
			err := c.Run(t.Context(), "http://a.test/")
			if err == nil || !strings.Contains(err.Error(), "panic: boom") || !strings.Contains(err.Error(), "loop_handler_test.go") {
				t.Fatalf("%s: error %v", when, err)
			}
			c.OnEvent = nil
			c.run(t)
			c.web.EachOnce(t, "http://a.test/", "http://a.test/1", "http://a.test/2", "http://a.test/4")
			c.wantPut(t, "http://a.test/", "http://a.test/1", "http://a.test/2", "http://a.test/4")
		})
	}
}

type panicking struct{ frontier.Frontier }

func (panicking) Next(context.Context) (frontier.Lease, error) { panic("boom") }

func TestFrontierPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		c.Frontier = panicking{c.Frontier}
		if err := c.Run(t.Context(), "http://a.test/"); err == nil || !strings.Contains(err.Error(), "panic: boom") {
			t.Errorf("error %v", err)
		}
	})
}

// TestHandlerEndsItsGoroutine: a handler may call t.Fatal in a test. The run
// ends with an error instead of waiting for that worker for ever.
func TestHandlerEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"fetcher", "parser", "follow", "sink", "revisit", "event"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := over(t, smallWeb)
				var ended atomic.Bool
				exit := func(here, url string) {
					if here == where && url == "http://a.test/1" && !ended.Swap(true) {
						runtime.Goexit()
					}
				}
				fetcher, sink := c.Fetcher, c.Sink
				c.Fetcher = FetcherFunc(func(ctx context.Context, r frontier.Request) (*Response, error) {
					exit("fetcher", r.URL)
					return fetcher.Fetch(ctx, r)
				})
				c.Parser = parserFunc(func(ctx context.Context, r *Response) (*Page, error) {
					exit("parser", r.URL)
					return new(HTML).Parse(ctx, r)
				})
				c.Follow = func(from *Page, l Link) (float64, bool) {
					exit("follow", from.URL)
					return SameHost("http://a.test")(from, l)
				}
				c.Sink = SinkFunc(func(ctx context.Context, p *Result) error { exit("sink", p.URL); return sink.Put(ctx, p) })
				c.Revisit = func(req frontier.Request, resp *Response, err error) frontier.Outcome {
					exit("revisit", req.URL)
					return Retry(req, resp, err)
				}
				c.OnEvent = func(e Event) { exit("event", e.URL) }
				if err := c.Run(t.Context(), "http://a.test/"); !errors.Is(err, errGoexit) {
					t.Fatalf("error %v", err)
				}
				c.run(t)
				want := []string{"http://a.test/", "http://a.test/1", "http://a.test/2", "http://a.test/4"}
				if where == "revisit" { // the page was put before
					want = append(want, "http://a.test/1")
				}
				c.wantPut(t, want...)
			})
		})
	}
}

// TestCarelessParser: a Parser may give URLs as they stand in the page, and
// what is no URL at all.
func TestCarelessParser(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		c.Follow = anywhere
		c.web.Add("http://a.test/5", "<p>x")
		c.Parser = parserFunc(func(_ context.Context, r *Response) (*Page, error) {
			p := &Page{Title: "t"}
			for _, u := range []string{"HTTP://A.test:80/1#x", "/2?utm_source=y", "4", "mailto:a@b", "javascript:x", "http://[bad/", "", "#top", "../5", "//a.test/5"} {
				p.Links = append(p.Links, Link{URL: u})
			}
			return p, nil
		})
		c.run(t, "http://a.test/")
		c.wantPut(t, "http://a.test/", "http://a.test/1", "http://a.test/2", "http://a.test/4", "http://a.test/5")
		c.web.EachOnce(t)
	})
}

// TestCarelessFetcher: a Fetcher may give a Location as the server sent it, or
// leave it in the header, and fail to answer at all.
func TestCarelessFetcher(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "")
		c.Frontier = frontier.New(frontier.Options{})
		c.IgnoreRobots = true
		c.Fetcher = FetcherFunc(func(_ context.Context, r frontier.Request) (*Response, error) {
			switch r.URL {
			case "http://a.test/":
				return &Response{Status: 301, Location: "/1#x"}, nil
			case "http://a.test/1":
				return &Response{Status: 308, Header: map[string][]string{"Location": {"HTTP://A.TEST:80/2"}}}, nil
			case "http://a.test/2":
				return &Response{Status: 302, Location: "mailto:a@b"}, nil
			case "http://a.test/3":
				return &Response{Status: 200, URL: "HTTP://a.test/3#x", Body: []byte("x")}, nil
			case "http://a.test/5":
				return &Response{}, nil
			}
			return nil, nil
		})
		c.run(t, "http://a.test/", "http://a.test/3", "http://a.test/4", "http://a.test/5")
		c.wantPut(t, "http://a.test/3")
		c.wantEvent(t, "http://a.test/", Skipped, SkipRedirect)
		c.wantEvent(t, "http://a.test/1", Skipped, SkipRedirect)
		wantKind(t, c.about("http://a.test/2")[0].Err, ErrRedirect)
		wantKind(t, c.about("http://a.test/4")[0].Err, ErrOther)
		wantKind(t, c.about("http://a.test/5")[0].Err, ErrStatus)
	})
}
