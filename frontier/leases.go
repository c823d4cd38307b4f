package frontier

import "math"

// leases that end by themselves, in the order in which they began.
type leases struct {
	span int64 // how long one lasts; 0: for ever
	open []opened
}

type opened struct {
	fp uint64
	at int64
}

func (l *leases) begin(fp uint64, at int64) {
	if l.span > 0 {
		l.open = append(l.open, opened{fp, at})
	}
}

// next is when the first may be over.
func (l *leases) next() int64 {
	if len(l.open) == 0 {
		return math.MaxInt64
	}
	return after(l.open[0].at, l.span)
}

// tick tells the time, up to which leases have ended by themselves. The lock is held.
func (f *front) tick() int64 {
	now := f.clock.now()
	f.expire(now)
	return now
}

// expire ends and journals the leases that are over. The lock is held.
func (f *front) expire(now int64) {
	for l := &f.leases; l.next() <= now; {
		x := l.open[0]
		l.open = l.open[1:]
		i, ok := f.sched.live.find(x.fp)
		if !ok {
			continue
		}
		slot := f.sched.slots.at(i)
		switch end := after(slot.due, l.span); {
		case !slot.leased:
		case end > now: // it began later than it was written
			l.begin(x.fp, slot.due)
		default:
			f.sched.advance(end)
			f.journal.begin(now)
			f.journal.expired(x.fp)
			f.journal.end()
			f.sched.expire(i, end)
		}
	}
}

// expire makes a request wait again whose visitor has been silent for too long.
func (s *schedule) expire(i uint32, now int64) {
	s.lost(i)
	x := s.slots.at(i)
	r := s.request(i)
	x.due = nanos(r.Due)
	h := x.host
	ho := s.hosts.at(h)
	ho.leased--
	s.leased--
	s.count(h, -1, 0)
	if !ho.busy() {
		s.busy-- // place counts it again
	}
	s.place(i, now)
	if s.hosts.at(h).dropped() {
		s.drop(h, now)
	}
	s.setAlarm(h)
	s.settle(h, now)
}

// lost says that a lease is over without a word.
func (s *schedule) lost(i uint32) {
	x := s.slots.at(i)
	x.leased = false
	x.attempt = min(x.attempt+1, math.MaxInt32)
}

func (j *journal) expired(fp uint64) {
	if j != nil {
		j.steps.expired(fp)
	}
}

// expired applies that a lease has ended by itself.
func (r *replay) expired(d *decoder) {
	i, ok := r.sched.live.find(d.uint64())
	if !ok || !r.sched.slots.at(i).leased {
		d.fail()
		return
	}
	r.sched.lost(i)
}
