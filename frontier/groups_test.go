package frontier_test

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// shared has fifty hosts of as many domains, each with so many pages, visited by
// sixty workers, and returns the most visits at a time and how long all took. The
// address is learned in a first round in which every host is visited alone.
func shared(t *testing.T, f frontier.Frontier, addr netip.Addr) (most int, took time.Duration) {
	t.Helper()
	const hosts, pages = 50, 4
	for h := range hosts {
		add(t, f, fmt.Sprintf("http://h%d.test/", h))
		if err := f.Done(t.Context(), next(t, f), frontier.Outcome{Addr: addr}); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(900 * time.Millisecond) // no host is forgotten, no clock has run out
	for h := range hosts {
		for p := range pages {
			add(t, f, fmt.Sprintf("http://h%d.test/%d", h, p))
		}
	}
	var mu sync.Mutex
	open, start := 0, time.Now()
	var wg sync.WaitGroup
	for range 60 {
		wg.Go(func() {
			for {
				req, err := f.Next(t.Context())
				if err != nil {
					return
				}
				mu.Lock()
				open++
				most = max(most, open)
				mu.Unlock()
				time.Sleep(100 * time.Millisecond)
				mu.Lock()
				open--
				mu.Unlock()
				f.Done(t.Context(), req, frontier.Outcome{Addr: addr})
			}
		})
	}
	wg.Wait()
	return most, time.Since(start)
}

func TestManyHostsOfOneAddress(t *testing.T) {
	both(t, frontier.Options{Limits: frontier.Limits{PerIP: 2}}, func(t *testing.T, f frontier.Frontier) {
		most, took := shared(t, f, netip.MustParseAddr("192.0.2.1"))
		if want := 10*time.Second + 100*time.Millisecond; most != 2 || took > want {
			t.Errorf("%d visits at a time in %v, want 2 in %v", most, took, want)
		}
	})
}

func TestExemptAddress(t *testing.T) {
	limits := frontier.Limits{PerIP: 2, Exempt: []string{"192.0.2.0/24"}}
	both(t, frontier.Options{Limits: limits}, func(t *testing.T, f frontier.Frontier) {
		if most, took := shared(t, f, netip.MustParseAddr("192.0.2.1")); most != 50 || took > 4*time.Second {
			t.Errorf("%d visits at a time in %v, want 50", most, took)
		}
	})
}

func TestDelayOfAddress(t *testing.T) {
	both(t, frontier.Options{Limits: frontier.Limits{IPDelay: 200 * time.Millisecond}}, func(t *testing.T, f frontier.Frontier) {
		_, took := shared(t, f, netip.MustParseAddr("::ffff:192.0.2.1"))
		if want := 200 * 200 * time.Millisecond; took < want-200*time.Millisecond || took > want+time.Second {
			t.Errorf("took %v, want %v", took, want)
		}
	})
}

func TestExemptDomain(t *testing.T) {
	limits := frontier.Limits{PerDomain: 1, Exempt: []string{"Shop.example."}}
	both(t, frontier.Options{Limits: limits}, func(t *testing.T, f frontier.Frontier) {
		add(t, f, "http://a.shop.example/", "http://b.shop.example/", "http://a.other.example/", "http://b.other.example/")
		for range 3 {
			next(t, f)
		}
		none(t, f, time.Minute)
	})
}

// TestAddressSurvives opens a folder again: the addresses of its hosts are known,
// from the log and from a state.
func TestAddressSurvives(t *testing.T) {
	t.Parallel()
	for _, compact := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			dir, opt := t.TempDir(), frontier.Options{Limits: frontier.Limits{PerIP: 1}, SyncEvery: -1}
			d, err := frontier.Open(dir, opt)
			if err != nil {
				t.Fatal(err)
			}
			addr := netip.MustParseAddr("2001:db8::1")
			for _, h := range []string{"a", "b"} {
				add(t, d, "http://"+h+".test/1")
				d.Done(t.Context(), next(t, d), frontier.Outcome{Addr: addr, Took: time.Millisecond})
				add(t, d, "http://"+h+".test/2")
			}
			if compact {
				if err := d.Compact(); err != nil {
					t.Fatal(err)
				}
			}
			d.Close()
			if d, err = frontier.Open(dir, opt); err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if x := explained(d, "http://b.test/2").Host; x.Addr != addr || x.Visits != 1 {
				t.Errorf("after opening again: %+v", x)
			}
			time.Sleep(time.Second)
			next(t, d)
			none(t, d, time.Minute)
		})
	}
}
