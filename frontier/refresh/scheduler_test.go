package refresh

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Pages of six kinds, from never changing to 24 times a day, and a visit a day
// for each: the scheduler has to find out which is which. It is measured from
// the very first visit.
func TestSchedulerComesNearTheOptimum(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		perPage      float64 // visits a day
		days         float64
		dated        bool
		life         time.Duration
		least, spare float64
	}{
		{name: "a visit a day", perPage: 1, days: 150, least: 0.975, spare: 0.06},
		{name: "and dates", perPage: 1, days: 150, dated: true, least: 0.98, spare: 0.06},
		{name: "three visits a day", perPage: 3, days: 50, least: 0.985, spare: 0.06},
		{name: "expecting changes by the hour", perPage: 1, days: 100, life: time.Hour, least: 0.965, spare: 0.06},
		{name: "expecting none for years", perPage: 3, days: 50, life: 1000 * aDay, least: 0.98, spare: 0.06},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(1, 300, 0, 0.05, 0.2, 1, 5, 24)
			w.dated = c.dated
			r := w.crawl(&Scheduler{Life: c.life}, 300*c.perPage, c.days)
			if r.fresh < c.least*r.optimal || r.fresh < r.uniform {
				t.Errorf("freshness %.4f, that is %.4f of the optimum %.4f; uniform gives %.4f", r.fresh, r.fresh/r.optimal, r.optimal, r.uniform)
			}
			if math.Abs(r.used-1) > c.spare {
				t.Errorf("%.3f of the budget was used", r.used)
			}
		})
	}
}

// The other policies keep the budget too, and do what they are for.
func TestSchedulerPolicies(t *testing.T) {
	t.Parallel()
	fresh := map[string]float64{}
	for name, p := range map[string]Policy{"uniform": Uniform{}, "proportional": Proportional{}, "importance": Importance{}, "age": ByAge{}, "optimal": Optimal{}} {
		w := newWeb(2, 100, 0, 0.1, 1, 10)
		r := w.crawl(&Scheduler{Policy: p}, 200, 40)
		if math.Abs(r.used-1) > 0.08 {
			t.Errorf("%s: %.3f of the budget was used", name, r.used)
		}
		fresh[name] = r.fresh
		if name == "uniform" && math.Abs(r.fresh/r.uniform-1) > 0.03 {
			t.Errorf("uniform visits give %.3f, should be %.3f", r.fresh, r.uniform)
		}
	}
	if !(fresh["optimal"] > fresh["uniform"] && fresh["uniform"] > fresh["proportional"]) {
		t.Errorf("not in the order known from the paper: %v", fresh)
	}
}

func TestSchedulerPrefersWeight(t *testing.T) {
	t.Parallel()
	var s Scheduler
	heavy, light := History{}, History{}
	now, visits := day(0), [2]int{}
	due := [2]time.Time{now, now}
	s.PerSecond = 2.0 / 3600
	for now.Before(day(30)) {
		i := 0
		if due[1].Before(due[0]) {
			i = 1
		}
		now = due[i]
		v := Visit{At: now, Changed: visits[i]%2 == 1, Weight: []float64{9, 1}[i]}
		if visits[i]++; i == 0 {
			heavy, due[0] = s.Visit(heavy, v)
		} else {
			light, due[1] = s.Visit(light, v)
		}
	}
	if visits[0] < 2*visits[1] {
		t.Errorf("nine times the weight gets %d visits, the other page %d", visits[0], visits[1])
	}
}

// A crawl that goes on after a restart, with the price or without it, and with
// other budgets, keeps the budget again after a while.
func TestSchedulerRestarts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		resume bool
		perDay float64
		longer float64 // days
	}{{"resumed", true, 600, 10}, {"forgotten", false, 600, 30}, {"a third of the budget", true, 200, 30}, {"three times the budget", true, 1800, 10}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(3, 200, 0, 0.1, 1, 10)
			old := &Scheduler{}
			w.crawl(old, 600, 30)
			s := &Scheduler{PerSecond: 600.0 / 86400}
			if c.resume {
				if err := s.Resume(old.Price()); err != nil {
					t.Fatal(err)
				}
			}
			before := s.Price().Log
			s.Budget(c.perDay / 86400)
			if by := s.Price().Log - before; c.perDay < 600 && by < 0.5 || c.perDay > 600 && by > -0.5 {
				t.Errorf("another budget moves the price by e^%.2f", by)
			}
			visits := w.free(s, 30, 30+c.longer)
			if got := float64(visits) / (c.perDay * c.longer); math.Abs(got-1) > 0.15 {
				t.Errorf("%.3f of the budget was used", got)
			}
		})
	}
}

