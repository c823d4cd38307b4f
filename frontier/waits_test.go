package frontier_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// looker is what Memory and Disk offer to those who ask.
type looker interface {
	frontier.Frontier
	frontier.Inspector
	frontier.Locator
}

// TestExplainLimits has a URL wait for each limit and clock that is not its own.
func TestExplainLimits(t *testing.T) {
	addr := netip.MustParseAddr("192.0.2.1")
	const one, two = "http://a.x.test/1", "http://a.x.test/2"
	located := func(t *testing.T, f looker) {
		add(t, f, one, "http://b.y.test/1")
		for _, u := range []string{one, "http://b.y.test/1"} {
			if _, err := f.Locate(t.Context(), u, addr); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		limits  frontier.Limits
		out     frontier.Outcome
		prepare func(t *testing.T, f looker)
		url     string
		leased  frontier.Wait // while the first is being visited
		due     time.Duration
		done    frontier.Wait // afterwards
		rest    time.Duration
	}{
		"host": {
			limits: frontier.Limits{Delay: 2 * time.Second}, url: two,
			leased: frontier.ForHostClock, due: 2 * time.Second, done: frontier.ForHostClock, rest: time.Second,
		},
		"park": {
			limits: frontier.Limits{Delay: -1, Budget: frontier.HostBudget{Failures: 1, ParkFor: time.Hour}}, url: two,
			out: frontier.Outcome{Trouble: frontier.Failed}, leased: frontier.ForHostVisits, done: frontier.ForPark, rest: time.Hour,
		},
		"share": {
			limits: frontier.Limits{Delay: -1, PerHost: -1, Budget: frontier.HostBudget{Share: 0.25, Of: 4}}, url: two,
			leased: frontier.ForShare,
		},
		"domain": {
			limits:  frontier.Limits{PerDomain: 1, Delay: -1, DomainDelay: 3 * time.Second},
			prepare: func(t *testing.T, f looker) { add(t, f, one, "http://b.x.test/1") }, url: "http://b.x.test/1",
			leased: frontier.ForDomainVisits, due: 3 * time.Second, done: frontier.ForDomainClock, rest: 2 * time.Second,
		},
		"address": {
			limits: frontier.Limits{PerIP: 1, Delay: -1, IPDelay: 4 * time.Second}, prepare: located, url: "http://b.y.test/1",
			out: frontier.Outcome{Addr: addr}, leased: frontier.ForAddrVisits, due: 4 * time.Second, done: frontier.ForAddrClock, rest: 3 * time.Second,
		},
		"global": {
			limits:  frontier.Limits{Global: 1, Delay: -1},
			prepare: func(t *testing.T, f looker) { add(t, f, one, "http://b.y.test/1") }, url: "http://b.y.test/1",
			leased: frontier.ForAllVisits,
		},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, frontier.Options{Limits: c.limits}, func(t *testing.T, x frontier.Frontier) {
				f := x.(looker)
				if c.prepare == nil {
					c.prepare = func(t *testing.T, f looker) { add(t, f, one, two) }
				}
				c.prepare(t, f)
				req := next(t, f)
				if req.URL != one {
					t.Fatalf("leased %s first", req.URL)
				}
				waits(t, f, c.url, c.leased, c.due, 0)
				if c.done == "" {
					return
				}
				time.Sleep(time.Second)
				if err := f.Done(t.Context(), req, c.out); err != nil {
					t.Fatal(err)
				}
				waits(t, f, c.url, c.done, c.rest, 0)
				time.Sleep(c.rest)
				if req := next(t, f); req.URL != c.url {
					t.Errorf("leased %s, want %s", req.URL, c.url)
				}
			})
		})
	}
}

// TestParkedStats counts a host as parked as long as it is.
func TestParkedStats(t *testing.T) {
	opt := frontier.Options{Limits: frontier.Limits{Delay: -1, Budget: frontier.HostBudget{Failures: 1, ParkFor: time.Minute}}}
	both(t, opt, func(t *testing.T, x frontier.Frontier) {
		f := x.(looker)
		add(t, f, "http://a.test/1", "http://a.test/2", "http://b.test/1")
		counts := func(ready, waiting, parked int) {
			t.Helper()
			s := statsOf(f).States
			if want := (frontier.HostStats{Known: 2, Ready: ready, Waiting: waiting, Parked: parked}); s != want {
				t.Errorf("%+v, want %+v", s, want)
			}
		}
		counts(2, 0, 0)
		req := next(t, f)
		if err := f.Done(t.Context(), req, frontier.Outcome{Trouble: frontier.Failed, Again: time.Now()}); err != nil {
			t.Fatal(err)
		}
		counts(1, 1, 1)
		time.Sleep(time.Minute - time.Nanosecond)
		counts(1, 1, 1)
		time.Sleep(time.Nanosecond)
		next(t, f)
		next(t, f)
		counts(0, 0, 0)
	})
}

// TestRates counts over a second, over ten, and over the latest minute.
func TestRates(t *testing.T) {
	both(t, frontier.Options{Limits: benchLimits, Horizon: -1}, func(t *testing.T, x frontier.Frontier) {
		f := x.(looker)
		rates := func(adds, visits float64) {
			t.Helper()
			if s := statsOf(f); s.AddRate != adds || s.VisitRate != visits {
				t.Errorf("%v new URLs and %v visits a second, want %v and %v", s.AddRate, s.VisitRate, adds, visits)
			}
		}
		rates(0, 0)
		flatAdd(t, f, 0, 30)
		rates(30, 0)
		time.Sleep(9 * time.Second)
		rates(3, 0)
		flatVisit(t, f, 20)
		rates(3, 2)
		time.Sleep(51 * time.Second) // what was added is a minute old
		rates(0, 20./60)
		flatAdd(t, f, 30, 60)
		rates(1, 20./60)
		time.Sleep(time.Hour)
		rates(0, 0)
	})
}
