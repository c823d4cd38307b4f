package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/durable"
)

// both runs a test in faked time for each kind of frontier.
func both(t *testing.T, opt frontier.Options, f func(t *testing.T, f frontier.Frontier)) {
	t.Parallel()
	opt.SyncEvery = -1
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { f(t, frontier.New(opt)) })
	})
	t.Run("disk", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d, err := frontier.Open(t.TempDir(), opt)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			f(t, d)
		})
	})
}

func add(t *testing.T, f frontier.Frontier, us ...string) {
	t.Helper()
	if n, err := f.Add(t.Context(), urls(us...)...); n != len(us) || err != nil {
		t.Fatalf("Add: %d, %v, want %d", n, err, len(us))
	}
}

func next(t *testing.T, f frontier.Frontier) frontier.Lease {
	t.Helper()
	req, err := f.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// none expects that nothing is leased for a while.
func none(t *testing.T, f frontier.Frontier, wait time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	if req, err := f.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Next: %+v, %v, want nothing for %v", req, err, wait)
	}
}

// TestManyRefusals has twenty visits of one host refused at once: the host rests
// once, for as long as was asked.
func TestManyRefusals(t *testing.T) {
	both(t, frontier.Options{Limits: frontier.Limits{PerHost: 20, PerDomain: -1, Delay: -1}}, func(t *testing.T, f frontier.Frontier) {
		for i := range 21 {
			add(t, f, fmt.Sprintf("http://a.test/%d", i))
		}
		var open []frontier.Lease
		for range 20 {
			open = append(open, next(t, f))
		}
		add(t, f, "http://b.test/", "http://c.test/")
		if req := next(t, f); req.URL != "http://b.test/" {
			t.Errorf("another host was held up by %s", req.URL)
		}
		for i, req := range open {
			req.Attempt++
			if err := f.Done(t.Context(), req, frontier.Outcome{Again: time.Now(), Delay: time.Minute - time.Duration(i)*time.Second}); err != nil {
				t.Fatal(err)
			}
		}
		start := time.Now()
		if req := next(t, f); req.URL != "http://c.test/" {
			t.Errorf("another host was held up by %s", req.URL)
		}
		next(t, f)
		if d := time.Since(start); d != time.Minute {
			t.Errorf("the host rested for %v, want 1m", d)
		}
	})
}

// TestParallelVisitsKeepGap leases several visits of one host at a time, spaced by
// the delay, and by what the host asks for once it does.
func TestParallelVisitsKeepGap(t *testing.T) {
	both(t, frontier.Options{Limits: frontier.Limits{PerHost: 3, Delay: 100 * time.Millisecond}}, func(t *testing.T, f frontier.Frontier) {
		start := time.Now()
		at := func(want time.Duration) frontier.Lease {
			t.Helper()
			req := next(t, f)
			if d := time.Since(start); d != want {
				t.Fatalf("%s after %v, want %v", req.URL, d, want)
			}
			return req
		}
		for i := range 9 {
			add(t, f, fmt.Sprintf("http://a.test/%d", i))
		}
		first := at(0)
		at(100 * time.Millisecond)
		at(200 * time.Millisecond)
		none(t, f, 300*time.Millisecond) // three are open
		f.Done(t.Context(), first, frontier.Outcome{Delay: time.Second})
		fourth := at(1500 * time.Millisecond)
		f.Done(t.Context(), fourth, frontier.Outcome{Delay: time.Second})
		fifth := at(2500 * time.Millisecond)
		f.Done(t.Context(), fifth, frontier.Outcome{})
		at(2600 * time.Millisecond)
	})
}

func TestNoLimits(t *testing.T) {
	limits := frontier.Limits{PerHost: -1, PerDomain: -1, Global: -1, Delay: -1, MaxDelay: -1}
	both(t, frontier.Options{Limits: limits, Horizon: -1}, func(t *testing.T, f frontier.Frontier) {
		start := time.Now()
		for i := range 1000 {
			add(t, f, fmt.Sprintf("http://a.test/%d", i))
		}
		for range 999 {
			next(t, f)
		}
		req := next(t, f)
		if d := time.Since(start); d != 0 {
			t.Errorf("took %v", d)
		}
		year := 365 * 24 * time.Hour
		if err := f.Done(t.Context(), req, frontier.Outcome{Again: start, Delay: year}); err != nil {
			t.Fatal(err)
		}
		next(t, f)
		if d := time.Since(start); d != year {
			t.Errorf("the host rested for %v, want a year", d)
		}
	})
}

func TestHorizonIsNoShorterThanDelay(t *testing.T) {
	both(t, frontier.Options{Limits: frontier.Limits{Delay: 2 * time.Hour}, Horizon: time.Millisecond}, func(t *testing.T, f frontier.Frontier) {
		add(t, f, "http://a.test/1", "http://a.test/2")
		start := time.Now()
		f.Done(t.Context(), next(t, f), frontier.Outcome{})
		f.Done(t.Context(), next(t, f), frontier.Outcome{})
		if d := time.Since(start); d != 2*time.Hour {
			t.Errorf("took %v", d)
		}
		if _, err := f.Next(t.Context()); !errors.Is(err, frontier.ErrDrained) {
			t.Errorf("Next: %v", err)
		}
	})
}

