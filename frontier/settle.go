package frontier

// settle puts a host where it belongs at some time: among the ready hosts of its
// domain, those that wait for their clock, those that rest with nothing to do,
// or nowhere. It may forget the host.
func (s *schedule) settle(h uint32, now int64) {
	ho := s.hosts.at(h)
	allowed := ho.clock.allowed(s.delay)
	want := isIdle
	switch {
	case ho.hasDue() && ho.leased < s.perHost && allowed > now:
		want = isWaiting
	case ho.hasDue() && ho.leased < s.perHost:
		want = isReady
	case !ho.busy():
		want = isResting
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
		fix(byTurn{s}, s.domains.at(ho.domain).ready, ho.at)
		s.setReady(ho.domain)
	case isWaiting:
		ho.wake = allowed
		fix(byWake{s}, s.waiting, ho.at)
	case isResting:
		ho.wake = allowed
		fix(byWake{s}, s.resting, ho.at)
	}
}

// enter brings a host that is nowhere to where it belongs.
func (s *schedule) enter(h uint32, where whereabouts, allowed, now int64) {
	ho := s.hosts.at(h)
	ho.where = where
	ho.wake = allowed
	switch where {
	case isReady:
		ho.since = now
		d := s.domains.at(ho.domain)
		d.ready = push(byTurn{s}, d.ready, h)
		s.setReady(ho.domain)
	case isWaiting:
		s.waiting = push(byWake{s}, s.waiting, h)
	case isResting:
		s.resting = push(byWake{s}, s.resting, h)
		if allowed <= now {
			s.forget(h)
		}
	}
}

// leave takes a host out of where it is.
func (s *schedule) leave(h uint32) {
	ho := s.hosts.at(h)
	switch ho.where {
	case isReady:
		d := s.domains.at(ho.domain)
		d.ready = remove(byTurn{s}, d.ready, ho.at)
		s.setReady(ho.domain)
	case isWaiting:
		s.waiting = remove(byWake{s}, s.waiting, ho.at)
	case isResting:
		s.resting = remove(byWake{s}, s.resting, ho.at)
	}
	ho.where = isIdle
}

// forget removes a host that rests.
func (s *schedule) forget(h uint32) {
	s.leave(h)
	ho := s.hosts.at(h)
	d := s.domains.at(ho.domain)
	if d.hosts--; d.hosts == 0 {
		s.domains.remove(d.key, ho.domain)
	}
	s.hosts.remove(ho.key, h)
}

// setReady puts a domain where it belongs: among the ready ones, if it has a
// ready host and may have another visit.
func (s *schedule) setReady(d uint32) {
	do := s.domains.at(d)
	want := len(do.ready) > 0 && do.leased < s.perDomain
	switch {
	case want && do.at >= 0:
		fix(byDomain{s}, s.ready, do.at)
	case want:
		s.ready = push(byDomain{s}, s.ready, d)
	case do.at >= 0:
		s.ready = remove(byDomain{s}, s.ready, do.at)
		do.at = -1
	}
}

// alarm is when the first later request of a host can be leased. Before its
// clock runs out it cannot, so nothing is gained by making it due.
func (s *schedule) alarm(h uint32) int64 {
	ho := s.hosts.at(h)
	return max(int64(s.best(ho, laterLane).key), ho.clock.allowed(s.delay))
}

// setAlarm puts a host where it belongs among those with later requests, after
// its clock or its first later request has changed.
func (s *schedule) setAlarm(h uint32) {
	ho := s.hosts.at(h)
	switch {
	case ho.hasLater() && ho.alarm > 0:
		fix(byAlarm{s}, s.later, ho.alarm-1)
	case ho.hasLater():
		s.later = push(byAlarm{s}, s.later, h)
	case ho.alarm > 0:
		s.later = remove(byAlarm{s}, s.later, ho.alarm-1)
		ho.alarm = 0
	}
}
