package crawler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// chance is a web in which most things go well.
type chance struct {
	mu       sync.Mutex
	rnd      *rand.Rand
	visited  map[string]time.Time // by host, when last
	put      map[string]int
	now      int // requests
	most     int
	tooSoon  int
	interval time.Duration
}

func (c *chance) roll(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rnd.IntN(n)
}

func (c *chance) Fetch(ctx context.Context, req frontier.Request) (*Response, error) {
	host := req.URL[:len("http://h00.test")]
	c.mu.Lock()
	if last, ok := c.visited[host]; ok && time.Since(last) < c.interval {
		c.tooSoon++
	}
	c.visited[host] = time.Now()
	c.now++
	c.most = max(c.most, c.now)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now--
	}()
	select {
	case <-time.After(time.Duration(c.roll(200)) * time.Millisecond):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	switch c.roll(12) {
	case 0:
		panic("fetch")
	case 1:
		return nil, errors.New("no answer")
	case 2:
		return nil, &FetchError{Kind: ErrTimeoutTotal}
	}
	return &Response{Status: 200, Header: http.Header{}, URL: req.URL, Request: req}, nil
}

func (c *chance) Parse(context.Context, *Response) (*Page, error) {
	time.Sleep(time.Duration(c.roll(150)) * time.Millisecond)
	if c.roll(10) == 0 {
		panic("parse")
	}
	p := &Page{}
	for range 6 {
		p.Links = append(p.Links, Link{URL: fmt.Sprintf("http://h%02d.test/%d", c.roll(30), c.roll(12))})
	}
	return p, nil
}

func (c *chance) Put(_ context.Context, r *Result) error {
	time.Sleep(time.Duration(c.roll(20)) * time.Millisecond)
	if c.roll(30) == 0 {
		panic("sink")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put[r.URL]++
	return nil
}

// TestPlaces: whatever happens, there are no more requests at a time than workers
// were asked for, hosts rest, budgets are exact, a pause is one, and in the end
// nobody has a place, a page of the budget or a lease.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for seed := range uint64(42) {
		synctest.Test(t, func(t *testing.T) {
			w := &chance{rnd: rand.New(rand.NewPCG(seed, 1)), visited: map[string]time.Time{}, put: map[string]int{}, interval: 50 * time.Millisecond}
			front := frontier.New(frontier.Options{Limits: frontier.Limits{Delay: w.interval, Factor: -1}})
			defer front.Close()
			budget := []int{0, 1, 17, 40, 100}[seed%5]
			c := Crawler{UserAgent: testAgent, Frontier: front, Fetcher: w, Parser: w, Sink: w, Workers: 16, IgnoreRobots: seed%2 == 0,
				Budget: Budget{Pages: budget}, Follow: func(*Page, Link) (float64, bool) { return 0, true }}
			control := new(live.Control)
			ctx, cancel := context.WithCancel(live.With(t.Context(), control))
			defer cancel()
			ends := seed%7 == 3
			var working atomic.Bool // what begin and end tell is told by this goroutine, which must not end
			switch {
			case ends:
				time.AfterFunc(time.Duration(w.roll(2000))*time.Millisecond, cancel)
			case seed%7 == 4:
				c.OnEvent = func(Event) {
					if working.Load() && w.roll(40) == 0 {
						runtime.Goexit()
					}
				}
			case seed%3 == 0:
				time.AfterFunc(700*time.Millisecond, control.Pause)
				time.AfterFunc(10*time.Second, func() {
					for _, a := range control.Workers() {
						if a.URL != "" {
							t.Errorf("%d: in a pause: %+v", seed, a)
						}
					}
					control.Resume()
				})
			}
			var seeds []string
			for i := range 30 {
				seeds = append(seeds, fmt.Sprintf("http://h%02d.test/", i))
			}
			r, err := c.begin(ctx, seeds)
			if err != nil {
				t.Fatal(err)
			}
			working.Store(true)
			r.crawl()
			working.Store(false)
			err = r.end(ctx)
			if len(r.places) != 0 || r.quota.Reserved() != 0 || statsOf(front).Leased != 0 {
				t.Errorf("%d: %d places, %d pages of the budget, %d leases", seed, len(r.places), r.quota.Reserved(), statsOf(front).Leased)
			}
			if w.most > 16 || w.tooSoon > 0 {
				t.Errorf("%d: %d requests at a time, %d too soon", seed, w.most, w.tooSoon)
			}
			if n := len(w.put); budget > 0 && (n > budget || n < budget && err == nil) {
				t.Errorf("%d: %d pages put of %d: %v", seed, n, budget, err)
			}
			time.Sleep(20 * time.Second) // for timers
		})
	}
}
