package refresh

import (
	"math"
	"time"
)

// Policy says how long a page is left alone between two visits.
type Policy interface {
	// Interval is the time between two visits, in seconds, +Inf for never, of a
	// page that changes rate times a second and whose being fresh is worth
	// weight. It must rise with price, which is what a visit has to be worth and
	// is the same for all pages: the greater it is, the fewer visits there are.
	// What the unit of price is depends on the policy.
	Interval(rate, weight, price float64) float64
}

// Uniform visits all pages equally often. It is hard to beat by anything that
// seems natural, [Proportional] among it.
type Uniform struct{}

// Proportional visits a page as often as it changes, times a constant. It wastes
// most visits on pages that have changed again before anybody looks.
type Proportional struct{}

// Importance visits a page in proportion to its weight, however it changes.
type Importance struct{}

// Optimal visits pages such that the greatest share of copies is fresh, weighted,
// at any time. Pages that change too fast for the budget are not visited at all
// (J. Cho and H. Garcia-Molina, Effective Page Refresh Policies for Web
// Crawlers, ACM TODS 28(4), 2003). Price is in weight times seconds of
// freshness that a visit gains.
type Optimal struct{}

// ByAge visits pages such that copies are out of date for as short a time as
// possible on average, weighted. No page is given up, as a copy that is never
// renewed becomes older and older. It is the second measure of the paper named
// at [Optimal]. Price is in weight times the square of seconds.
type ByAge struct{}

// Longevity is [Optimal] for content that lasts: what a visit brings counts only
// if it is still true a certain time later, when it has reached an index and
// been found there. It is less than Optimal for pages whose content is gone by
// then, however cheap they are to keep fresh. The idea is that of C. Olston
// and S. Pandey, Recrawl Scheduling Based on Information Longevity, WWW 2008,
// for pages as a whole; whoever can tell apart what lasts in a page from what
// does not should say that a page has changed only if the former has.
type Longevity struct {
	Life time.Duration // how long it has to last; zero: 24 h
}

// Interval is the same for all pages.
func (Uniform) Interval(_, _, price float64) float64 { return price }

// Interval is price divided by rate.
func (Proportional) Interval(rate, _, price float64) float64 { return ratio(price, rate) }

// Interval is price divided by weight.
func (Importance) Interval(_, weight, price float64) float64 { return ratio(price, weight) }

// Interval is that at which the gain of a visit is price.
func (Optimal) Interval(rate, weight, price float64) float64 {
	return ratio(pause(ratio(rate*price, weight)), rate)
}

// Interval is that at which the gain of a visit is price.
func (ByAge) Interval(rate, weight, price float64) float64 {
	return ratio(agePause(ratio(rate*rate*price, weight)), rate)
}

// Interval is that at which the gain of a visit is price, lasting content being
// all that counts.
func (p Longevity) Interval(rate, weight, price float64) float64 {
	life := p.Life
	if life <= 0 {
		life = 24 * time.Hour
	}
	return Optimal{}.Interval(rate, weight*Fresh(rate, life), price)
}

// ratio is a/b, and +Inf where b is nothing.
func ratio(a, b float64) float64 {
	if !(b > 0) {
		return math.Inf(1)
	}
	return a / b
}
