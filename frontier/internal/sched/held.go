package sched

import (
	"math"

	"github.com/webquarry/quarry/frontier/internal/heap"
)

// ForEver is a time that does not come.
const ForEver = math.MaxInt64

// recordFor is the record of a host, which is made if there is none.
func (s *Schedule) recordFor(ho *Host) *Record {
	if ho.Record == 0 {
		ho.Record = s.Records.Take()
	}
	return s.Records.At(ho.Record)
}

// Hold has a host not visited before some time.
func (s *Schedule) Hold(h uint32, until int64) { s.setHold(s.recordFor(s.Hosts.At(h)), until) }

// setHold replaces until when a host is held, and counts the hosts that are blocked.
func (s *Schedule) setHold(r *Record, until int64) {
	if r.Blocked() {
		s.Blocked--
	}
	if r.Hold = until; r.Blocked() {
		s.Blocked++
	}
}

// DropByHand drops all of a host, now and later.
func (s *Schedule) DropByHand(h uint32, now int64) {
	ho := s.Hosts.At(h)
	if ho.Dropped() {
		return
	}
	r := s.recordFor(ho)
	r.Fate, ho.fate = ByHand, ByHand
	s.DroppedHosts++
	s.Drop(h, now)
}

// Resume has a host visited again, and says whether it was dropped.
func (s *Schedule) Resume(h uint32, now int64) (wasDropped bool) {
	ho := s.Hosts.At(h)
	r := s.RecordOf(ho)
	if r == nil {
		return false
	}
	s.setHold(r, 0)
	wasDropped = ho.Dropped()
	if !wasDropped && r.Away <= now && r.Outage.N == 0 {
		return false
	}
	if wasDropped {
		s.DroppedHosts--
	}
	if r.Away > now && ho.Clock.Until <= r.Away { // that is the park, and not what the host asked for
		ho.Clock.Until, ho.Clock.Gap = 0, 0
	}
	s.Dropped -= r.Dropped // they count as done
	s.SetRecord(ho, &Record{Took: r.Took, Outage: Lapse{Reached: r.Outage.Reached}})
	return wasDropped
}

// Repark counts a host as parked for as long as it is by now.
func (s *Schedule) Repark(h uint32) {
	ho := s.Hosts.At(h)
	for i := range s.Parks {
		if ho.parked && s.Parks[i].X == h {
			s.Parks = heap.Remove(heap.Unplaced{}, s.Parks, i)
			ho.parked = false
			break
		}
	}
	if r := s.RecordOf(ho); r != nil && r.ParkedUntil() > s.Now {
		s.Park(h, r.ParkedUntil())
	}
}

// Blocked says whether the host is held until it is ordered otherwise.
func (r *Record) Blocked() bool { return r.Hold == ForEver }

// WhyParked says why a host is parked.
func (r *Record) WhyParked(now int64) string {
	switch {
	case r.Hold > now:
		return ByHand.String()
	case r.Away > now:
		return keepsFailing.String()
	}
	return "cannot be reached"
}

// Unpark counts hosts as parked no more whose time is over.
func (s *Schedule) Unpark(now int64) {
	for len(s.Parks) > 0 && s.Parks[0].At() <= now {
		h := s.Parks[0].X
		s.Parks = heap.Remove(heap.Unplaced{}, s.Parks, 0)
		s.Hosts.At(h).parked = false
		if r := s.RecordOf(s.Hosts.At(h)); r != nil && r.ParkedUntil() > now {
			s.Park(h, r.ParkedUntil())
		}
	}
}

// Park counts a host as parked until then, unless it is.
func (s *Schedule) Park(h uint32, until int64) {
	ho := s.Hosts.At(h)
	if ho.parked {
		return // when that is over it is parked once more
	}
	ho.parked = true
	s.Parks = heap.Push(heap.Unplaced{}, s.Parks, h, heap.Key{First: uint64(until)})
}
