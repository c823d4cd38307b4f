package crawler

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestTwoRunsShareAFrontier: each page is visited once by either, and both end
// when all are done.
func TestTwoRunsShareAFrontier(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB) frontier.Frontier{
		"memory": func(testing.TB) frontier.Frontier { return fast() },
		"disk": func(t testing.TB) frontier.Frontier {
			f, err := frontier.Open(t.TempDir(), frontier.Options{SyncEvery: -1, Limits: frontier.Limits{PerHost: 8, PerDomain: -1, Delay: -1}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return f
		},
	} {
		for how, other := range map[string]bool{"two crawlers": true, "one crawler twice": false} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					c := over(t, hub(60))
					c.web.Add("http://a.test/slow", "HTTP 200\nTest-Wait: 20s\n\n<a href='/late'>x</a>")
					c.web.Add("http://a.test/late", "<p>x")
					c.Frontier, c.OnEvent, c.Workers = open(t), nil, 3
					second := &c.Crawler
					if other {
						second = &Crawler{UserAgent: testAgent, Frontier: c.Frontier, Fetcher: c.Fetcher, Sink: c.Sink, Workers: 5}
					}
					start := time.Now()
					var runs sync.WaitGroup
					for _, crawler := range []*Crawler{&c.Crawler, second} {
						runs.Go(func() {
							if err := crawler.Run(t.Context(), "http://a.test/", "http://a.test/slow"); err != nil {
								t.Error(err)
							}
							if took := time.Since(start); took < 20*time.Second {
								t.Errorf("a run ended after %v, with a page under way", took)
							}
						})
					}
					runs.Wait()
					c.wantPut(t, c.web.URLs()...)
					c.web.EachOnce(t)
				})
			})
		}
	}
}

// TestRunsWithoutFrontierAreApart: each makes its own.
func TestRunsWithoutFrontierAreApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, smallWeb)
		c.Frontier, c.OnEvent = nil, nil
		var runs sync.WaitGroup
		for range 3 {
			runs.Go(func() {
				if err := c.Run(t.Context(), "http://a.test/"); err != nil {
					t.Error(err)
				}
			})
		}
		runs.Wait()
		if len(c.put) != 12 {
			t.Errorf("put %q", c.put)
		}
	})
}

// TestFrontierClosedUnderARun: the run ends and says why; so does one whose
// Frontier fails anywhere else.
func TestFrontierClosedUnderARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, hub(10))
		f := c.Frontier.(*frontier.Memory)
		time.AfterFunc(4*time.Second, func() { f.Close() })
		if err := c.Run(t.Context(), "http://a.test/"); !errors.Is(err, frontier.ErrClosed) {
			t.Errorf("error %v", err)
		}
	})
	full := errors.New("disk full")
	for _, where := range []string{"Add", "Next", "Done", "Done with links"} {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, hub(10))
			c.Frontier = failing{c.Frontier, where, full}
			if err := c.Run(t.Context(), "http://a.test/"); !errors.Is(err, full) {
				t.Errorf("%s: error %v", where, err)
			}
		})
	}
}

type failing struct {
	frontier.Frontier
	where string
	err   error
}

func (f failing) Add(ctx context.Context, reqs ...frontier.Request) (int, error) {
	if f.where == "Add" {
		return 0, f.err
	}
	return f.Frontier.Add(ctx, reqs...)
}

func (f failing) Next(ctx context.Context) (frontier.Lease, error) {
	if f.where == "Next" {
		return frontier.Lease{}, f.err
	}
	return f.Frontier.Next(ctx)
}

func (f failing) Done(ctx context.Context, req frontier.Lease, out frontier.Outcome) error {
	if f.where == "Done" || f.where == "Done with links" && len(out.Found) > 0 {
		return f.err
	}
	return f.Frontier.Done(ctx, req, out)
}

// TestBlockedSink: a Sink that waits holds up its own pages alone, and hears of
// the end of the run.
func TestBlockedSink(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, hub(20))
		c.Frontier, c.Workers = fast(), 8
		put := c.Sink
		c.Sink = SinkFunc(func(ctx context.Context, p *Result) error {
			if slices.Contains([]string{"http://a.test/003", "http://a.test/004"}, p.URL) {
				<-ctx.Done()
				return context.Cause(ctx)
			}
			return put.Put(ctx, p)
		})
		enough := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, enough)
		defer cancel()
		start := time.Now()
		err := c.Run(ctx, "http://a.test/")
		if took := time.Since(start); !errors.Is(err, enough) || took != time.Minute+defaultGrace || len(c.put) != 19 {
			t.Errorf("%v after %v, put %d", err, took, len(c.put))
		}
		c.Sink = put
		c.run(t)
		c.wantPut(t, c.web.URLs()...)
	})
}
