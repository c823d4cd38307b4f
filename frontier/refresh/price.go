package refresh

import (
	"fmt"
	"math"
	"time"
)

// Price is what a [Scheduler] learns of all pages together. Its fields are for
// keeping; they make sense to the scheduler only.
//
// It follows the price that fits the budget in three ways. A new page adds what
// it will want to what the others want, and the price rises accordingly. At
// each later visit the visits that the page would have had since the one before
// at today's price, instead of the one it had, are set against those that the
// budget had room for in the meantime, and the price moves a little by the
// difference; so pages that are gone count no more, and visits that come late do
// no harm. And when the budget changes the price does by as much as, from what
// was seen so far, it has to.
type Price struct {
	Log     float64   // logarithm of the price
	Slope   float64   // by what power of the price the wish for visits falls
	Pages   float64   // pages that are visited again and again; 0: nothing is known yet
	Latest  time.Time // the latest visit to a page already known
	Changes float64   // changes seen of late, and
	Seconds float64   // in what time, over all pages
}

func (p Price) check() error {
	for _, x := range []float64{p.Log, p.Slope, p.Pages, p.Changes, p.Seconds} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("refresh: resume: price with a number %v", x)
		}
	}
	if math.Abs(p.Log) > farthest || min(p.Slope, p.Pages, p.Changes, p.Seconds) < 0 || p.Pages > 0 && (p.Pages < 1 || p.Slope < 0.99*flattest) {
		return fmt.Errorf("refresh: resume: impossible price %+v", p)
	}
	return nil
}

const (
	farthest = 300.0 // bound of the logarithm
	flattest = 0.1   // and bounds of the slope
	steepest = 3
)

// admit makes room for a new page; wanted is the interval it will have at a
// price.
func (p *Price) admit(wanted func(logPrice float64) float64, budget float64) {
	if p.Pages == 0 {
		p.begin(wanted, 1, 1/budget)
		return
	}
	p.Pages++
	p.lean(wanted)
	p.move(math.Log1p(1/(wanted(p.Log)*budget)) / p.Slope)
}

// settle sets visits that were wanted against visits that there was room for:
// a page was visited gap seconds after the last time.
func (p *Price) settle(wanted func(logPrice float64) float64, budget, gap float64, now time.Time) {
	const gain = 0.5 // once round all pages, half a difference is made up for
	if p.Pages == 0 {
		p.begin(wanted, max(1, gap*budget), gap)
	}
	room := 1.0
	if !p.Latest.IsZero() {
		room = max(now.Sub(p.Latest).Seconds(), 0) * budget
	}
	if now.After(p.Latest) {
		p.Latest = now
	}
	p.lean(wanted)
	// A single page, or a night without visits, must not move much.
	p.move(gain / p.Pages * (min(gap/wanted(p.Log), 4) - min(room, 8)))
	p.Pages = max(1, p.Pages+gain*(min(gap*budget/p.Pages, 4)-1))
}

// begin finds the price at which a page has an interval.
func (p *Price) begin(wanted func(logPrice float64) float64, pages, interval float64) {
	interval = min(interval, 0.9*wanted(farthest))
	lo, hi := -farthest, farthest
	for hi-lo > 1e-6 {
		if mid := (lo + hi) / 2; wanted(mid) < interval {
			lo = mid
		} else {
			hi = mid
		}
	}
	p.Log, p.Pages, p.Slope = hi, pages, 1
	p.Slope = p.slope(wanted)
}

// lean lets the slope follow that of single pages.
func (p *Price) lean(wanted func(logPrice float64) float64) {
	p.Slope += (p.slope(wanted) - p.Slope) / p.Pages
}

func (p *Price) slope(wanted func(logPrice float64) float64) float64 {
	const step = 0.05
	s := math.Log(wanted(p.Log+step)/wanted(p.Log)) / step
	if !(s > flattest) {
		return flattest
	}
	return min(s, steepest)
}

func (p *Price) rescale(before, after float64) {
	if p.Pages > 0 {
		p.move(math.Log(before/after) / p.Slope)
	}
}

// move changes the price, but does not drive it up where that makes no
// difference any more: all pages have the longest interval there is.
func (p *Price) move(by float64) {
	if by < 0 || by > 0 && p.Slope > 2*flattest {
		p.Log = min(max(p.Log+by, -farthest), farthest)
	}
}

// learn adds to what is known of pages in general; the last 2000 visits or so
// count.
func (p *Price) learn(before, after evidence) {
	const fade = 1 - 1.0/2000
	p.Changes = p.Changes*fade + max(after.changes-before.changes, 0)
	p.Seconds = p.Seconds*fade + max(after.seconds-before.seconds, 0)
}
