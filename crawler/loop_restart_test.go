package crawler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestRestart: what hosts asked for and the gaps between visits hold across
// restarts, robots.txt is asked for again although it was "seen", and seeds
// given again add nothing.
func TestRestart(t *testing.T) {
	t.Parallel()
	for first := time.Second; first < 30*time.Second; first += 1700 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, hub(10))
			c.web.Add("http://b.test/busy", "HTTP 429\nRetry-After: 120\n\n")
			c.web.Add("http://b.test/busy", "<p>x")
			c.web.Add("http://b.test/other", "<p>x")
			c.web.Add("http://c.test/robots.txt", "HTTP 200\n\nUser-agent: *\nCrawl-delay: 7\n")
			for i := range 4 {
				c.web.Add(fmt.Sprintf("http://c.test/%d", i), "<p>x")
			}
			seeds := []string{"http://a.test/", "http://b.test/busy", "http://b.test/other", "http://c.test/0", "http://c.test/1", "http://c.test/2", "http://c.test/3"}
			c.Workers = 4
			dir, enough := t.TempDir(), errors.New("enough")
			for n := 1; ; n++ {
				f, err := frontier.Open(dir, frontier.Options{SyncEvery: -1})
				if err != nil {
					t.Fatal(err)
				}
				c.Frontier = f
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Duration(n)*first, enough)
				err = c.Run(ctx, seeds...)
				cancel()
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
				if err == nil {
					break
				}
				if err != enough {
					t.Fatal(err)
				}
			}
			c.wantPut(t, slices.DeleteFunc(c.web.URLs(), func(u string) bool { return strings.HasSuffix(u, ".txt") })...)
			c.web.Gaps(t, time.Second)
			var busy, last time.Time // when b.test refused, and when c.test was asked last
			for _, r := range c.web.Requests() {
				if strings.HasPrefix(r.URL, "http://b.test/") && !busy.IsZero() && r.At.Before(busy.Add(120*time.Second)) {
					t.Errorf("asked for %s %v after a Retry-After of 120 s", r.URL, r.At.Sub(busy))
				}
				if r.URL == "http://b.test/busy" && busy.IsZero() {
					busy = r.At
				}
				if strings.HasPrefix(r.URL, "http://c.test/") {
					if !last.IsZero() && r.At.Sub(last) < 7*time.Second {
						t.Errorf("asked for %s after %v, with a Crawl-delay of 7 s", r.URL, r.At.Sub(last))
					}
					last = r.At
				}
			}
		})
	}
}

// TestPagesAddedFromElsewhere: a handler may add to the Frontier from a goroutine
// of its own. What comes during the run is visited in it, what comes later waits
// for the next, and a closed Frontier says so; nothing blocks.
func TestPagesAddedFromElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, hub(3))
		c.web.Add("http://a.test/soon", "<p>x")
		c.web.Add("http://a.test/late", "<p>x")
		put := c.Sink
		var others sync.WaitGroup
		add := func(after time.Duration, url string) {
			others.Go(func() {
				time.Sleep(after)
				if n, err := c.Frontier.Add(t.Context(), frontier.Request{URL: url}); n != 1 || err != nil {
					t.Errorf("%s: %d, %v", url, n, err)
				}
			})
		}
		c.Sink = SinkFunc(func(ctx context.Context, p *Result) error {
			if p.URL == "http://a.test/" {
				add(time.Second/2, "http://a.test/soon")
				add(time.Hour, "http://a.test/late")
			}
			return put.Put(ctx, p)
		})
		c.run(t, "http://a.test/")
		c.wantPut(t, "http://a.test/", "http://a.test/000", "http://a.test/001", "http://a.test/002", "http://a.test/soon")
		others.Wait()
		c.run(t)
		c.wantPut(t, c.web.URLs()...)
		c.Frontier.(*frontier.Memory).Close()
		if _, err := c.Frontier.Add(t.Context(), frontier.Request{URL: "http://a.test/never"}); !errors.Is(err, frontier.ErrClosed) {
			t.Errorf("error %v", err)
		}
	})
}

// TestDeadSeed: a crawl whose only seed has no address says so within seconds.
func TestDeadSeed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "")
		c.Fetcher = FetcherFunc(func(_ context.Context, r frontier.Request) (*Response, error) {
			return nil, &FetchError{URL: r.URL, Kind: ErrDNS, Err: &net.DNSError{Name: "nowhere.test", IsNotFound: true}}
		})
		start := time.Now()
		c.run(t, "http://nowhere.test/")
		e := c.about("http://nowhere.test/")
		if len(e) != 1 || e[0].Kind != Failed || time.Since(start) > 5*time.Second {
			t.Fatalf("%+v after %v", e, time.Since(start))
		}
		wantKind(t, e[0].Err, ErrDNS)
	})
}
