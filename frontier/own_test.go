package frontier_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestNoGap: limits that ask for n visits of a host at a time without a gap get
// them, however long the host takes to answer, on one name or on several of a domain.
func TestNoGap(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for name, tt := range map[string]struct {
		limits frontier.Limits
		hosts  int // of one domain and at one address
		most   int // visits at a time
	}{
		"per host":        {frontier.Limits{PerHost: 16, Delay: -1}, 1, 16},
		"above Global":    {frontier.Limits{PerHost: 300, Delay: -1}, 1, 300},
		"no limit":        {frontier.Limits{PerHost: -1, Delay: -1}, 1, 256},
		"several hosts":   {frontier.Limits{PerHost: 6, Delay: -1}, 3, 6},
		"domain given":    {frontier.Limits{PerHost: 6, PerDomain: 2, Delay: -1}, 3, 2},
		"address given":   {frontier.Limits{PerHost: 6, PerIP: 3, Delay: -1}, 3, 3},
		"one at a time":   {frontier.Limits{Delay: -1}, 1, 1},
		"own":             {frontier.OwnHost(16), 1, 16},
		"own, many":       {frontier.OwnHost(500), 1, 500},
		"own, no limit":   {frontier.OwnHost(-1), 1, 600},
		"own, none given": {frontier.OwnHost(0), 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, frontier.Options{Limits: tt.limits}, func(t *testing.T, f frontier.Frontier) {
				var us []string
				for i := range 600 + tt.hosts {
					us = append(us, fmt.Sprintf("http://h%d.site.test/%d", i%tt.hosts, i))
				}
				add(t, f, us...)
				out := frontier.Outcome{Took: 100 * time.Millisecond, Addr: netip.MustParseAddr("192.0.2.9")}
				for range tt.hosts { // the host is known to take its time
					req := next(t, f)
					time.Sleep(out.Took)
					finish(t, f, req, out)
				}
				var open []frontier.Lease
				begun := time.Now()
				for range min(tt.most, 600) {
					open = append(open, next(t, f))
				}
				if took := time.Since(begun); took > 0 {
					t.Errorf("%d visits began within %v, want at once", len(open), took)
				}
				if tt.most < 600 {
					none(t, f, second)
				}
				finish(t, f, open[0], out)
				begun = time.Now()
				if tt.most < 600 {
					next(t, f)
				}
				if took := time.Since(begun); took > 0 {
					t.Errorf("the next visit of a host began %v after another had ended", took)
				}
			})
		})
	}
}

// TestFactorWithoutDelay: a Factor that is given holds also where Delay is none.
func TestFactorWithoutDelay(t *testing.T) {
	both(t, frontier.Options{Limits: frontier.Limits{Delay: -1, Factor: 3}}, func(t *testing.T, f frontier.Frontier) {
		add(t, f, "http://a.test/", "http://a.test/2")
		begun := time.Now()
		req := next(t, f)
		finish(t, f, req, frontier.Outcome{Took: time.Second})
		next(t, f)
		if took := time.Since(begun); took != 3*time.Second {
			t.Errorf("the second visit began after %v, want 3s", took)
		}
	})
}

func finish(t *testing.T, f frontier.Frontier, req frontier.Lease, out frontier.Outcome) {
	t.Helper()
	if err := f.Done(t.Context(), req, out); err != nil {
		t.Fatal(err)
	}
}
