package sched

import (
	"math"
	"net/netip"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// Back-off of a host in trouble: the first rest, which doubles with each step.
const (
	restRefused = time.Minute
	restSlow    = 10 * time.Second
	longestRest = 24 * time.Hour
	longestSlow = 5 * time.Minute // a few pages that hang must not keep a crawl from the rest of their host
	forgiveStep = 8               // visits without trouble that take a step back
	MaxSteps    = 20
)

// Record is what is remembered of the visits to a host. It is made for the first
// of which there is something to tell.
type Record struct {
	Visits   int   // that are over
	Bytes    int64 // of them all
	Errors   int   // visits in trouble
	Row      int   // the last of them, those that began before the one before was over aside
	Steps    int   // of back-off
	Good     int   // visits without trouble since the last step
	Troubled int64 // when the last one in row was over
	Took     int64 // smoothed
	Parked   int   // how often
	Fate     Fate
	Away     int64 // parked until then, if the clock says so, too
	Dropped  int   // URLs that were dropped since it was last wanted
	Hold     int64 // not visited before, by hand; ForEver: until it is ordered otherwise
	Outage   Lapse
}

// Ended is a visit that is over.
type Ended struct {
	FP        uint64
	Start, At int64
	Ask       int64            // rest that the host asks for
	Again     *request.Request // to be offered again, or nil
	Unvisited bool             // nothing was asked of the host; not written

	// What goes into the record of the host.
	Took, Bytes int64
	Trouble     Trouble
	Addr        netip.Addr
}

// Trouble is frontier.Trouble.
type Trouble uint8

// The kinds of trouble, in the order of those of package frontier.
const (
	noTrouble Trouble = iota
	failed
	slow
	refused
	unreached
)

// told says whether a visit has something to tell of its host.
func (v *Ended) told() bool {
	return v.Addr.IsValid() || v.Took > 0 || v.Bytes > 0 || v.Trouble != noTrouble
}

// Judge notes what a visit tells of its host, before it is ended, and makes the
// rest that the host asks for longer if there was trouble.
func (s *Schedule) Judge(i uint32, v *Ended) {
	h := s.Slots.At(i).Host
	ho := s.Hosts.At(h)
	if ho.Record == 0 && !v.told() && !s.Budget.limited() {
		return
	}
	r := s.recordFor(ho)
	before := *r
	defer func() { // when all that the visit tells is noted
		s.Budget.spend(r, v)
		if ho.fate = r.Fate; ho.fate != before.Fate {
			s.DroppedHosts++
			s.SetLapse(r, Lapse{Reached: r.Outage.Reached})
		}
		if until := r.ParkedUntil(); until > v.At {
			s.Park(h, until)
		}
		s.Remember(ho, r, i)
	}()
	if v.told() && v.Trouble != unreached && (r.Outage.N > 0 || !r.Outage.Reached) {
		s.unparkNow(h, r)
		s.SetLapse(r, Lapse{Reached: true})
	}
	s.MoveTo(h, v.Addr)
	r.Visits++
	r.Bytes += v.Bytes
	switch {
	case v.Took <= 0:
	case r.Took == 0:
		r.Took = v.Took
	default:
		r.Took += (v.Took - r.Took) / 4
	}
	if v.Trouble == noTrouble {
		r.goesWell()
		return
	}
	r.Errors++
	if s.Slots.At(i).Due <= r.Troubled {
		return // it began before the host was known to be in trouble
	}
	r.Row++
	r.Troubled, r.Good = v.At, 0
	switch v.Trouble {
	case unreached:
		s.SetLapse(r, s.Outage.missed(r.Outage, v.At, s.MaxDelay, ho.Key))
	case slow, refused:
		r.Steps = min(r.Steps+1, MaxSteps)
		v.Ask = max(v.Ask, r.backOff(v.Trouble, ho.Key))
	}
}

// Remember keeps the name of a host that is parked or dropped: it may have no URL
// soon that tells it.
func (s *Schedule) Remember(ho *Host, r *Record, i uint32) {
	if r.Fate == IsWanted && r.Parked == 0 {
		return
	}
	if _, ok := s.Names[ho.Key]; !ok {
		s.Call(ho.Key, s.Origin(i))
	}
}

// Call keeps the name of a host by its key.
func (s *Schedule) Call(host uint64, name string) {
	if s.Names == nil {
		s.Names = map[uint64]string{}
	}
	s.Names[host] = name
}

// Origin is scheme, name and port of the host of a request in memory.
func (s *Schedule) Origin(i uint32) string {
	r := s.Request(i)
	key, _, _ := request.SplitHost(r.URL)
	return key
}

func (r *Record) goesWell() {
	r.Row = 0
	if r.Good++; r.Good >= forgiveStep && r.Steps > 0 {
		r.Steps--
		r.Good = 0
	}
}

// backOff is how long a host rests for the steps taken so far: up to a fifth
// longer than the steps say, so that hosts in trouble at the same time do not
// come back at the same time.
func (r *Record) backOff(t Trouble, key uint64) int64 {
	first, longest := restRefused, longestRest
	if t == slow {
		first, longest = restSlow, longestSlow
	}
	d := int64(min(first<<(r.Steps-1), longest))
	return d + fifth(d, key^uint64(r.Troubled))
}

// fifth is up to a fifth of d, by what of.
func fifth(d int64, of uint64) int64 { return d / 5 * int64(of*0x9e3779b97f4a7c15>>48) >> 16 }

// Gap is the least time between two visits of a host, unless it asks for more.
func (s *Schedule) Gap(r *Record) int64 {
	if r == nil || r.Took == 0 || s.Factor == 0 {
		return s.Delay
	}
	return max(s.Delay, int64(min(s.Factor*float64(r.Took), float64(s.FactorCap))))
}

// Allowed is when the next visit of a host may start, for all that is known of
// the host alone.
func (s *Schedule) Allowed(ho *Host) int64 {
	r := s.RecordOf(ho)
	t := ho.Clock.allowed(s.Gap(r))
	if r != nil {
		t = max(t, r.Outage.Until, r.Hold)
	}
	return t
}

// kept is until when a host of which nothing is queued or leased is remembered:
// its last visit counts for the clocks of its groups, too. What else is known of
// those has no say, as it differs after a restart.
func (s *Schedule) kept(ho *Host) int64 {
	t := s.Allowed(ho)
	if start := ho.Clock.Start; start > 0 {
		t = max(t, After(start, s.DomainDelay), After(start, s.IPDelay))
	}
	switch r := s.RecordOf(ho); {
	case r == nil:
	case r.Fate != IsWanted || s.Budget.limited():
		return math.MaxInt64
	case r.Steps > 0 || r.Row > 0:
		return max(t, After(r.Troubled, int64(longestRest)))
	}
	return t
}

// Learn replaces what is known of a host by what is written of it, unless that
// is older.
func (s *Schedule) Learn(h uint32, r *Record, addr netip.Addr) {
	ho := s.Hosts.At(h)
	if old := s.RecordOf(ho); old == nil || r.Visits >= old.Visits {
		s.SetRecord(ho, r)
		s.SetAddr(h, addr)
	}
}
