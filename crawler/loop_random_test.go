package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// randomWeb is a web of two hosts where half of the pages are in some trouble: they
// fail, redirect, give way to others, in rings too, or link to what nobody takes.
func randomWeb(t testing.TB, seed uint64) *crawlertest.Web {
	t.Helper()
	w, err := crawlertest.Parse("-- http://a.test/robots.txt --\nHTTP 200\n\nUser-agent: *\nDisallow: /9\n")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	const n = 40
	url := func(i int) string { return fmt.Sprintf("http://%c.test/%d", 'a'+i%2, i) }
	for i := range n {
		var links strings.Builder
		for range 1 + r.IntN(4) {
			fmt.Fprintf(&links, "<a href='%s'>x</a>", url(r.IntN(n)))
		}
		to := url(r.IntN(n + 1))
		kind := r.IntN(30)
		if i == 0 {
			kind = 29
		}
		switch kind {
		case 0:
			w.Add(url(i), "HTTP 404\n\n"+links.String())
		case 1:
			w.Add(url(i), "HTTP 500\n\n")
		case 2:
			w.Add(url(i), "HTTP 500\n\n")
			w.Add(url(i), links.String())
		case 3:
			w.Add(url(i), "HTTP 200\nTest-Error: reset\n\n")
		case 4:
			w.Add(url(i), "HTTP 200\nTest-Wait: 20s\n\n"+links.String())
		case 5, 6:
			w.Add(url(i), redirectTo(to))
		case 7:
			w.Add(url(i), "<meta name=robots content=noindex>"+links.String())
		case 8, 9, 10, 11, 12:
			w.Add(url(i), "<link rel=canonical href='"+to+"'>"+links.String())
		case 13:
			w.Add(url(i), "<meta http-equiv=refresh content='0;url="+to+"'>")
		case 14:
			w.Add(url(i), links.String()+"<a href='http://www..a.test/x'>x</a><a href='http://bad.test/'>x</a>")
		case 15:
			w.Add(url(i), "<link rel=canonical href='http://bad.a.test/'>"+links.String())
		case 16:
			w.Add(url(i), redirectTo("http://bad.test/"))
		case 17: // a trap: each page has another name for itself, and leads on
			for k := range 5 {
				w.Add(fmt.Sprintf("%s?k=%d", url(i), k), fmt.Sprintf("<link rel=canonical href='%s?k=%d'>", url(i), k+1))
			}
			w.Add(url(i)+"?k=5", "HTTP 404\n\n")
			w.Add(url(i), links.String()+"<a href='?k=0'>x</a>")
		default:
			w.Add(url(i), links.String())
		}
	}
	w.Add("http://www..a.test/robots.txt", "HTTP 200\nTest-Error: no such host\n\n")
	w.Add(url(n), "HTTP 410\n\n")
	return w
}

// TestRandomWebs: the same pages are put, each once, whether one worker crawls
// or many, and whether they are interrupted, paused or neither. QUARRY_LONG=1 has it
// try 1,000 webs, some ten minutes:
//
//	QUARRY_LONG=1 go test -run TestRandomWebs -timeout 1h ./crawler
func TestRandomWebs(t *testing.T) {
	t.Parallel()
	seeds := uint64(40)
	switch {
	case os.Getenv("QUARRY_LONG") != "":
		seeds = 1000
	case testing.Short():
		seeds = 10
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			straight := crawlRandom(t, randomWeb(t, seed), 1, goOn)
			if got := crawlRandom(t, randomWeb(t, seed), 8, goOn); !slices.Equal(got, straight) {
				t.Errorf("seed %d: eight workers put %q, one %q", seed, got, straight)
			}
			if got := crawlRandom(t, randomWeb(t, seed), 3, pauseOften); !slices.Equal(got, straight) {
				t.Errorf("seed %d: paused: put %q, want %q", seed, got, straight)
			}
			for first := 700 * time.Millisecond; first < 40*time.Second; first *= 5 {
				if got := crawlRandom(t, randomWeb(t, seed), 3, interruptAfter(first)); !slices.Equal(got, straight) {
					t.Errorf("seed %d: interrupted after %v: put %q, want %q", seed, first, got, straight)
				}
			}
			r := rand.New(rand.NewPCG(seed, 1))
			for times := 1; times <= 5; times += 2 {
				if got := crawlRandom(t, randomWeb(t, seed), 2, interruptAtRandom(r, times)); !slices.Equal(got, straight) {
					t.Errorf("seed %d: interrupted %d times: put %q, want %q", seed, times, got, straight)
				}
			}
		})
	}
}

// interruptAtRandom ends as many runs, each within a minute.
func interruptAtRandom(r *rand.Rand, times int) disturbance {
	return func(t testing.TB, n int) (context.Context, context.CancelFunc) {
		if n >= times {
			return context.WithCancel(t.Context())
		}
		return context.WithTimeoutCause(t.Context(), time.Duration(r.Int64N(int64(time.Minute)/int64(1+r.IntN(6)))), errEnough)
	}
}

// A disturbance returns the context of the nth run.
type disturbance func(t testing.TB, n int) (context.Context, context.CancelFunc)

var errEnough = errors.New("enough")

func goOn(t testing.TB, _ int) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

// interruptAfter ends a run, each time a little later, so that in the end there
// is time for the slowest page.
func interruptAfter(first time.Duration) disturbance {
	return func(t testing.TB, n int) (context.Context, context.CancelFunc) {
		return context.WithTimeoutCause(t.Context(), first+time.Duration(n)*300*time.Millisecond, errEnough)
	}
}

func pauseOften(t testing.TB, _ int) (context.Context, context.CancelFunc) {
	control := new(live.Control)
	ctx, cancel := context.WithCancel(live.With(t.Context(), control))
	go func() {
		for ctx.Err() == nil {
			time.Sleep(1300 * time.Millisecond)
			control.Pause()
			time.Sleep(700 * time.Millisecond)
			control.Resume()
		}
	}()
	return ctx, cancel
}

// twoRuns is a number of workers that has two runs at once on one Frontier.
const twoRuns = 2

// crawlRandom returns the URLs of the pages put, sorted. The plug-ins stay from run to run.
func crawlRandom(t testing.TB, w *crawlertest.Web, workers int, disturb disturbance, with ...Plugin) []string {
	t.Helper()
	horizon := time.Duration(-1)
	if len(with) > 0 {
		horizon = time.Hour // they may have pages come again, for ever
	}
	front := refusing{frontier.New(frontier.Options{Horizon: horizon}), 0}
	defer front.Close()
	var mu sync.Mutex
	var put []string
	c := Crawler{UserAgent: testAgent, Frontier: front, Fetcher: &HTTP{UserAgent: testAgent, Transport: w}, Workers: workers, Follow: anywhere, Plugins: with,
		Sink: Pages(func(_ context.Context, p *Page) error {
			mu.Lock()
			defer mu.Unlock()
			put = append(put, p.URL)
			return nil
		})}
	for n := 0; ; n++ {
		ctx, cancel := disturb(t, n)
		var other error
		var also sync.WaitGroup
		if workers == twoRuns { // by a run that knows nothing of what this one has seen
			also.Go(func() { other = c.Run(ctx, "http://a.test/0") })
		}
		err := c.Run(ctx, "http://a.test/0")
		also.Wait()
		err = cmp.Or(other, err)
		cancel()
		if err == nil {
			break
		}
		if err != errEnough {
			t.Fatal(err)
		}
	}
	slices.Sort(put)
	if len(slices.Compact(slices.Clone(put))) != len(put) {
		t.Errorf("put twice: %q", put)
	}
	return put
}
