package crawler

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestLargeBodyLeavesLittle: to read a large body takes its size twice at most.
func TestLargeBodyLeavesLittle(t *testing.T) { // not parallel: it counts what all allocate
	const size = 8 << 20
	h := &HTTP{UserAgent: testAgent, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		body := io.NopCloser(io.LimitReader(zeros{}, 1<<40))
		return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Request: r, Body: body}, nil
	})}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp, err := fetchURL(t, h, "http://a.test/")
	runtime.ReadMemStats(&after)
	if err != nil || len(resp.Body) != size || !resp.Truncated {
		t.Fatalf("%v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 2*size+1<<20 {
		t.Errorf("%d MiB allocated", n>>20)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestLargePagesWait: however many workers hold a large body, few are parsed at
// a time, and small ones do not wait for them.
func TestLargePagesWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "")
		c.Workers, c.IgnoreRobots = 64, true
		c.Frontier = frontier.New(frontier.Options{Limits: frontier.Limits{PerHost: 64, PerDomain: -1, Delay: -1}})
		sizes := []int{8 << 20, 8 << 20, 3 << 20, 3 << 20, 3 << 20, 3 << 20, 300 << 10, 100 << 20}
		c.Fetcher = FetcherFunc(func(_ context.Context, r frontier.Request) (*Response, error) {
			var n int
			fmt.Sscanf(r.URL, "http://a.test/%d", &n)
			if n >= len(sizes) {
				return &Response{Status: 200, Body: []byte("small")}, nil
			}
			return &Response{Status: 200, Body: make([]byte, sizes[n])}, nil
		})
		var now, most, small atomic.Int64
		start := time.Now()
		c.Parser = parserFunc(func(_ context.Context, r *Response) (*Page, error) {
			n := int64(len(r.Body))
			if n == 5 {
				if small.Add(1); time.Since(start) > time.Second {
					t.Errorf("%s waited", r.URL)
				}
				return &Page{}, nil
			}
			total := now.Add(n)
			for m := most.Load(); total > m && !most.CompareAndSwap(m, total); m = most.Load() {
			}
			time.Sleep(10 * time.Second)
			now.Add(-n)
			return &Page{}, nil
		})
		var seeds []string
		for n := range 30 {
			seeds = append(seeds, fmt.Sprintf("http://a.test/%d", n))
		}
		c.run(t, seeds...)
		if len(c.put) != 30 || small.Load() != 22 {
			t.Errorf("put %d pages", len(c.put))
		}
		if m := most.Load(); m != 100<<20 {
			t.Errorf("%d MiB were parsed at a time, the largest page has 100", m>>20)
		}
	})
}
