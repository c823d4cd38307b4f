package crawler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

const testLease = 10 * time.Second

// leasing crawls on one Frontier with leases that expire, and counts what is under way.
type leasing struct {
	Crawler
	web *crawlertest.Web

	// Before a request and before a page is put so much time passes. A Fetcher ends with
	// its context, a Sink may not notice.
	fetch, sink func(url string) time.Duration

	mu      sync.Mutex
	open    map[string]int // requests, by host
	most    int            // of one host at a time
	asked   map[string]int // requests, by URL
	put     map[string]int // by URL
	ended   map[string]int // events that are the last of a URL
	expired int            // visits whose leases did
}

func newLeasing(t testing.TB, f frontier.Frontier) *leasing {
	t.Helper()
	web, err := crawlertest.Parse("-- http://a.test/robots.txt --\nHTTP 200\n\nUser-agent: *\nDisallow: /private\n")
	if err != nil {
		t.Fatal(err)
	}
	none := func(string) time.Duration { return 0 }
	c := &leasing{web: web, fetch: none, sink: none, open: map[string]int{}, asked: map[string]int{}, put: map[string]int{}, ended: map[string]int{}}
	pages := &HTTP{UserAgent: testAgent, Transport: web}
	c.Crawler = Crawler{UserAgent: testAgent, Frontier: f, Workers: 4, Follow: anywhere, Budget: Budget{Grace: time.Hour},
		Fetcher: FetcherFunc(func(ctx context.Context, req frontier.Request) (*Response, error) {
			defer c.begin(req.URL)()
			select {
			case <-time.After(c.fetch(req.URL)):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			return pages.Fetch(ctx, req)
		}),
		Sink: Pages(func(_ context.Context, p *Page) error {
			time.Sleep(c.sink(p.URL))
			c.mu.Lock()
			defer c.mu.Unlock()
			c.put[p.URL]++
			return nil
		}),
		OnEvent: func(e Event) {
			c.mu.Lock()
			defer c.mu.Unlock()
			switch {
			case errors.Is(e.Err, frontier.ErrLeaseExpired):
				c.expired++
				if e.Kind != Retrying || e.URL == "" {
					t.Errorf("a lease that expired makes the event %+v", e)
				}
			case e.Kind == Fetched, e.Kind == Skipped, e.Kind == Failed:
				c.ended[e.URL]++
			case e.Kind == Retrying:
				t.Errorf("%s: %v", e.URL, e.Err)
			}
		}}
	return c
}

func (c *leasing) begin(url string) (end func()) {
	host := urlnorm.Origin(url)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[host]++
	c.asked[url]++
	c.most = max(c.most, c.open[host])
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open[host]--
	}
}

// check expects that all of the web was visited, each URL to its end once.
func (c *leasing) check(t testing.TB, urls ...string) {
	t.Helper()
	if c.most != 1 {
		t.Errorf("%d requests of one host at a time", c.most)
	}
	for _, u := range urls {
		if c.ended[u] != 1 {
			t.Errorf("%s was ended %d times, asked for %d times, put %d times", u, c.ended[u], c.asked[u], c.put[u])
		}
	}
	if len(c.ended) != len(urls) {
		t.Errorf("%d URLs were ended, want %d", len(c.ended), len(urls))
	}
	if s := statsOf(c.Frontier); s.Leased != 0 || s.Queued != 0 {
		t.Errorf("left: %+v", s)
	}
}

func leaseFrontier() *frontier.Memory {
	return frontier.New(frontier.Options{LeaseFor: testLease, Horizon: -1, Limits: frontier.Limits{Delay: 100 * time.Millisecond}})
}

// noExtend is a Frontier that cannot extend leases.
type noExtend struct{ frontier.Frontier }

// TestLeaseOfALongVisit: a visit that takes longer than its lease has it extended,
// whether the time goes by with the host or with the Sink.
func TestLeaseOfALongVisit(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]func(c *leasing) *func(string) time.Duration{
		"Fetcher": func(c *leasing) *func(string) time.Duration { return &c.fetch },
		"Sink":    func(c *leasing) *func(string) time.Duration { return &c.sink },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newLeasing(t, leaseFrontier())
				c.web.Add("http://a.test/", "<a href=/1>x</a><a href=/2>x</a>")
				c.web.Add("http://a.test/1", "<p>1")
				c.web.Add("http://a.test/2", "<p>2")
				*where(c) = func(string) time.Duration { return 7 * testLease }
				if err := c.Run(t.Context(), "http://a.test/"); err != nil {
					t.Error(err)
				}
				c.check(t, "http://a.test/", "http://a.test/1", "http://a.test/2")
				if c.expired != 0 || c.put["http://a.test/1"] != 1 {
					t.Errorf("%d leases expired, put %v", c.expired, c.put)
				}
			})
		})
	}
}