// With as many visits as it wants a scheduler wants those it has a budget for.
func TestSchedulerMeetsTheBudget(t *testing.T) {
	t.Parallel()
	for _, perDay := range []float64{100, 1000} {
		w := newWeb(6, 200, 0, 0.1, 1, 10)
		s := &Scheduler{}
		w.slots = 1e9
		w.crawl(s, perDay, 40)
		if got := float64(w.free(s, 40, 80)) / (40 * perDay); math.Abs(got-1) > 0.03 {
			t.Errorf("%.3f of the budget was used, %v visits a day", got, perDay)
		}
	}
}

// Where all pages have the longest interval there is, the price has nothing to
// do, and is where it should be when there is a budget again.
func TestSchedulerWakesUp(t *testing.T) {
	t.Parallel()
	w := newWeb(7, 50, 1)
	s := &Scheduler{Max: 5 * aDay}
	w.crawl(s, 50, 10)
	s.Budget(1e-9)
	w.free(s, 10, 300)
	s.Budget(50.0 / 86400)
	w.free(s, 300, 310) // each page comes once more as it was planned
	if got := float64(w.free(s, 310, 330)) / (20 * 50); math.Abs(got-1) > 0.2 {
		t.Errorf("%.3f of the budget was used after a long sleep", got)
	}
}

// Pages that are gone are not waited for: the others get their visits.
func TestSchedulerForgetsPagesThatAreGone(t *testing.T) {
	t.Parallel()
	w := newWeb(4, 300, 0.1, 1, 3)
	s := &Scheduler{}
	w.crawl(s, 600, 20)
	w.pages = w.pages[:100]
	w.free(s, 20, 30)
	if got := float64(w.free(s, 30, 40)) / 6000; math.Abs(got-1) > 0.1 {
		t.Errorf("%.3f of the budget was used for a third of the pages", got)
	}
	if n := s.Price().Pages; n < 50 || n > 200 {
		t.Errorf("100 pages are taken for %.0f", n)
	}
}

// Nor does it matter that the crawler was off for a month.
func TestSchedulerSleepsWell(t *testing.T) {
	t.Parallel()
	w := newWeb(8, 100, 0.1, 1, 3)
	s := &Scheduler{}
	w.crawl(s, 200, 20)
	before := s.Price().Log
	w.turn(s, 0, 50)
	if by := s.Price().Log - before; math.Abs(by) > 0.1 {
		t.Errorf("one visit after a month moves the price by e^%.2f", by)
	}
	// The same for a scheduler that knows nothing, and pages not seen for longer
	// than pages are left alone.
	var fresh Scheduler
	h, again := fresh.Visit(w.pages[1].History, Visit{At: day(2000), Changed: true})
	if due := again.Sub(h.Last); due > 95*aDay || fresh.Price().Log > 50 {
		t.Errorf("due in %v, price e^%.2f", due, fresh.Price().Log)
	}
}

// A crawler that is too slow makes visits late, which must not drive the price.
func TestSchedulerIsNotDrivenByLateness(t *testing.T) {
	t.Parallel()
	price := func(capacity float64) float64 {
		w := newWeb(5, 100, 0.1, 1, 3)
		s := &Scheduler{}
		w.slots = capacity
		w.crawl(s, 300, 40)
		return s.Price().Log
	}
	if full, half := price(300), price(150); math.Abs(full-half) > math.Ln2 {
		t.Errorf("the price is e^%.2f, and e^%.2f if only half the visits can be made", full, half)
	}
}

func TestSchedulerBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 5e-324, 1e-9, 1, 1e9, math.MaxFloat64}
		s := &Scheduler{
			Policy:    rapid.SampledFrom(append(policies(), nil)).Draw(t, "policy"),
			PerSecond: rapid.SampledFrom(odd).Draw(t, "budget"),
			Min:       rapid.SampledFrom([]time.Duration{0, -1, 1, time.Hour, math.MaxInt64}).Draw(t, "min"),
			Max:       rapid.SampledFrom([]time.Duration{0, -1, 1, time.Hour, math.MaxInt64}).Draw(t, "max"),
			Life:      rapid.SampledFrom([]time.Duration{0, -1, 1, math.MaxInt64}).Draw(t, "life"),
		}
		h, now := History{}, day(0)
		for range rapid.IntRange(1, 40).Draw(t, "visits") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int64{0, 1, -1, 1e9, -1e15, 1e17}).Draw(t, "step")))
			var again time.Time
			h, again = s.Visit(h, Visit{
				At: now, Changed: rapid.Bool().Draw(t, "changed"), Weight: rapid.SampledFrom(odd).Draw(t, "weight"),
				Modified: now.Add(time.Duration(rapid.SampledFrom([]int64{-1e18, -1e9, 0, 1e18}).Draw(t, "modified"))),
			})
			if d := again.Sub(now).Seconds(); d < min(s.min(), 1e9)*(1-1e-9) || d > s.max()*(1+1e-9) {
				t.Fatalf("due in %v, bounds %v to %v", d, s.min(), s.max())
			}
			if err := s.Price().check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// No interval is more than four times those before, so that a page is never
// given up for long by mistake.
func TestSchedulerStepsAreBounded(t *testing.T) {
	t.Parallel()
	s := &Scheduler{PerSecond: 1e-9, Max: 10000 * aDay} // wants no visits at all
	h, _ := s.Visit(History{}, Visit{At: day(0)})
	now := day(0.01)
	for range 20 {
		gap := now.Sub(h.Last)
		var again time.Time
		h, again = s.Visit(h, Visit{At: now, Changed: true})
		mean := h.Last.Sub(h.First) / time.Duration(h.Visits)
		if next := again.Sub(now); next > 4*max(gap, mean)+time.Second {
			t.Fatalf("after %v comes %v", gap, next)
		}
		now = again
	}
}

func TestResumeRefuses(t *testing.T) {
	t.Parallel()
	var s Scheduler
	good := Price{Log: 9, Slope: 1, Pages: 100}
	if err := s.Resume(good); err != nil || s.Price() != good {
		t.Fatalf("%v, %+v", err, s.Price())
	}
	for _, p := range []Price{{Log: math.NaN()}, {Slope: math.Inf(1)}, {Pages: -1}, {Log: 400}, {Pages: 5}, {Pages: 0.5, Slope: 1}, {Changes: -1}, {Seconds: math.NaN()}} {
		if err := s.Resume(p); err == nil || s.Price() != good {
			t.Errorf("%+v is accepted", p)
		}
	}
	if err := s.Resume(Price{}); err != nil {
		t.Errorf("a price that knows nothing: %v", err)
	}
}

func TestSchedulerByMany(t *testing.T) {
	t.Parallel()
	var s Scheduler
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 3))
			h, at := History{}, day(0)
			for range 200 {
				h, at = s.Visit(h, Visit{At: at, Changed: rng.IntN(2) == 0})
				s.Budget(1 + float64(i))
				_ = s.Price()
			}
		})
	}
	wg.Wait()
}

func BenchmarkVisit(b *testing.B) {
	s := &Scheduler{}
	h := after(History{}.Next(Visit{At: day(0)}), 10, aDay, true)
	v := Visit{At: h.Last.Add(aDay), Changed: true}
	for b.Loop() {
		s.Visit(h, v)
	}
}

// The figures of docs/guides/refresh.md, from the first visit on.
func BenchmarkFreshness(b *testing.B) {
	for _, visits := range []float64{0.3, 1, 3} {
		for _, days := range []float64{30, 100, 300} {
			b.Run(fmt.Sprintf("visits=%v/days=%v", visits, days), func(b *testing.B) {
				var sum result
				runs := 0.0
				for b.Loop() {
					w := newWeb(uint64(runs), 300, 0, 0.05, 0.2, 1, 5, 24)
					r := w.crawl(&Scheduler{}, 300*visits, days)
					sum.fresh, sum.uniform, sum.optimal, sum.used = sum.fresh+r.fresh, sum.uniform+r.uniform, sum.optimal+r.optimal, sum.used+r.used
					runs++
				}
				b.ReportMetric(sum.fresh/runs, "fresh")
				b.ReportMetric(sum.uniform/runs, "uniform")
				b.ReportMetric(sum.optimal/runs, "optimal")
				b.ReportMetric(sum.used/runs, "of-budget")
			})
		}
	}
}
