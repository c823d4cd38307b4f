package refresh

import (
	"math"
	"time"
)

// Visit is what a successful visit to a page told of its changes.
type Visit struct {
	At time.Time

	// Changed says whether the page is another than at the visit before, by
	// comparison of its content or its validators (a 304 answer says no). Let it
	// pass over what does not matter, such as a clock in the page. On the first
	// visit it means nothing.
	Changed bool

	// Modified is when the page last changed, as far as the server says: zero,
	// or the Last-Modified header, corrected by the difference between the
	// server's clock (Date) and ours. What cannot be, or looks like the time of
	// the answer, is passed over.
	Modified time.Time

	// Weight is what it is worth that this page is fresh, compared with others;
	// what is not positive counts as 1. See [Policy].
	Weight float64
}

// History is what is remembered of a page's visits, see [History.AppendBinary]
// for how to store it. The zero value is a page that was never visited.
type History struct {
	First, Last time.Time     // the first visit and the latest
	Visits      int           // after the first: N
	Changes     int           // that found the page changed: X
	Dated       int           // of which the server told when
	Quiet       time.Duration // known to be without change, S·T; see [ByLastModified]

	seen evidence
}

// evidence is what visits have told of a rate: changes seen, over seconds in
// which they would have been. It is the gamma distribution that is closest to
// the likelihood, so that a change that was sure to be found counts for little,
// and one whose date is known for one. Older visits fade.
type evidence struct {
	changes, seconds float64
}

// Rate estimates how often the page changes a second, from all its visits: by
// [ByLastModified] if the server dated all changes, by [ByContent] else. It is
// 0 as long as no change was seen. A [Scheduler] has an estimate of its own,
// which is bolder, never 0, and follows a page that alters its ways.
func (h History) Rate() float64 {
	if h.Changes > 0 && h.Dated == h.Changes {
		return ByLastModified(h.Visits, h.Changes, h.Quiet)
	}
	return ByContent(h.Visits, h.Changes, h.Last.Sub(h.First))
}

// Next is the history with one more visit. A visit that is not later than the
// latest tells nothing of changes, but is the latest now.
func (h History) Next(v Visit) History { return h.next(v, expected(0)) }

// next counts a visit in the light of what is expected of any page.
func (h History) next(v Visit, prior evidence) History {
	gap := v.At.Sub(h.Last)
	if h.Last.IsZero() {
		return History{First: v.At, Last: v.At}
	}
	h.Last = v.At
	if h.First.After(h.Last) {
		h.First = h.Last
	}
	if gap <= 0 {
		return h
	}
	h.Visits++
	h.seen = h.seen.fade()
	quiet, dated := v.quiet(gap)
	switch {
	case !v.Changed:
		h.Quiet = add(h.Quiet, gap)
		h.seen.seconds += gap.Seconds()
		return h
	case dated:
		h.Quiet = add(h.Quiet, quiet)
		h.Dated++
	}
	h.Changes++
	h.seen = h.seen.surprised(gap.Seconds(), prior)
	if dated {
		h.seen.changes++
		h.seen.seconds += quiet.Seconds()
	} else {
		h.seen = h.seen.changed(gap.Seconds(), prior)
	}
	return h
}

// quiet is the time from the last change to the visit, if the server's word on
// it is to be believed: it lies within the gap, and not so near its end that
// the page may have been dated when it was sent.
func (v Visit) quiet(gap time.Duration) (time.Duration, bool) {
	q := v.At.Sub(v.Modified)
	return q, !v.Modified.IsZero() && q <= gap && q > min(gap/64, 2*time.Second)
}

func add(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// memory is the number of visits after which what was seen counts for a third.
const memory = 64

func (e evidence) fade() evidence { return e.times(1 - 1.0/memory) }

func (e evidence) times(f float64) evidence { return evidence{e.changes * f, e.seconds * f} }

func (e evidence) plus(o evidence) evidence {
	return evidence{e.changes + o.changes, e.seconds + o.seconds}
}

// rate is the expected rate.
func (e evidence) rate() float64 { return e.changes / e.seconds }

// changed adds a change at an unknown time in a gap, as a gamma distribution
// with the mean and variance of the true one. With shape a and time b the chance
// to see no change is (b/(b+gap))^a.
func (e evidence) changed(gap float64, prior evidence) evidence {
	p := e.plus(prior)
	l := math.Log1p(gap / p.seconds)
	z := -math.Expm1(-p.changes * l)
	mean := p.rate() * -math.Expm1(-(p.changes+1)*l) / z
	square := p.rate() * (p.changes + 1) / p.seconds * -math.Expm1(-(p.changes+2)*l) / z
	spread := square - mean*mean
	if a := mean * mean / spread; z > 0 && spread > 0 && a > p.changes {
		e.changes += min(a-p.changes, 1)
		e.seconds += min(max(mean/spread-p.seconds, 0), gap)
	}
	return e
}

// surprised forgets some of what seemed to be known of a page that now has
// changed when there was less than one chance in fifty that it had: it may have
// altered its ways.
func (e evidence) surprised(gap float64, prior evidence) evidence {
	const rare = 0.02
	p := e.plus(prior)
	chance := -math.Expm1(-p.changes * math.Log1p(gap/p.seconds))
	return e.times(max(min(chance/rare, 1), 1.0/16))
}

// What is expected of a page that nothing is known of: little of the weight of
// a change, at a rate.
const (
	priorChanges = 0.2
	priorLife    = 7 * 24 * 3600.0 // seconds without change
)

func expected(rate float64) evidence {
	if !(rate > 0) {
		rate = 1 / priorLife
	}
	return evidence{priorChanges, priorChanges / rate}
}
