package refresh

import (
	"fmt"
	"math"
)

// Page is what a [Plan] has to know of a page. Both numbers are as for
// [Policy]; a Weight of 0 means 1.
type Page struct {
	Rate, Weight float64
}

// Plan is a way to spend a number of visits on pages.
type Plan struct {
	Price     float64   // what a visit has to be worth, see [Policy]
	Intervals []float64 // time between visits of each page, in seconds; +Inf: never
}

// Allocate shares perSecond visits a second among pages. Fewer are used only
// if the policy has no use for more, as when no page ever changes. The price is
// found by bisection; with [Optimal] and [ByAge] this is the optimum. Rates and
// weights that are negative or no numbers count as 0 and 1. Cost: some 60
// intervals a page.
func Allocate(p Policy, pages []Page, perSecond float64) (Plan, error) {
	if !(perSecond > 0) || math.IsInf(perSecond, 0) {
		return Plan{}, fmt.Errorf("refresh: allocate: budget of %v visits a second", perSecond)
	}
	lo, hi := -farthest, farthest
	for {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if spent(visits(p, pages, mid)) > perSecond {
			lo = mid
		} else {
			hi = mid
		}
	}
	// Where a page is all but given up, the price has not enough digits for how
	// seldom it is visited: what is between the two nearest prices is shared out.
	often, seldom := visits(p, pages, lo), visits(p, pages, hi)
	more := 0.0
	if s, o := spent(seldom), spent(often); lo > -farthest && o > s {
		more = (perSecond - s) / (o - s)
	}
	plan := Plan{Price: math.Exp(hi), Intervals: make([]float64, len(pages))}
	for i := range pages {
		plan.Intervals[i] = 1 / (seldom[i] + more*(often[i]-seldom[i]))
	}
	return plan, nil
}

// visits are those of each page a second at a price.
func visits(p Policy, pages []Page, logPrice float64) []float64 {
	price := math.Exp(logPrice)
	each := make([]float64, len(pages))
	for i, page := range pages {
		each[i] = 1 / p.Interval(sound(page.Rate), weighed(page.Weight), price)
	}
	return each
}

func spent(each []float64) (sum float64) {
	for _, f := range each {
		sum += f
	}
	return sum
}

// weighed makes sense of a weight.
func weighed(w float64) float64 {
	if !(w > 0) {
		return 1
	}
	return min(max(w, 1e-100), 1e100)
}
