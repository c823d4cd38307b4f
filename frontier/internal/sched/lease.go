package sched

import "math"

// LeasedAs returns the slot of a lease that is not over.
func (s *Schedule) LeasedAs(fp, token uint64) (uint32, bool) {
	i, ok := s.Live.Find(fp)
	if !ok {
		return 0, false
	}
	x := s.Slots.At(i)
	return i, x.Leased && x.Token() == token
}

// Expire makes a request wait again whose visitor has been silent for too long.
func (s *Schedule) Expire(i uint32, now int64) {
	s.Lost(i)
	x := s.Slots.At(i)
	r := s.Request(i)
	x.Due = r.Due
	h := x.Host
	ho := s.Hosts.At(h)
	ho.Leased--
	s.Leased--
	s.Count(h, -1, 0)
	if !ho.Busy() {
		s.Busy-- // place counts it again
	}
	s.place(i, now)
	if s.Hosts.At(h).Dropped() {
		s.Drop(h, now)
	}
	s.SetAlarm(h)
	s.Settle(h, now)
}

// Lost says that a lease is over without a word.
func (s *Schedule) Lost(i uint32) {
	x := s.Slots.At(i)
	x.Leased = false
	x.Attempt = min(x.Attempt+1, math.MaxInt32)
}
