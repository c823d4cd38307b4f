package refresh

import (
	"math"
	"testing"
	"time"
)

// take asks for visits for some seconds, and counts what they were for.
func take(s *Split, from time.Time, seconds int, discover, refresh bool) (found, again int) {
	end := from.Add(time.Duration(seconds) * time.Second)
	for now := from; now.Before(end); {
		turn, at := s.Turn(now, discover, refresh)
		switch turn {
		case Discover:
			found++
		case Revisit:
			again++
		default:
			if !at.After(now) {
				return found, again // there is nothing to wait for
			}
		}
		now = at
	}
	return found, again
}

func TestSplitShares(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]float64{0: 0.5, 0.25: 0.25, 0.9: 0.9, 1: 1, 7: 1, -1: 0, math.Inf(1): 1} {
		s := &Split{PerSecond: 10, Refresh: share}
		found, again := take(s, day(0), 100, true, true)
		if total := found + again; total < 999 || total > 1011 {
			t.Errorf("share %v: %d visits of 1000", share, total)
		}
		if got := float64(again) / float64(found+again); math.Abs(got-want) > 0.01 {
			t.Errorf("share %v: %v of the visits are for refreshing", share, got)
		}
		near(t, "what is left", s.Left(), 10*max(want, 0.01), 0.03)
	}
}

// What one side leaves the other gets, and it is not made up for.
func TestSplitLeavesNothing(t *testing.T) {
	t.Parallel()
	s := &Split{PerSecond: 10, Refresh: 0.2}
	if found, again := take(s, day(0), 100, true, false); found < 999 || again != 0 {
		t.Errorf("%d, %d", found, again)
	}
	near(t, "left while discovering", s.Left(), 2, 0.03)
	if found, again := take(s, day(1), 100, false, true); found != 0 || again < 999 {
		t.Errorf("%d, %d", found, again)
	}
	near(t, "left when all is found", s.Left(), 10, 0.01)
	if _, again := take(s, day(2), 100, true, true); math.Abs(float64(again)-200) > 5 {
		t.Errorf("%d of 1000 visits make up for what was not wanted", again)
	}
	if turn, at := s.Turn(day(3), false, false); turn != Wait || at.Before(day(3)) {
		t.Errorf("nothing to do: %v at %v", turn, at)
	}
}

func TestSplitPaces(t *testing.T) {
	t.Parallel()
	s := &Split{PerSecond: 10}
	take(s, day(0), 10, true, true)
	// After a night there is a burst of a few, not of a night's visits.
	burst := 0
	for {
		turn, at := s.Turn(day(1), true, true)
		if turn == Wait {
			if at.Sub(day(1)) > 100*time.Millisecond {
				t.Errorf("the next visit is in %v", at.Sub(day(1)))
			}
			break
		}
		burst++
	}
	if burst < 1 || burst > 11 {
		t.Errorf("%d visits at once", burst)
	}
}

func TestSplitOddBudgets(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []float64{0, -1, math.NaN(), math.Inf(1), 5e-324, math.MaxFloat64} {
		s := &Split{PerSecond: perSecond, Refresh: math.NaN()}
		for range 10 {
			if turn, at := s.Turn(day(0), true, true); turn == Wait && !at.After(day(0)) {
				t.Errorf("budget %v: wait until %v", perSecond, at)
			}
		}
		if l := s.Left(); !(l > 0) {
			t.Errorf("budget %v leaves %v", perSecond, l)
		}
	}
	var zero Split
	if found, again := take(&zero, day(0), 100, true, true); found+again < 99 || found+again > 111 {
		t.Errorf("the zero value gives %d visits in 100 s", found+again)
	}
}

func TestSplitMade(t *testing.T) {
	t.Parallel()
	s := &Split{PerSecond: 10, Refresh: 0.3}
	for range 1000 {
		s.Made(Discover)
	}
	if left := s.Left(); left != 3 {
		t.Errorf("while there is much to discover %v, want 3", left)
	}
	for range 1000 {
		s.Made(Revisit)
	}
	if left := s.Left(); left < 9.9 {
		t.Errorf("with nothing to discover %v, want 10", left)
	}
}
