package crawler

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestHandlersThatNeverReturn: a handler that ignores its context does not keep a run
// that is to end, and the run says so; what it had not put is in the Frontier.
func TestHandlersThatNeverReturn(t *testing.T) {
	t.Parallel()
	var hang func()
	for name, set := range map[string]func(*Crawler){
		"fetcher": func(c *Crawler) {
			f := c.Fetcher
			c.Fetcher = FetcherFunc(func(ctx context.Context, req frontier.Request) (*Response, error) {
				if req.URL == "http://a.test/003" {
					hang()
				}
				return f.Fetch(ctx, req)
			})
		},
		"parser": func(c *Crawler) {
			c.Parser = parserFunc(func(ctx context.Context, resp *Response) (*Page, error) {
				if resp.URL == "http://a.test/003" {
					hang()
				}
				return new(HTML).Parse(ctx, resp)
			})
		},
		"follow": func(c *Crawler) {
			c.Follow = func(*Page, Link) (float64, bool) { hang(); return 0, true }
		},
		"sink": func(c *Crawler) {
			c.Sink = SinkFunc(func(_ context.Context, r *Result) error {
				if r.URL == "http://a.test/003" {
					hang()
				}
				return nil
			})
		},
		"revisit": func(c *Crawler) {
			c.Revisit = func(req frontier.Request, resp *Response, err error) frontier.Outcome {
				if req.URL == "http://a.test/003" {
					hang()
				}
				return Retry(req, resp, err)
			}
		},
		"event": func(c *Crawler) {
			c.Workers = 1 // a second one would wait for a lock, which holds up the clock of synctest
			c.OnEvent = func(e Event) {
				if e.URL == "http://a.test/003" {
					hang()
				}
			}
		},
	} {
		for _, grace := range []time.Duration{-1, 0, 20 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				var once sync.Once
				hang = func() { <-release }
				defer once.Do(func() { close(release) })
				c := over(t, hub(20))
				f := frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1, PerHost: -1, PerDomain: -1}})
				defer f.Close()
				c.Frontier, c.Workers, c.Budget.Grace = f, 4, grace
				set(&c.Crawler)
				enough := errors.New("enough")
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, enough)
				defer cancel()
				begun := time.Now()
				err := c.Run(ctx, "http://a.test/")
				most := time.Minute + max(cmp.Or(grace, defaultGrace), 0) + lastReturn + lastWord + time.Second
				if took := time.Since(begun); !errors.Is(err, enough) || !errors.Is(err, errStuck) || took > most {
					t.Errorf("%s, grace %v: %v after %v", name, grace, err, took)
				}
				once.Do(func() { close(release) })
				synctest.Wait()
			})
		}
	}
}
