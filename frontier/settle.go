package frontier

import (
	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
)

// settle puts a host where it belongs at some time: among the ready hosts of its
// cell, those that wait for their clock, those that rest with nothing to do,
// or nowhere. It may forget the host.
func (s *schedule) settle(h uint32, now int64) {
	ho := s.hosts.At(h)
	allowed, most := s.allowed(ho), s.visitsOf(ho)
	if !ho.busy() {
		allowed = s.kept(ho)
	}
	want := isIdle
	switch {
	case ho.hasDue() && int(ho.leased) < most && allowed > now:
		want = isWaiting
	case ho.hasDue() && int(ho.leased) < most:
		want = isReady
	case !ho.busy():
		want = isResting
	}
	if want == isReady && s.over(ho) {
		if s.eased && ho.where != isReady {
			s.lax = append(s.lax, h)
		} else if !s.eased {
			want = isCapped
		}
	}
	if want != ho.where {
		if want == isWaiting || want == isReady && ho.where != isWaiting {
			s.turns++
			ho.turn = s.turns
		}
		s.leave(h)
		s.enter(h, want, allowed, now)
		return
	}
	switch want {
	case isReady: // its best request may be another one
		if best := s.best(ho, request.DueLane).Key; best != ho.best {
			c := s.cells.At(ho.cell)
			c.ready = heap.Pull(byTurn{s}, c.ready, h)
			ho.best = best
			c.ready = heap.Plant(byTurn{s}, c.ready, h)
			s.setCell(ho.cell)
		}
	case isWaiting:
		heap.Fix(byWake{s}, s.waiting, int(ho.at), ho.wakeKey(allowed))
	case isResting:
		heap.Fix(byWake{s}, s.resting, int(ho.at), ho.wakeKey(allowed))
	}
}

// enter brings a host that is nowhere to where it belongs.
func (s *schedule) enter(h uint32, where whereabouts, allowed, now int64) {
	ho := s.hosts.At(h)
	ho.where = where
	switch where {
	case isReady:
		s.readyHosts++
		ho.since, ho.best = now, s.best(ho, request.DueLane).Key
		c := s.cells.At(ho.cell)
		c.ready = heap.Plant(byTurn{s}, c.ready, h)
		s.setCell(ho.cell)
	case isCapped:
		s.cap(h, now)
	case isWaiting:
		s.waiting = heap.Push(byWake{s}, s.waiting, h, ho.wakeKey(allowed))
	case isResting:
		s.resting = heap.Push(byWake{s}, s.resting, h, ho.wakeKey(allowed))
		if allowed <= now {
			s.forget(h)
		}
	}
}

// leave takes a host out of where it is.
func (s *schedule) leave(h uint32) {
	ho := s.hosts.At(h)
	switch ho.where {
	case isReady:
		c := s.cells.At(ho.cell)
		c.ready = heap.Pull(byTurn{s}, c.ready, h)
		s.setCell(ho.cell)
		s.readyHosts--
	case isCapped:
		s.uncap(h)
	case isWaiting:
		s.waiting = heap.Remove(byWake{s}, s.waiting, int(ho.at))
	case isResting:
		s.resting = heap.Remove(byWake{s}, s.resting, int(ho.at))
	}
	ho.where = isIdle
}

// forget removes a host that rests.
func (s *schedule) forget(h uint32) {
	s.leave(h)
	ho := s.hosts.At(h)
	s.leaveCell(ho.cell)
	s.part(ho.domain)
	s.part(ho.addr)
	s.setRecord(ho, nil)
	delete(s.names, ho.key)
	s.hosts.Remove(ho.key, h)
}

// alarm is when the first later request of a host can be leased. Before its
// clock runs out it cannot, so nothing is gained by making it due.
func (s *schedule) alarm(h uint32) int64 {
	ho := s.hosts.At(h)
	return max(int64(s.best(ho, request.LaterLane).Key), s.allowed(ho))
}

func (s *schedule) alarmKey(h uint32) heap.Key { return heap.Key{First: uint64(s.alarm(h))} }

// setAlarm puts a host where it belongs among those with later requests, after
// its clock or its first later request has changed.
func (s *schedule) setAlarm(h uint32) {
	ho := s.hosts.At(h)
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
