package sched

import (
	"math"
	"time"
)

// A host that was tried for long enough is parked, after so many visits at least.
const (
	LeastProbes = 4              // visits that did not reach it
	parkedFor   = 24 * time.Hour // until a host is probed again that was given up
)

// Outage is frontier.Outage with defaults filled in, in nanoseconds.
type Outage struct{ Rest, MaxRest, Wait, WaitNew int64 }

// Lapse is what is remembered of a host's being away.
type Lapse struct {
	N       int   // visits in a row that did not reach it; 0: it is not away
	Since   int64 // when the first of them was over
	Until   int64 // no visit before
	Parked  bool  // it was tried for long enough
	Reached bool  // a visit reached it, now or ever
}

// missed is the lapse after one more visit that did not reach the host and was over
// at some time.
func (o Outage) missed(l Lapse, at, most int64, key uint64) Lapse {
	if l.N == 0 {
		l.Since = at
	}
	l.N = min(l.N+1, math.MaxInt32)
	wait := o.Wait
	if !l.Reached {
		wait = o.WaitNew
	}
	if l.Parked = at-l.Since >= wait && l.N >= LeastProbes; l.Parked {
		l.Until = After(at, int64(parkedFor))
		return l
	}
	d := o.MaxRest
	if l.N <= 32 && o.Rest <= math.MaxInt64>>(l.N-1) {
		d = min(o.Rest<<(l.N-1), d)
	}
	if d > o.Rest {
		d = max(min(d, o.MaxRest/6*5), o.Rest)
	}
	l.Until = After(at, min(d+fifth(d, key^uint64(at)), most))
	return l
}

// Reopened is the lapse of a host when a folder is opened: what was tried before does
// not count, so that a crawl that goes on tries for as long as the first did. A probe
// is not made sooner than it would be after a first visit.
func (o Outage) Reopened(l Lapse, troubled, now int64) Lapse {
	if l.N == 0 {
		return l
	}
	l.N, l.Since, l.Parked = 1, now, false
	l.Until = min(l.Until, After(troubled, o.Rest))
	return l
}

// SetLapse replaces the lapse of a record, and counts the hosts that are away.
func (s *Schedule) SetLapse(r *Record, l Lapse) {
	switch was := r.Outage.N > 0; {
	case was && l.N == 0:
		s.Away--
	case !was && l.N > 0:
		s.Away++
	}
	r.Outage = l
}

// VisitsOf is how many visits a host may have at a time.
func (s *Schedule) VisitsOf(ho *Host) int {
	if r := s.RecordOf(ho); r != nil && r.Outage.N > 0 {
		return 1
	}
	return s.PerHost
}

// ParkedUntil is until when a host is parked; in the past: it is not.
func (r *Record) ParkedUntil() int64 {
	t := r.Away
	if r.Outage.Parked {
		t = max(t, r.Outage.Until)
	}
	if !r.Blocked() {
		t = max(t, r.Hold)
	}
	return t
}

// unparkNow has a host count as parked no more that was reached by a visit that
// was under way.
func (s *Schedule) unparkNow(h uint32, r *Record) {
	if r.Outage.Parked {
		r.Outage.Parked = false
		s.Repark(h)
	}
}
