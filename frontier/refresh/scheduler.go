package refresh

import (
	"math"
	"sync"
	"time"
)

// Scheduler says when to visit a page again, one page at a time and without
// knowing all of them: it follows the price at which the visits that its
// policy wants fit the budget (see [Price] for how), and estimates each page's
// rate of change from its history. The zero value keeps copies as fresh as one
// visit a second can. Set the fields before the first use. All methods may be
// called from many goroutines.
type Scheduler struct {
	Policy    Policy        // nil: Optimal
	PerSecond float64       // visits a second to pages already known; what is not positive: 1
	Min, Max  time.Duration // bounds of the time between two visits; zero: 1 min, 90 days
	Life      time.Duration // for how long an unknown page is expected to stay as it is, at first; zero: a week

	mu    sync.Mutex
	price Price
}

// Visit records a successful visit: it returns the page's history with the
// visit in it, to be stored, and when to come back. h is the history that was
// returned at the visit before, the zero History at the first.
//
// A page of which little is known is visited after short and long intervals in
// turn, so that pages that change very often can be told from those that
// change quite often; an interval is never more than four times the ones
// before. Cost: some ten intervals of the policy, about 5 µs.
func (s *Scheduler) Visit(h History, v Visit) (History, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	prior := s.prior()
	next := h.next(v, prior)
	s.price.learn(h.seen.fade(), next.seen)

	weight, gap := weighed(v.Weight), v.At.Sub(h.Last)
	wanted := func(e evidence) func(logPrice float64) float64 {
		rate := e.plus(prior).rate()
		return func(logPrice float64) float64 {
			return min(s.policy().Interval(rate, weight, math.Exp(logPrice)), s.max())
		}
	}
	switch {
	case h.Last.IsZero():
		s.price.admit(wanted(evidence{}), s.budget())
	case gap > 0:
		s.price.settle(wanted(h.seen), s.budget(), gap.Seconds(), v.At)
	}
	t := wanted(next.seen)(s.price.Log)
	if s.curious(next, prior, weight) {
		t = dither(t, next.seen.plus(prior).rate(), next.Visits)
	}
	if next.Visits > 0 {
		t = min(t, 4*max(gap.Seconds(), next.Last.Sub(next.First).Seconds()/float64(next.Visits)))
	}
	return next, v.At.Add(duration(min(max(t, s.min()), s.max())))
}

// curious says whether more should be learned of a page's rate: little is
// known, and the policy would act on it.
func (s *Scheduler) curious(h History, prior evidence, weight float64) bool {
	const enough = 8 // changes: the rate is known to a third
	if h.seen.changes >= enough {
		return false
	}
	rate, price := h.seen.plus(prior).rate(), math.Exp(s.price.Log)
	return s.policy().Interval(rate, weight, price) != s.policy().Interval(rate/1000, weight, price)
}

// dither makes a short interval and a long one of two of length t, if after t
// the page is likely to have changed: what everybody expects tells nothing.
func dither(t, rate float64, visits int) float64 {
	short := 0.5 / rate
	switch {
	case t < 2*short:
		return t
	case visits%2 == 0:
		return short
	}
	return 2*t - short
}

// Budget changes PerSecond; the price follows at once.
func (s *Scheduler) Budget(perSecond float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.budget()
	s.PerSecond = perSecond
	s.price.rescale(before, s.budget())
}

// Price is what the scheduler has learned, to be kept over restarts, see
// [Scheduler.Resume].
func (s *Scheduler) Price() Price {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.price
}

// Resume goes on from a price that an earlier scheduler of the same policy and
// budget had. Without it the price is guessed from the first page that is
// visited again, and right after each page has been visited once or twice.
// Numbers that cannot be are an error and change nothing.
func (s *Scheduler) Resume(p Price) error {
	if err := p.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.price = p
	return nil
}

func (s *Scheduler) policy() Policy {
	if s.Policy == nil {
		return Optimal{}
	}
	return s.Policy
}

func (s *Scheduler) budget() float64 { return weighed(s.PerSecond) }

func (s *Scheduler) min() float64 { return or(s.Min, time.Minute) }

func (s *Scheduler) max() float64 { return max(or(s.Max, 90*24*time.Hour), s.min()) }

func or(d, other time.Duration) float64 {
	if d <= 0 {
		d = other
	}
	return d.Seconds()
}

// prior is what is expected of a page that nothing is known of: the mean of
// all pages, in which Life counts as little as ten unknown pages do.
func (s *Scheduler) prior() evidence {
	guess := expected(1 / or(s.Life, 7*24*time.Hour))
	return expected(guess.plus(evidence{s.price.Changes, s.price.Seconds}).rate())
}
