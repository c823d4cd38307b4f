package frontier_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// watched is a frontier that tells what it holds.
type watched interface {
	frontier.Frontier
	frontier.Inspector
}

// outage visits a host that is away for so long, and returns when visits that did not
// reach it began, and how many others there were, until the frontier is drained.
func outage(t *testing.T, f frontier.Frontier, back time.Time) (probes []time.Duration, pages int) {
	t.Helper()
	begun := time.Now()
	for {
		req, err := f.Next(t.Context())
		if errors.Is(err, frontier.ErrDrained) {
			return probes, pages
		}
		if err != nil {
			t.Fatal(err)
		}
		out := frontier.Outcome{Took: 50 * time.Millisecond}
		if time.Now().Before(back) {
			probes = append(probes, time.Since(begun))
			out = frontier.Outcome{Trouble: frontier.Unreached, Again: time.Now()}
		} else {
			pages++
		}
		time.Sleep(50 * time.Millisecond)
		finish(t, f, req, out)
	}
}

// TestOutage: a host is away for a while; it gets a known number of visits meanwhile,
// and all of its pages are visited afterwards.
func TestOutage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		away        time.Duration
		least, most int // visits that do not reach it
	}{
		{time.Second, 1, 1},
		{time.Minute, 1, 1},
		{10 * time.Minute, 4, 4},
		{time.Hour, 6, 6},
		{24 * time.Hour, 29, 34},
	} {
		t.Run(tt.away.String(), func(t *testing.T) {
			both(t, frontier.Options{}, func(t *testing.T, f frontier.Frontier) {
				for i := range 30 {
					add(t, f, fmt.Sprintf("http://a.test/%d", i))
				}
				finish(t, f, next(t, f), frontier.Outcome{Took: time.Millisecond}) // it was there once
				time.Sleep(time.Second)
				probes, pages := outage(t, f, time.Now().Add(tt.away))
				if pages != 29 || len(probes) < tt.least || len(probes) > tt.most {
					t.Errorf("%d pages after %d visits that did not reach the host, want 29 after %d to %d", pages, len(probes), tt.least, tt.most)
				}
				want := time.Minute
				for i := range probes[1:] {
					gap := probes[i+1] - probes[i] - 50*time.Millisecond
					if gap < want || gap > want+want/5 {
						t.Errorf("visit %d begins %v after the one before, want %v to %v", i+2, gap, want, want+want/5)
					}
					want = min(2*want, 50*time.Minute)
				}
				if s := statsOf(f).States; s.Away != 0 || s.Parked != 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// TestOutageWithoutEnd: a host that does not come back is parked, and nothing of it is
// lost; in a folder that is opened again it is tried anew.
func TestOutageWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reached     bool
		least, most int
	}{
		"never reached": {false, 3, 4},
		"reached once":  {true, 31, 37},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				never := time.Now().AddDate(1, 0, 0)
				d := opened(t, dir)
				for i := range 30 {
					add(t, d, fmt.Sprintf("http://a.test/%d", i))
				}
				queued := 30
				if tt.reached {
					finish(t, d, next(t, d), frontier.Outcome{Took: time.Millisecond})
					time.Sleep(time.Second)
					queued--
				}
				for range 3 {
					begun := time.Now()
					probes, _ := outage(t, d, never)
					if len(probes) < tt.least || len(probes) > tt.most {
						t.Errorf("%d visits of a host that is away, want %d to %d", len(probes), tt.least, tt.most)
					}
					if took := time.Since(begun); tt.reached && took < 26*time.Hour {
						t.Errorf("parked after %v", took)
					}
					s, e := statsOf(d), explained(d, "http://a.test/29")
					if s.Queued != queued || s.States.Away != 1 || s.States.Parked != 1 || e.Host.State != frontier.Parked || e.Waits != frontier.ForPark || e.Host.Missed == 0 {
						t.Errorf("parked: %+v, %+v", s, e)
					}
					if err := d.Close(); err != nil {
						t.Fatal(err)
					}
					d = opened(t, dir)
					if e := explained(d, "http://a.test/29"); e.Host.State != frontier.Away || time.Until(e.Host.Next) > time.Minute {
						t.Errorf("opened again: %+v", e.Host)
					}
				}
				if _, pages := outage(t, d, time.Now()); pages != queued {
					t.Errorf("%d pages once the host was back, want %d", pages, queued)
				}
				d.Close()
			})
		})
	}
}

