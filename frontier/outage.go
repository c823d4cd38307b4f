package frontier

import (
	"cmp"
	"math"
	"time"
)

// Outage says how a host is treated that cannot be reached: no connection, no TLS
// handshake, no address for its name, as visits tell by [Unreached]. It rests, longer with
// each visit in a row that does not reach it, and then has one visit at a time, a probe,
// until one reaches it; from then on it is visited as before. A host that was tried for
// Wait, and four times, is parked: what is queued of it stays queued and is told by [Stats] and Hosts, it
// is probed once a day, which is beyond the usual horizon, and anew when the folder is
// opened again. The zero value means the defaults.
//
// With the defaults a host that is away has seven visits in the first hour, after 0, 1, 3,
// 7, 15, 31 and 63 minutes or up to a fifth later, and from then on at most 1.2 an hour; a
// host that was never reached is parked at the fourth. Visits that were under way at the
// same time count as one.
type Outage struct {
	Rest    time.Duration // after the first visit that does not reach the host, twice as long after each further one, up to a fifth longer at random; 1 min
	MaxRest time.Duration // at most; 1 h. [Limits].MaxDelay caps it as well
	Wait    time.Duration // how long a host is tried that was reached before; 26 h, negative: for ever
	WaitNew time.Duration // how long a host is tried that never was; 5 min, negative: for ever
}

// WaitFor is the [Outage] with which a host that is away is tried for so long, and one
// that was never reached for no longer either; zero: four times. Where that is less than
// four visits take with the usual rests, seven minutes, the rests are as much shorter.
func WaitFor(d time.Duration) Outage {
	o := Outage{Wait: max(d, 1), WaitNew: min(max(d, 1), defaultWaitNew)}
	if rests := time.Duration(1<<(leastProbes-1) - 1); d > 0 && d < rests*defaultRest {
		o.Rest = max(d/rests, 1)
	}
	return o
}

const (
	defaultRest    = time.Minute
	defaultMaxRest = time.Hour
	defaultWait    = 26 * time.Hour
	defaultWaitNew = 5 * time.Minute
	leastProbes    = 4
	parkedFor      = 24 * time.Hour // until a host is probed again that was given up
)

// outage is [Outage] with defaults filled in, in nanoseconds.
type outage struct{ rest, maxRest, wait, waitNew int64 }

func (o Outage) bounds() outage {
	b := outage{
		rest:    int64(cmp.Or(max(o.Rest, 0), defaultRest)),
		wait:    int64(orNone(o.Wait, defaultWait)),
		waitNew: int64(orNone(o.WaitNew, defaultWaitNew)),
	}
	b.maxRest = max(int64(cmp.Or(max(o.MaxRest, 0), defaultMaxRest)), b.rest)
	return b
}

// lapse is what is remembered of a host's being away.
type lapse struct {
	n       int   // visits in a row that did not reach it; 0: it is not away
	since   int64 // when the first of them was over
	until   int64 // no visit before
	parked  bool  // it was tried for long enough
	reached bool  // a visit reached it, now or ever
}

// missed is the lapse after one more visit that did not reach the host and was over
// at some time.
func (o outage) missed(l lapse, at, most int64, key uint64) lapse {
	if l.n == 0 {
		l.since = at
	}
	l.n = min(l.n+1, math.MaxInt32)
	wait := o.wait
	if !l.reached {
		wait = o.waitNew
	}
	if l.parked = at-l.since >= wait && l.n >= leastProbes; l.parked {
		l.until = after(at, int64(parkedFor))
		return l
	}
	d := o.maxRest
	if l.n <= 32 && o.rest <= math.MaxInt64>>(l.n-1) {
		d = min(o.rest<<(l.n-1), d)
	}
	if d > o.rest {
		d = max(min(d, o.maxRest/6*5), o.rest)
	}
	l.until = after(at, min(d+fifth(d, key^uint64(at)), most))
	return l
}

// reopened is the lapse of a host when a folder is opened: what was tried before does
// not count, so that a crawl that goes on tries for as long as the first did. A probe
// is not made sooner than it would be after a first visit.
func (o outage) reopened(l lapse, troubled, now int64) lapse {
	if l.n == 0 {
		return l
	}
	l.n, l.since, l.parked = 1, now, false
	l.until = min(l.until, after(troubled, o.rest))
	return l
}

// setLapse replaces the lapse of a record, and counts the hosts that are away.
func (s *schedule) setLapse(r *record, l lapse) {
	switch was := r.outage.n > 0; {
	case was && l.n == 0:
		s.away--
	case !was && l.n > 0:
		s.away++
	}
	r.outage = l
}

// visitsOf is how many visits a host may have at a time.
func (s *schedule) visitsOf(ho *host) int {
	if r := s.recordOf(ho); r != nil && r.outage.n > 0 {
		return 1
	}
	return s.perHost
}

// parkedUntil is until when a host is parked; in the past: it is not.
func (r *record) parkedUntil() int64 {
	t := r.away
	if r.outage.parked {
		t = max(t, r.outage.until)
	}
	if !r.blocked() {
		t = max(t, r.hold)
	}
	return t
}

// unparkNow has a host count as parked no more that was reached by a visit that
// was under way.
func (s *schedule) unparkNow(h uint32, r *record) {
	if r.outage.parked {
		r.outage.parked = false
		s.repark(h)
	}
}