// TestLeaseExpires: where a lease cannot be extended the visit ends before it does, and
// the page is charged for nothing. A page that is put too late is put again; what
// the first visit found is not lost.
func TestLeaseExpires(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]func(c *leasing) *func(string) time.Duration{
		"Fetcher": func(c *leasing) *func(string) time.Duration { return &c.fetch },
		"Sink":    func(c *leasing) *func(string) time.Duration { return &c.sink },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := leaseFrontier()
				c := newLeasing(t, noExtend{m})
				c.Budget.Pages = 3
				c.web.Add("http://a.test/", "<a href=/1>x</a><a href=/2>x</a>")
				c.web.Add("http://a.test/1", "<p>1")
				c.web.Add("http://a.test/2", "<p>2")
				var slow sync.Map
				*where(c) = func(url string) time.Duration {
					if _, again := slow.LoadOrStore(url, true); !again && !strings.HasSuffix(url, "/robots.txt") {
						return 2 * testLease
					}
					return 0
				}
				if err := c.Run(t.Context(), "http://a.test/"); err != nil {
					t.Error(err)
				}
				c.check(t, "http://a.test/", "http://a.test/1", "http://a.test/2")
				if c.expired != 3 {
					t.Errorf("%d leases expired, want 3", c.expired)
				}
				if s := statsOf(m); s.Done != 3 || s.Queued != 0 || s.Leased != 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// unsteady is a Frontier that extends some leases, others not, and does not answer for the
// rest.
type unsteady struct {
	*frontier.Memory
	salt uint64
}

func (f unsteady) Extend(ctx context.Context, l frontier.Lease) (frontier.Lease, error) {
	switch (l.Token ^ f.salt) % 4 {
	case 0:
		return l, errors.New("no connection")
	case 1:
		<-ctx.Done()
		return l, context.Cause(ctx)
	}
	return f.Memory.Extend(ctx, l)
}

// TestRandomLeases: two crawlers work on one Frontier while leases expire at random times
// of their visits, in all of which nothing is lost, nothing is ended that is another's
// and no host is visited twice at once. QUARRY_LONG=1 has it try 1,000 schedules:
//
//	QUARRY_LONG=1 go test -run TestRandomLeases ./crawler
func TestRandomLeases(t *testing.T) {
	t.Parallel()
	seeds := uint64(60)
	switch {
	case os.Getenv("QUARRY_LONG") != "":
		seeds = 1000
	case testing.Short():
		seeds = 20
	}
	expired, again := 0, 0
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			x, twice := randomLeases(t, seed)
			expired, again = expired+x, again+twice
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d leases expired, %d pages were put again", expired, again)
	if expired < int(seeds) || again == 0 {
		t.Errorf("%d leases expired, %d pages were put again: this tests little", expired, again)
	}
}

func randomLeases(t *testing.T, seed uint64) (expired, again int) {
	const pages, hosts = 18, 3
	r := rand.New(rand.NewPCG(seed, 0))
	var f frontier.Frontier = leaseFrontier()
	if seed%2 == 0 {
		f = unsteady{f.(*frontier.Memory), r.Uint64()}
	} else {
		f = noExtend{f}
	}
	c := newLeasing(t, f)
	var urls []string
	for i := range pages {
		urls = append(urls, fmt.Sprintf("http://%c.test/%d", 'a'+i%hosts, i))
	}
	for i, u := range urls {
		if to := urls[(2*i+1)%pages]; 2*i+1 >= pages && r.IntN(3) == 0 {
			c.web.Add(u, redirectTo(to))
		} else {
			c.web.Add(u, fmt.Sprintf("<a href='%s'>x</a><a href='%s'>x</a>", to, urls[(2*i+2)%pages]))
		}
	}
	var mu sync.Mutex
	takes := func(string) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		if r.IntN(3) > 0 {
			return time.Duration(r.IntN(500)) * time.Millisecond
		}
		return time.Duration(r.Int64N(int64(2 * testLease)))
	}
	c.fetch, c.sink = takes, takes
	var runs sync.WaitGroup
	for range 2 {
		runs.Go(func() {
			other := c.Crawler
			if err := other.Run(t.Context(), urls[0]); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	c.check(t, urls...)
	for _, n := range c.put {
		again += n - 1
	}
	return c.expired, again
}
