package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestLooksAndMerges looks into a crawl and gives other priorities while requests are
// shelved, read ahead and merged all the time, and while the frontier is closed in the
// midst of it: each page is visited once, every third once more, and none is said to be
// done before it is.
func TestLooksAndMerges(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	const pages = 1600 / few
	for round := range 4 {
		l := &looks{path: filepath.Join(dir, strconv.Itoa(round)), ended: make([]atomic.Int32, pages)}
		opt := frontier.Options{Limits: frontier.Limits{Delay: -1}, SyncEvery: -1}
		all := 0
		for page := range pages {
			all += looksOf(page)
		}
		l.life(t, opt, all/2)
		l.life(t, opt, all)
		if n := l.visits.Load(); n != int64(all) {
			t.Errorf("%d visits, want %d", n, all)
		}
	}
}

// looks is a crawl that is looked into.
type looks struct {
	d      *frontier.Disk
	path   string
	ended  []atomic.Int32 // visits by page, counted before Done is called
	visits atomic.Int64
}

// looksOf is how often a page is to be visited.
func looksOf(page int) int { return 1 + (page%3+1)/3 }

// life visits pages until there were so many, and closes the frontier while others look
// into it.
func (l *looks) life(t *testing.T, opt frontier.Options, until int) {
	var err error
	if l.d, err = frontier.OpenTuned(l.path, opt, 10_000); err != nil {
		t.Fatal(err)
	}
	if _, err := l.d.Add(t.Context(), urls(killURL(0))...); err != nil {
		t.Fatal(err)
	}
	var crawl, looking sync.WaitGroup
	for w := range 4 {
		looking.Go(func() { l.look(t, w) })
		crawl.Go(func() { l.crawl(t, until) })
	}
	crawl.Wait()
	want := bare(statsOf(l.d))
	if err := l.d.Close(); err != nil {
		t.Error(err)
	}
	looking.Wait()
	if got := bare(l.d.Held()); got != want {
		t.Errorf("closed with %+v, before %+v", got, want)
	}
	if e, err := l.d.Explain(t.Context(), killURL(0)); e.State != frontier.Unknown || !errors.Is(err, frontier.ErrClosed) {
		t.Errorf("%v, %v", e.State, err)
	}
}

// crawl visits pages, each of which links to two others.
func (l *looks) crawl(t *testing.T, until int) {
	for l.visits.Add(1) <= int64(until) {
		req, err := l.d.Next(t.Context())
		if err != nil {
			t.Error(err)
			break
		}
		var host, dom, page int
		fmt.Sscanf(req.URL, "http://h%d.d%d.test/%d", &host, &dom, &page)
		var found []frontier.Request
		for m := 2*page + 1; m <= 2*page+2 && m < len(l.ended); m++ {
			found = append(found, frontier.Request{URL: killURL(m), Depth: m % 5, Priority: float64(m % 7)})
		}
		out := frontier.Outcome{Found: found}
		switch n := int(l.ended[page].Add(1)); {
		case n > looksOf(page):
			t.Errorf("%s was visited %d times", req.URL, n)
		case n < looksOf(page):
			out.Again = time.Now().Add(time.Duration(page%50) * time.Millisecond)
		}
		if err := l.d.Done(t.Context(), req, out); err != nil {
			t.Error(err)
			break
		}
	}
	l.visits.Add(-1)
}

// look does what others may do meanwhile, until the frontier is closed.
func (l *looks) look(t *testing.T, worker int) {
	rnd := rand.New(rand.NewPCG(uint64(worker), 1))
	for {
		n := rnd.IntN(len(l.ended))
		url := killURL(n)
		switch rnd.IntN(5) {
		case 0:
			if e, _ := l.d.Explain(context.Background(), url); e.State == frontier.Done && int(l.ended[n].Load()) < looksOf(n) {
				t.Errorf("%s is said to be done, and is not", url)
			}
		case 1:
			for r, err := range l.d.Pending(context.Background(), url) {
				if r.URL == "" && !errors.Is(err, frontier.ErrClosed) {
					t.Error("a request without a URL waits")
				}
			}
		case 2:
			for h, err := range l.d.Hosts(context.Background()) {
				if h.Name == "" && !errors.Is(err, frontier.ErrClosed) {
					t.Error("a host without a name")
				}
			}
		case 3:
			l.d.Stats(context.Background()) // or ErrClosed
			frontier.ReadStats(l.path)
		default:
			reqs := []frontier.Request{{URL: url, Priority: rnd.Float64()}, {URL: killURL(rnd.IntN(len(l.ended)))}}
			if _, err := l.d.Rescore(context.Background(), reqs...); err != nil {
				if !errors.Is(err, frontier.ErrClosed) {
					t.Error(err)
				}
				return
			}
		}
	}
}

// TestCloseNotesAll closes a frontier to which another goroutine adds: other processes
// read what it held in the end.
func TestCloseNotesAll(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	for round := range 20 {
		path := filepath.Join(dir, strconv.Itoa(round))
		d, err := frontier.Open(path, frontier.Options{SyncEvery: -1})
		if err != nil {
			t.Fatal(err)
		}
		var adding sync.WaitGroup
		first := make(chan struct{})
		adding.Go(func() {
			for n := 0; err == nil; n++ {
				if _, err = d.Add(context.Background(), urls(killURL(n))...); n == 0 {
					close(first)
				}
			}
		})
		<-first
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		adding.Wait()
		if got, _, err := frontier.ReadStats(path); err != nil || bare(got) != bare(d.Held()) {
			t.Fatalf("noted %+v, %v; held %+v", bare(got), err, bare(d.Held()))
		}
	}
}
