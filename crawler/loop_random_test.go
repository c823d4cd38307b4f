package crawler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

// randomWeb is a web of two hosts where a third of the pages is in some trouble.
func randomWeb(t testing.TB, seed uint64, aliases bool) *crawlertest.Web {
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
		to := url(i + 1 + r.IntN(n-i))
		kind := r.IntN(24)
		if i == 0 {
			kind = 23
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
		case 5:
			w.Add(url(i), redirectTo(url(r.IntN(n))))
		case 6:
			w.Add(url(i), "<meta name=robots content=noindex>"+links.String())
		case 7, 8, 9:
			if aliases {
				w.Add(url(i), "<link rel=canonical href='"+to+"'>"+links.String())
				break
			}
			fallthrough
		default:
			w.Add(url(i), links.String())
		}
	}
	w.Add(url(n), "HTTP 410\n\n")
	return w
}

// TestRandomWebs: the same pages are put, each once, whether one worker crawls
// or many, and whether they are interrupted, paused or neither.
func TestRandomWebs(t *testing.T) {
	t.Parallel()
	seeds := uint64(40)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			straight := crawlRandom(t, randomWeb(t, seed, true), 1, goOn)
			if got := crawlRandom(t, randomWeb(t, seed, true), 8, goOn); !slices.Equal(got, straight) {
				t.Errorf("seed %d: eight workers put %q, one %q", seed, got, straight)
			}
			if got := crawlRandom(t, randomWeb(t, seed, true), 3, pauseOften); !slices.Equal(got, straight) {
				t.Errorf("seed %d: paused: put %q, want %q", seed, got, straight)
			}
			straight = crawlRandom(t, randomWeb(t, seed, false), 3, goOn)
			for first := 700 * time.Millisecond; first < 40*time.Second; first *= 5 {
				if got := crawlRandom(t, randomWeb(t, seed, false), 3, interruptAfter(first)); !slices.Equal(got, straight) {
					t.Errorf("seed %d: interrupted after %v: put %q, want %q", seed, first, got, straight)
				}
			}
		})
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

// crawlRandom returns the URLs of the pages put, sorted.
func crawlRandom(t testing.TB, w *crawlertest.Web, workers int, disturb disturbance) []string {
	t.Helper()
	front := frontier.New(frontier.Options{Horizon: -1})
	defer front.Close()
	var mu sync.Mutex
	var put []string
	c := Crawler{UserAgent: testAgent, Frontier: front, Fetcher: &HTTP{UserAgent: testAgent, Transport: w}, Workers: workers, Follow: anywhere,
		Sink: SinkFunc(func(_ context.Context, p *Page) error {
			mu.Lock()
			defer mu.Unlock()
			put = append(put, p.URL)
			return nil
		})}
	for n := 0; ; n++ {
		ctx, cancel := disturb(t, n)
		err := c.Run(ctx, "http://a.test/0")
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
