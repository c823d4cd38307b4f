package sched

import (
	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
)

// Settle puts a host where it belongs at some time: among the ready hosts of its
// cell, those that wait for their clock, those that rest with nothing to do,
// or nowhere. It may forget the host.
func (s *Schedule) Settle(h uint32, now int64) {
	ho := s.Hosts.At(h)
	allowed, most := s.Allowed(ho), s.VisitsOf(ho)
	if !ho.Busy() {
		allowed = s.kept(ho)
	}
	want := IsIdle
	switch {
	case ho.HasDue() && int(ho.Leased) < most && allowed > now:
		want = IsWaiting
	case ho.HasDue() && int(ho.Leased) < most:
		want = IsReady
	case !ho.Busy():
		want = IsResting
	}
	if want == IsReady && s.over(ho) {
		if s.eased && ho.Where != IsReady {
			s.lax = append(s.lax, h)
		} else if !s.eased {
			want = IsCapped
		}
	}
	if want != ho.Where {
		if want == IsWaiting || want == IsReady && ho.Where != IsWaiting {
			s.turns++
			ho.turn = s.turns
		}
		s.leave(h)
		s.enter(h, want, allowed, now)
		return
	}
	switch want {
	case IsReady: // its best request may be another one
		if best := s.best(ho, request.DueLane).Key; best != ho.best {
			c := s.cells.At(ho.cell)
			c.ready = heap.Pull(byTurn{s}, c.ready, h)
			ho.best = best
			c.ready = heap.Plant(byTurn{s}, c.ready, h)
			s.setCell(ho.cell)
		}
	case IsWaiting:
		heap.Fix(byWake{s}, s.Waiting, int(ho.at), ho.wakeKey(allowed))
	case IsResting:
		heap.Fix(byWake{s}, s.resting, int(ho.at), ho.wakeKey(allowed))
	}
}

// enter brings a host that is nowhere to where it belongs.
func (s *Schedule) enter(h uint32, where Whereabouts, allowed, now int64) {
	ho := s.Hosts.At(h)
	ho.Where = where
	switch where {
	case IsReady:
		s.ReadyHosts++
		ho.since, ho.best = now, s.best(ho, request.DueLane).Key
		c := s.cells.At(ho.cell)
		c.ready = heap.Plant(byTurn{s}, c.ready, h)
		s.setCell(ho.cell)
	case IsCapped:
		s.cap(h, now)
	case IsWaiting:
		s.Waiting = heap.Push(byWake{s}, s.Waiting, h, ho.wakeKey(allowed))
	case IsResting:
		s.resting = heap.Push(byWake{s}, s.resting, h, ho.wakeKey(allowed))
		if allowed <= now {
			s.forget(h)
		}
	}
}

// leave takes a host out of where it is.
func (s *Schedule) leave(h uint32) {
	ho := s.Hosts.At(h)
	switch ho.Where {
	case IsReady:
		c := s.cells.At(ho.cell)
		c.ready = heap.Pull(byTurn{s}, c.ready, h)
		s.setCell(ho.cell)
		s.ReadyHosts--
	case IsCapped:
		s.uncap(h)
	case IsWaiting:
		s.Waiting = heap.Remove(byWake{s}, s.Waiting, int(ho.at))
	case IsResting:
		s.resting = heap.Remove(byWake{s}, s.resting, int(ho.at))
	}
	ho.Where = IsIdle
}

// forget removes a host that rests.
func (s *Schedule) forget(h uint32) {
	s.leave(h)
	ho := s.Hosts.At(h)
	s.leaveCell(ho.cell)
	s.part(ho.Domain)
	s.part(ho.Addr)
	s.SetRecord(ho, nil)
	delete(s.Names, ho.Key)
	s.Hosts.Remove(ho.Key, h)
}

// alarm is when the first later request of a host can be leased. Before its
// clock runs out it cannot, so nothing is gained by making it due.
func (s *Schedule) alarm(h uint32) int64 {
	ho := s.Hosts.At(h)
	return max(int64(s.best(ho, request.LaterLane).Key), s.Allowed(ho))
}

func (s *Schedule) alarmKey(h uint32) heap.Key { return heap.Key{First: uint64(s.alarm(h))} }

// SetAlarm puts a host where it belongs among those with later requests, after
// its clock or its first later request has changed.
func (s *Schedule) SetAlarm(h uint32) {
	ho := s.Hosts.At(h)
	switch {
	case ho.hasLater() && ho.alarm > 0:
		heap.Fix(byAlarm{s}, s.later, int(ho.alarm-1), s.alarmKey(h))
	case ho.hasLater():
		s.later = heap.Push(byAlarm{s}, s.later, h, s.alarmKey(h))
	case ho.alarm > 0:
		s.later = heap.Remove(byAlarm{s}, s.later, int(ho.alarm-1))
		ho.alarm = 0
	}
}
