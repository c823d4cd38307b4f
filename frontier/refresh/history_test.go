package refresh

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// after visits a page n more times, a gap apart each.
func after(h History, n int, gap time.Duration, changed bool) History {
	for range n {
		h = h.Next(Visit{At: h.Last.Add(gap), Changed: changed})
	}
	return h
}

func TestHistoryCounts(t *testing.T) {
	t.Parallel()
	start := day(0)
	h := History{}.Next(Visit{At: start, Changed: true, Modified: start.Add(-aDay)})
	if h != (History{First: start, Last: start}) {
		t.Fatalf("the first visit says something: %+v", h)
	}
	h = after(h, 3, aDay, false)
	h = h.Next(Visit{At: h.Last.Add(aDay), Changed: true})
	if h.Visits != 4 || h.Changes != 1 || h.Dated != 0 || h.Quiet != 3*aDay {
		t.Fatalf("%+v", h)
	}
	near(t, "rate", h.Rate(), ByContent(4, 1, 4*aDay), 1e-12)
	h = after(History{}.Next(Visit{At: start}), 3, aDay, false)
	h = h.Next(Visit{At: h.Last.Add(aDay), Changed: true, Modified: h.Last.Add(aDay / 2)})
	if h.Dated != 1 || h.Quiet != 3*aDay+aDay/2 {
		t.Fatalf("%+v", h)
	}
	near(t, "rate by date", h.Rate(), ByLastModified(4, 1, 3*aDay+aDay/2), 1e-12)
}

func TestHistoryDoubtsDates(t *testing.T) {
	t.Parallel()
	h := after(History{}.Next(Visit{At: day(0)}), 1, aDay, false)
	now := h.Last.Add(aDay)
	for name, modified := range map[string]time.Time{
		"none": {}, "before the visit before": h.Last.Add(-time.Hour), "in the future": now.Add(time.Hour), "now": now, "a second ago": now.Add(-time.Second),
	} {
		if got := h.Next(Visit{At: now, Changed: true, Modified: modified}); got.Dated != 0 || got.Changes != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// Ten milliseconds ago is believable if the visit before was a second ago.
	quick := h.Last.Add(time.Second)
	if got := h.Next(Visit{At: quick, Changed: true, Modified: quick.Add(-20 * time.Millisecond)}); got.Dated != 1 {
		t.Errorf("short gap: %+v", got)
	}
}

func TestHistoryClockGoesBack(t *testing.T) {
	t.Parallel()
	h := after(History{}.Next(Visit{At: day(0)}), 5, aDay, true)
	back := h.Next(Visit{At: day(2), Changed: true})
	if back.Last != day(2) || back.Visits != h.Visits || back.seen != h.seen {
		t.Errorf("%+v", back)
	}
	if same := h.Next(Visit{At: h.Last, Changed: true}); same != h {
		t.Errorf("two visits at a time: %+v", same)
	}
	if back = h.Next(Visit{At: day(-9)}); back.First != back.Last {
		t.Errorf("the first visit came after the last: %+v", back)
	}
	far := History{}.Next(Visit{At: time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC)})
	far = far.Next(Visit{At: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), Changed: false})
	far = after(far, 5, math.MaxInt64, false)
	if far.Quiet != math.MaxInt64 || math.IsNaN(far.Rate()) || far.Rate() != 0 {
		t.Errorf("%+v, rate %v", far, far.Rate())
	}
}

// Whatever is told, evidence stays a number and within its bounds.
func TestEvidenceIsPossible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := History{}.Next(Visit{At: day(0)})
		prior := expected(math.Pow(10, rapid.Float64Range(-12, 3).Draw(t, "prior")))
		for range rapid.IntRange(1, 60).Draw(t, "visits") {
			gap := time.Duration(math.Pow(10, rapid.Float64Range(0, 18.9).Draw(t, "gap")))
			v := Visit{At: h.Last.Add(gap), Changed: rapid.Bool().Draw(t, "changed")}
			if rapid.Bool().Draw(t, "dated") {
				v.Modified = v.At.Add(-time.Duration(rapid.Float64Range(0, 1.1).Draw(t, "share") * float64(gap)))
			}
			h = h.next(v, prior)
			if !h.seen.possible() || h.seen.plus(prior).rate() <= 0 {
				t.Fatalf("%+v", h)
			}
		}
	})
}

// The gamma distribution that stands for what was seen keeps the mean that
// the true posterior has, found by summing it up over a grid of rates.
func TestEvidenceAgainstTheTruePosterior(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 2))
	for _, rate := range []float64{0.02, 0.3, 1, 3} {
		var ratio float64
		const pages = 50
		for range pages {
			prior := evidence{0.5, 0.5}
			e, logs := evidence{}, make([]float64, 400)
			at := func(i int) float64 { return math.Exp(float64(i)/400*math.Log(1e7)) * 1e-5 }
			for i := range logs {
				logs[i] = 0.5*math.Log(at(i)) - 0.5*at(i) // with the step of the grid as the density of log rate
			}
			for range 20 {
				gap := 0.05 + 2*rng.Float64()
				changed := rng.ExpFloat64() < rate*gap
				for i := range logs {
					if changed {
						logs[i] += math.Log(-math.Expm1(-at(i) * gap))
					} else {
						logs[i] -= at(i) * gap
					}
				}
				if changed {
					e = e.changed(gap, prior)
				} else {
					e.seconds += gap
				}
			}
			var sum, weighed float64
			top := math.Inf(-1)
			for _, l := range logs {
				top = max(top, l)
			}
			for i, l := range logs {
				sum += math.Exp(l - top)
				weighed += at(i) * math.Exp(l-top)
			}
			ratio += e.plus(prior).rate() / (weighed / sum) / pages
		}
		near(t, "estimate over true mean", ratio, 1, 0.03)
	}
}

// A page that wakes up after years is noticed within a few visits, and one that
// falls asleep too.
func TestHistoryFollowsAPage(t *testing.T) {
	t.Parallel()
	rate := func(h History) float64 { return h.seen.plus(expected(0)).rate() * 86400 }
	h := after(History{}.Next(Visit{At: day(0)}), 100, 30*aDay, false)
	if r := rate(h); r > 1e-3 {
		t.Fatalf("a page that never changed has rate %v", r)
	}
	if h = after(h, 6, aDay, true); rate(h) < 0.05 {
		t.Errorf("six changes on six days give %v a day", rate(h))
	}
	if h = after(h, 24, aDay, true); rate(h) < 0.4 {
		t.Errorf("a month of changes gives %v a day", rate(h))
	}
	busy := after(History{}.Next(Visit{At: day(0)}), 100, aDay, true)
	if asleep := after(busy, 10, 10*aDay, false); rate(asleep) > 0.25*rate(busy) {
		t.Errorf("100 days of sleep bring %v down to %v", rate(busy), rate(asleep))
	}
}