func opened(t *testing.T, dir string) *frontier.Disk {
	t.Helper()
	d, err := frontier.Open(dir, frontier.Options{SyncEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestProbe: a host that is away is visited once at a time, whatever the limits, and
// as they say as soon as it was reached. Others are not held up.
func TestProbe(t *testing.T) {
	both(t, frontier.Options{Limits: frontier.OwnHost(8)}, func(t *testing.T, f frontier.Frontier) {
		var open []frontier.Lease
		for i := range 30 {
			add(t, f, fmt.Sprintf("http://a.test/%d", i))
		}
		for range 8 {
			open = append(open, next(t, f))
		}
		time.Sleep(time.Second)
		for _, req := range open { // all at once is once
			finish(t, f, req, frontier.Outcome{Trouble: frontier.Unreached, Again: time.Now()})
		}
		none(t, f, 59*time.Second)
		probe := next(t, f)
		none(t, f, time.Hour)
		add(t, f, "http://b.test/")
		finish(t, f, next(t, f), frontier.Outcome{})
		finish(t, f, probe, frontier.Outcome{Trouble: frontier.Failed, Again: time.Now()}) // it is broken, but there
		for range 8 {
			next(t, f)
		}
		none(t, f, time.Minute)
	})
}

// TestOutageLimits: rests and patience are what was asked for.
func TestOutageLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		limits frontier.Limits
		probes int
		lasts  time.Duration
	}{
		"short":     {frontier.Limits{Outage: frontier.Outage{Rest: time.Second, MaxRest: time.Second, WaitNew: time.Minute}}, 52, time.Minute},
		"at once":   {frontier.Limits{Outage: frontier.Outage{WaitNew: 1}}, 4, 7 * time.Minute},
		"max delay": {frontier.Limits{MaxDelay: 10 * time.Second}, 32, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, frontier.Options{Limits: tt.limits}, func(t *testing.T, f frontier.Frontier) {
				add(t, f, "http://a.test/")
				begun := time.Now()
				probes, _ := outage(t, f, begun.AddDate(1, 0, 0))
				if took := time.Since(begun); len(probes) < tt.probes*4/5 || len(probes) > tt.probes*6/5 || took < tt.lasts || took > tt.lasts*3/2 {
					t.Errorf("%d probes within %v, want about %d within %v", len(probes), took, tt.probes, tt.lasts)
				}
				if n := statsOf(f).Queued; n != 1 {
					t.Errorf("%d wait", n)
				}
			})
		})
	}
}

// TestParkedIsForgotten: a host that was given up, and of which nothing is left, is
// forgotten when its park is over, and counted as parked no more, whether or not anybody
// has asked meanwhile.
func TestParkedIsForgotten(t *testing.T) {
	both(t, frontier.Options{Horizon: -1}, func(t *testing.T, f frontier.Frontier) {
		for _, others := range []int{0, 1} {
			for i := range 5 * others { // their places are taken by others later on
				add(t, f, fmt.Sprintf("http://other%d.test/", i))
				finish(t, f, next(t, f), frontier.Outcome{})
			}
			add(t, f, fmt.Sprintf("http://away%d.test/", others))
			for n := range 4 {
				req := next(t, f)
				out := frontier.Outcome{Trouble: frontier.Unreached}
				if n < 3 {
					out.Again = time.Now()
				}
				time.Sleep(time.Minute)
				finish(t, f, req, out)
			}
			if s := statsOf(f).States; s.Parked != 1 || s.Away != 1 {
				t.Errorf("%+v, want one that is parked", s)
			}
			time.Sleep(72 * time.Hour)
			if _, err := f.Next(t.Context()); !errors.Is(err, frontier.ErrDrained) {
				t.Fatal(err)
			}
			if s := statsOf(f).States; s != (frontier.HostStats{}) {
				t.Errorf("%+v, want nothing", s)
			}
		}
	})
}

// TestWaitFor: four visits with their rests take as long as is waited, or seven minutes.
func TestWaitFor(t *testing.T) {
	t.Parallel()
	for d, rest := range map[time.Duration]time.Duration{
		-1: 0, 0: 0, 1: 1, 7 * time.Second: time.Second, 3 * time.Minute: 3 * time.Minute / 7, 7 * time.Minute: 0, time.Hour: 0,
	} {
		o := frontier.WaitFor(d)
		if o.Rest != rest || o.Wait != max(d, 1) || o.WaitNew != min(max(d, 1), 5*time.Minute) {
			t.Errorf("%v: %+v, want rests from %v", d, o, rest)
		}
	}
}
