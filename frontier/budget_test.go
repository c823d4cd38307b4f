package frontier_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestBudgets visits a host of ten pages, two of which are in trouble, until it
// is drained.
func TestBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		budget frontier.HostBudget
		visits int
		reason string
	}{
		"none":     {frontier.HostBudget{}, 10, ""},
		"pages":    {frontier.HostBudget{Pages: 4}, 4, "budget of pages"},
		"bytes":    {frontier.HostBudget{Bytes: 501}, 6, "budget of bytes"},
		"errors":   {frontier.HostBudget{Errors: 2}, 7, "budget of errors"},
		"failures": {frontier.HostBudget{Failures: 1, Parks: -1}, 3, "keeps failing"},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, frontier.Options{Limits: frontier.Limits{Budget: c.budget}}, func(t *testing.T, f frontier.Frontier) {
				for i := range 10 {
					add(t, f, fmt.Sprintf("http://a.test/%d", i))
				}
				visits := 0
				for ; ; visits++ {
					req, err := f.Next(t.Context())
					if errors.Is(err, frontier.ErrDrained) {
						break
					}
					out := frontier.Outcome{Bytes: 100}
					if visits == 2 || visits == 6 {
						out.Trouble = frontier.Failed
					}
					if f.Done(t.Context(), req, out) != nil || err != nil {
						t.Fatal(err)
					}
				}
				add(t, f, "http://a.test/new", "http://b.test/")
				want := frontier.Stats{Seen: 12, Queued: 2, Done: 10, Hosts: 2}
				if c.reason != "" {
					want.Queued, want.Done, want.Dropped, want.Hosts = 1, c.visits, 11-c.visits, 1
				}
				stats := statsOf(f)
				x := bare(stats)
				if stats.States.Dropped != min(want.Dropped, 1) {
					t.Errorf("%d hosts are dropped", stats.States.Dropped)
				}
				why := explained(f, "http://a.test/new")
				if visits != c.visits || x != want || why.Host.Reason != c.reason || (why.State == frontier.Dropped) != (c.reason != "") {
					t.Errorf("%d visits, %+v, %+v; want %d, %+v, %q", visits, x, why, c.visits, want, c.reason)
				}
			})
		})
	}
}

// TestParked has a host that fails again and again, through restarts: it is left
// alone for a while three times, and then for good.
func TestParked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		opt := frontier.Options{SyncEvery: -1, Horizon: -1, Limits: frontier.Limits{Budget: frontier.HostBudget{Failures: 2}}}
		var starts []time.Duration
		began := time.Now()
		for i := range 9 {
			d, err := frontier.Open(dir, opt)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				add(t, d, "http://a.test/", "http://a.test/other")
			}
			req, err := d.Next(t.Context())
			if i == 8 {
				if x := explained(d, "http://a.test/other"); !errors.Is(err, frontier.ErrDrained) || x.State != frontier.Dropped || x.Host.Parked != 4 {
					t.Errorf("%v, %+v", err, x)
				}
				d.Close()
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			starts = append(starts, time.Since(began).Truncate(time.Minute))
			if err := d.Done(t.Context(), req, frontier.Outcome{Trouble: frontier.Failed, Again: time.Now()}); err != nil {
				t.Fatal(err)
			}
			if i%2 == 1 {
				if err := d.Compact(); err != nil {
					t.Fatal(err)
				}
			}
			d.Close()
		}
		h := time.Hour
		if want := []time.Duration{0, 0, h, h, 2 * h, 2 * h, 3 * h, 3 * h}; fmt.Sprint(starts) != fmt.Sprint(want) {
			t.Errorf("visits at %v, want %v", starts, want)
		}
	})
}