// TestManyHosts has a hundred thousand hosts, some of them with better links than
// the others, and sixty-four workers: no host is visited twice at a time, or
// sooner than it should be, and no worker is idle.
func TestManyHosts(t *testing.T) {
	both(t, frontier.Options{}, func(t *testing.T, f frontier.Frontier) {
		const hosts, workers, visits = 100_000 / few, 64, 20_000
		var reqs []frontier.Request
		for i := range hosts {
			reqs = append(reqs, frontier.Request{URL: fmt.Sprintf("http://h%d.test/1", i)})
			if i%100 == 0 {
				reqs = append(reqs,
					frontier.Request{URL: fmt.Sprintf("http://h%d.test/2", i), Priority: 1},
					frontier.Request{URL: fmt.Sprintf("http://h%d.test/3", i), Priority: 1})
			}
		}
		if n, err := f.Add(t.Context(), reqs...); n != len(reqs) || err != nil {
			t.Fatal(n, err)
		}
		start := time.Now()
		var mu sync.Mutex
		open, last, left := map[string]bool{}, map[string]time.Time{}, visits
		visit := func() bool {
			req, err := f.Next(t.Context())
			host := req.URL[:max(0, len(req.URL)-1)]
			mu.Lock()
			if open[host] || time.Since(last[host]) < time.Second || err != nil {
				t.Errorf("%s is being visited: %v, last was %v ago; %v", host, open[host], time.Since(last[host]), err)
			}
			open[host], last[host] = true, time.Now()
			left--
			more := left > 0
			mu.Unlock()
			time.Sleep(10 * time.Millisecond)
			mu.Lock()
			open[host] = false
			mu.Unlock()
			return f.Done(t.Context(), req, frontier.Outcome{}) == nil && more
		}
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for visit() {
				}
			})
		}
		wg.Wait()
		if took, best := time.Since(start), visits/workers*10*time.Millisecond; took > best+50*time.Millisecond {
			t.Errorf("took %v, want %v", took, best)
		}
		var again []int
		for i := range hosts / 100 {
			if !last[fmt.Sprintf("http://h%d.test/", 100*i)].After(start.Add(time.Second - time.Nanosecond)) {
				again = append(again, i)
			}
		}
		if len(again) > 0 {
			t.Errorf("%d hosts with better links were visited but once", len(again))
		}
	})
}

// TestSlowDisk has a disk that takes 300 ms for each write. A visit starts when
// Next returns, so that is where the gap is counted from.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := false
		d, err := frontier.OpenTuned(t.TempDir(), frontier.Options{}, 1<<30, func(op durable.Op) error {
			if slow && op.Kind == "write" {
				time.Sleep(300 * time.Millisecond)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		add(t, d, "http://a.test/1", "http://a.test/2", "http://a.test/3")
		slow = true
		req := next(t, d)
		began := time.Now()
		if err := d.Done(t.Context(), req, frontier.Outcome{}); err != nil {
			t.Fatal(err)
		}
		slow = false
		next(t, d)
		if gap := time.Since(began); gap != time.Second {
			t.Errorf("gap of %v, want 1s", gap)
		}
	})
}

// TestSyncTogether lets many workers wait for the disk: they share syncs.
func TestSyncTogether(t *testing.T) {
	t.Parallel()
	const workers, each = 50, 20
	var syncs, busy, working atomic.Int32
	d, err := frontier.OpenTuned(t.TempDir(), frontier.Options{}, 1<<30, func(op durable.Op) error {
		if op.Kind == "sync" {
			syncs.Add(1)
			for busy.Load() < working.Load() { // a slow disk: all are waiting for it before it is done
				runtime.Gosched()
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	working.Store(workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			defer working.Add(-1)
			for i := range each {
				busy.Add(1)
				if _, err := d.Add(t.Context(), urls(fmt.Sprintf("http://h%d.test/%d", w, i))...); err != nil {
					t.Error(err)
				}
				busy.Add(-1)
			}
		})
	}
	wg.Wait()
	if n := syncs.Load(); n > workers*each/2 {
		t.Errorf("%d syncs for %d steps", n, workers*each)
	}
}

// TestSyncInterval counts syncs: none before the interval is over, and one for
// all that came within it.
func TestSyncInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var syncs atomic.Int32
		d, err := frontier.OpenTuned(t.TempDir(), frontier.Options{SyncEvery: time.Second}, 1<<30, func(op durable.Op) error {
			if op.Kind == "sync" && strings.HasPrefix(op.Name, "log-") {
				syncs.Add(1)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		opened := syncs.Load()
		for i := range 10 {
			add(t, d, fmt.Sprintf("http://a.test/%d", i))
			time.Sleep(50 * time.Millisecond)
		}
		if n := syncs.Load(); n != opened {
			t.Errorf("%d syncs within the interval", n-opened)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := syncs.Load(); n != opened+1 {
			t.Errorf("%d syncs after the interval, want 1", n-opened)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
