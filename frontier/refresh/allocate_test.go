package refresh

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// pagesOf draws pages with rates over six orders of magnitude.
func pagesOf(t *rapid.T, most int) []Page {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Page {
		p := Page{
			Rate:   math.Pow(10, rapid.Float64Range(-8, -2).Draw(t, "rate")),
			Weight: math.Pow(10, rapid.Float64Range(-1, 1).Draw(t, "weight")),
		}
		if rapid.IntRange(0, 9).Draw(t, "static") == 0 {
			p.Rate = 0
		}
		return p
	}), 1, most).Draw(t, "pages")
}

// worth is what a plan makes of pages: freshness, weighted.
func worth(pages []Page, intervals []float64) (sum float64) {
	for i, p := range pages {
		if p.Rate == 0 || !math.IsInf(intervals[i], 1) { // else it is never fresh, nor counts the end of time
			sum += p.Weight * MeanFresh(p.Rate, duration(intervals[i]))
		}
	}
	return sum
}

func lateness(pages []Page, intervals []float64) (sum float64) {
	for i, p := range pages {
		sum += p.Weight * MeanAge(p.Rate, duration(intervals[i])).Seconds()
	}
	return sum
}

func spending(intervals []float64) (perSecond float64) {
	for _, s := range intervals {
		perSecond += 1 / s
	}
	return perSecond
}

func plan(t rapid.TB, p Policy, pages []Page, budget float64) Plan {
	t.Helper()
	plan, err := Allocate(p, pages, budget)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func policies() []Policy {
	return []Policy{Uniform{}, Proportional{}, Importance{}, Optimal{}, ByAge{}, Longevity{}}
}

func TestAllocateMeetsTheBudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pages := append(pagesOf(t, 8), Page{Rate: 1e-6, Weight: 1})
		budget := math.Pow(10, rapid.Float64Range(-8, 1).Draw(t, "budget"))
		for _, p := range policies() {
			if got := spending(plan(t, p, pages, budget).Intervals); math.Abs(got/budget-1) > 1e-6 {
				t.Fatalf("%T spends %v of %v", p, got, budget)
			}
		}
	})
}

func TestOptimalIsBest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pages := append(pagesOf(t, 8), Page{Rate: 1e-6, Weight: 1})
		budget := math.Pow(10, rapid.Float64Range(-7, 0).Draw(t, "budget"))
		best, youngest := plan(t, Optimal{}, pages, budget), plan(t, ByAge{}, pages, budget)
		for _, p := range policies() {
			other := plan(t, p, pages, budget).Intervals
			if was := worth(pages, other); was > worth(pages, best.Intervals)*(1+1e-9) {
				t.Errorf("%T has freshness %v, optimal %v", p, was, worth(pages, best.Intervals))
			}
			if was := lateness(pages, other); was < lateness(pages, youngest.Intervals)*(1-1e-6)-1e-7 { // ages are whole nanoseconds
				t.Errorf("%T has age %v, by age %v", p, was, lateness(pages, youngest.Intervals))
			}
		}
	})
}

// The conditions of Karush, Kuhn and Tucker: what a little more of visits gains
// is the same for all pages that are visited, and no more for the others.
func TestOptimalGainsAreEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pages := append(pagesOf(t, 8), Page{Rate: 1e-6, Weight: 1})
		p := plan(t, Optimal{}, pages, math.Pow(10, rapid.Float64Range(-6, -1).Draw(t, "budget")))
		for i, page := range pages {
			if page.Rate == 0 {
				if !math.IsInf(p.Intervals[i], 1) {
					t.Fatalf("a page that never changes is visited")
				}
				continue
			}
			if math.IsInf(p.Intervals[i], 1) {
				if limit := page.Weight / page.Rate; limit > p.Price*(1+1e-9) {
					t.Fatalf("page %d, not visited, would gain up to %v, the price is %v", i, limit, p.Price)
				}
				continue
			}
			f, d := 1/p.Intervals[i], 1e-5
			at := func(f float64) float64 { return f / page.Rate * -math.Expm1(-page.Rate/f) * page.Weight }
			if x := page.Rate / f; x < 1e-3 || x > 20 {
				continue // differences would drown in rounding
			}
			gain := (at(f*(1+d)) - at(f*(1-d))) / (2 * d * f)
			if math.Abs(gain/p.Price-1) > 1e-3 {
				t.Fatalf("page %d gains %v a visit, the price is %v", i, gain, p.Price)
			}
		}
	})
}

// All ways to share a budget among three pages, in steps of a sixtieth.
func TestOptimalAgainstAllWays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pages := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Page {
			return Page{math.Pow(10, rapid.Float64Range(-6, -3).Draw(t, "rate")), rapid.Float64Range(0.2, 5).Draw(t, "weight")}
		}), 3, 3).Draw(t, "pages")
		budget := math.Pow(10, rapid.Float64Range(-5.5, -3.5).Draw(t, "budget"))
		const steps = 60
		best := 0.0
		for i := range steps + 1 {
			for j := range steps + 1 - i {
				shares := []float64{float64(i), float64(j), float64(steps - i - j)}
				for k := range shares {
					shares[k] = 1 / (shares[k] / steps * budget)
				}
				best = max(best, worth(pages, shares))
			}
		}
		got := worth(pages, plan(t, Optimal{}, pages, budget).Intervals)
		if got < best*(1-1e-9) {
			t.Fatalf("a grid finds %v, the optimum is said to be %v", best, got)
		}
		if got > best*1.03 {
			t.Fatalf("a grid finds %v only, the optimum is said to be %v", best, got)
		}
	})
}

// The example of the paper's section 4: of pages that change 1 to 5 times a day
// with a budget of 5 visits a day, the optimum leaves the fastest alone and
// visits none in proportion to its changes.
func TestOptimalByThePaper(t *testing.T) {
	t.Parallel()
	var pages []Page
	for r := 1.0; r <= 5; r++ {
		pages = append(pages, Page{Rate: r / 86400})
	}
	p := plan(t, Optimal{}, pages, 5.0/86400)
	for i, want := range []float64{1.15, 1.36, 1.35, 1.14, 0.00} {
		if got := 86400 / p.Intervals[i]; math.Abs(got-want) > 0.006 {
			t.Errorf("page %d is visited %.3f times a day, in the paper %.2f", i+1, got, want)
		}
	}
}

func TestAllocateRefuses(t *testing.T) {
	t.Parallel()
	for _, budget := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := Allocate(Optimal{}, []Page{{Rate: 1}}, budget); err == nil {
			t.Errorf("a budget of %v is accepted", budget)
		}
	}
}

func TestAllocateOddPages(t *testing.T) {
	t.Parallel()
	odd := []Page{{}, {Rate: math.NaN(), Weight: math.NaN()}, {Rate: -1, Weight: -1}, {Rate: math.Inf(1), Weight: math.Inf(1)}, {Rate: 5e-324, Weight: 5e-324}, {Rate: math.MaxFloat64, Weight: math.MaxFloat64}}
	for _, p := range policies() {
		for _, pages := range [][]Page{nil, odd[:3], odd} {
			for i, s := range plan(t, p, pages, 1).Intervals {
				if !(s > 0) {
					t.Errorf("%T visits page %d every %v seconds", p, i, s)
				}
			}
		}
	}
}
