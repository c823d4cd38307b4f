package frontier_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// rest visits a URL of a host that has others queued, with this outcome, and
// returns how long it is until the next visit of the host may start.
func rest(t *testing.T, f frontier.Frontier, out frontier.Outcome) time.Duration {
	t.Helper()
	req := next(t, f)
	out.Again = time.Now()
	if err := f.Done(t.Context(), req, out); err != nil {
		t.Fatal(err)
	}
	return time.Until(explained(f, req.URL).Host.Next)
}

func expectRest(t *testing.T, f frontier.Frontier, out frontier.Outcome, least, most time.Duration) {
	t.Helper()
	if d := rest(t, f, out); d < least || d > most {
		t.Errorf("after %+v the host rests for %v, want %v to %v", out, d, least, most)
	}
}

func TestBackOff(t *testing.T) {
	both(t, frontier.Options{Horizon: -1}, func(t *testing.T, f frontier.Frontier) {
		add(t, f, "http://a.test/")
		refused, slow := frontier.Outcome{Trouble: frontier.Refused}, frontier.Outcome{Trouble: frontier.Slow}
		want := time.Minute
		for range 3 {
			expectRest(t, f, refused, want, want+want/5)
			want *= 2
		}
		expectRest(t, f, frontier.Outcome{}, time.Second, time.Second)
		expectRest(t, f, refused, want, want+want/5) // one visit that went well is not enough
		for range 24 {
			expectRest(t, f, frontier.Outcome{}, time.Second, time.Second)
		}
		expectRest(t, f, refused, 2*time.Minute, 2*time.Minute+24*time.Second) // four steps, three of them taken back
		expectRest(t, f, slow, 40*time.Second, 48*time.Second)
		expectRest(t, f, frontier.Outcome{Trouble: frontier.Failed, Delay: 5 * time.Second}, 5*time.Second, 5*time.Second)
		for range 12 {
			rest(t, f, refused)
		}
		day := 24 * time.Hour
		expectRest(t, f, refused, day, day)
		expectRest(t, f, slow, 5*time.Minute, 6*time.Minute)
	})
}

// TestRefusedTogether has twenty visits of a host refused at once: that is one
// step of its back-off.
func TestRefusedTogether(t *testing.T) {
	both(t, frontier.Options{Limits: frontier.Limits{PerHost: 20, PerDomain: -1, Delay: -1}}, func(t *testing.T, f frontier.Frontier) {
		var open []frontier.Lease
		for i := range 20 {
			add(t, f, fmt.Sprintf("http://a.test/%d", i))
			open = append(open, next(t, f))
		}
		for i, req := range open {
			time.Sleep(time.Duration(i) * time.Millisecond)
			if err := f.Done(t.Context(), req, frontier.Outcome{Trouble: frontier.Refused, Again: time.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		start := time.Now()
		expectRest(t, f, frontier.Outcome{Trouble: frontier.Refused}, 2*time.Minute, 144*time.Second)
		if d := time.Since(start); d < 59*time.Second || d > 72*time.Second {
			t.Errorf("the first rest was %v, want a minute", d)
		}
	})
}

func TestSlowHost(t *testing.T) {
	both(t, frontier.Options{}, func(t *testing.T, f frontier.Frontier) {
		add(t, f, "http://a.test/")
		took := func(d time.Duration) frontier.Outcome { return frontier.Outcome{Took: d} }
		expectRest(t, f, took(time.Millisecond), time.Second, time.Second)
		expectRest(t, f, took(4*time.Second), 1990*time.Millisecond, 2010*time.Millisecond) // a quarter of 4 s, twice
		expectRest(t, f, frontier.Outcome{}, 1990*time.Millisecond, 2010*time.Millisecond)
		for range 30 {
			rest(t, f, took(time.Minute))
		}
		expectRest(t, f, took(time.Minute), 30*time.Second, 30*time.Second)
	})
}

// TestBackOffSurvives opens a folder again, three times, once from a state.
func TestBackOffSurvives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, opt := t.TempDir(), frontier.Options{SyncEvery: -1}
		want := time.Minute
		for i := range 4 {
			d, err := frontier.Open(dir, opt)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				add(t, d, "http://a.test/")
			}
			start := time.Now()
			expectRest(t, d, frontier.Outcome{Trouble: frontier.Refused, Took: time.Hour}, want, want+want/5)
			if time.Since(start) < want/2 && i > 0 {
				t.Errorf("the host was visited %v after it was refused", time.Since(start))
			}
			want *= 2
			if i == 2 {
				if err := d.Compact(); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
