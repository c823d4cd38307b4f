package sched

import (
	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
)

// Host is a scheme, name and port of which something is queued or leased, or
// whose clock has not run out yet. It holds no pointer and takes 144 bytes.
type Host struct {
	Key    uint64
	Domain uint32 // group of its registrable domain
	Addr   uint32 // group of its address; 0: not known
	cell   uint32
	Record uint32 // number in Schedule.Records; 0: nothing
	Leased int32
	fate   Fate // that of its record
	parked bool // it is in Schedule.Parks
	Clock  Rest
	before int64 // Clock.Start before the last visit
	Queues [request.Lanes]queue
	Lanes  [request.Lanes]uint32 // what of both is not in memory, in Schedule.Shelf; 0: nothing
	standing
}

// queue is requests of a host that are in memory: a tree by rank or by due time.
type queue struct {
	Root uint32 // slot of the first; 0: none
	N    uint32
}

// standing is where a host stands among the others.
type standing struct {
	Where      Whereabouts
	heap.Links        // in the tree of its cell
	at         uint32 // place in the heap that where names
	alarm      uint32 // place in Schedule.later, from 1; 0: not there
	since      int64  // when it became ready
	turn       uint64 // order of hosts that are ready since the same time
	best       uint64 // while it is ready: key of its first request
}

// Busy says whether anything of the host is queued or leased.
func (h *Host) Busy() bool { return h.Leased > 0 || h.HasDue() || h.hasLater() }

// HasDue says whether something of the host is not due later.
func (h *Host) HasDue() bool { return h.has(request.DueLane) }

// hasLater says whether something of the host is due later.
func (h *Host) hasLater() bool { return h.has(request.LaterLane) }

func (h *Host) has(lane int) bool { return h.Queues[lane].N > 0 || h.Lanes[lane] != 0 }

// Enqueue puts a slot into a queue of its host.
func (s *Schedule) Enqueue(ho *Host, lane int, i uint32) {
	if len(s.Watches) > 0 {
		s.came(ho.Key, lane, i)
	}
	q := &ho.Queues[lane]
	q.N++
	s.Slots.At(i).Later = lane == request.LaterLane
	if lane == request.LaterLane {
		q.Root = heap.Plant(byDue{s.URLs}, q.Root, i)
	} else {
		q.Root = heap.Plant(ByRank{s.URLs}, q.Root, i)
	}
}

// Dequeue takes a slot out of a queue of its host.
func (s *Schedule) Dequeue(ho *Host, lane int, i uint32) {
	q := &ho.Queues[lane]
	q.N--
	if lane == request.LaterLane {
		q.Root = heap.Pull(byDue{s.URLs}, q.Root, i)
	} else {
		q.Root = heap.Pull(ByRank{s.URLs}, q.Root, i)
	}
}

// appendQueue appends the slots of a queue, in no order.
func (s *Schedule) appendQueue(slots []uint32, q queue) []uint32 {
	heap.Walk(ByRank{s.URLs}, q.Root, func(i uint32) bool {
		slots = append(slots, i)
		return true
	})
	return slots
}

// RecordOf returns what is remembered of the visits to a host; nil: nothing.
func (s *Schedule) RecordOf(ho *Host) *Record {
	if ho.Record == 0 {
		return nil
	}
	return s.Records.At(ho.Record)
}

// SetRecord replaces what is remembered; nil: nothing.
func (s *Schedule) SetRecord(ho *Host, r *Record) {
	ho.fate = IsWanted
	if old := s.RecordOf(ho); old != nil {
		s.SetLapse(old, Lapse{})
		s.setHold(old, 0)
	}
	switch {
	case r != nil:
		x := s.recordFor(ho)
		*x = *r
		x.Outage, x.Hold = Lapse{}, 0
		s.SetLapse(x, r.Outage)
		s.setHold(x, r.Hold)
		ho.fate = r.Fate
	case ho.Record != 0:
		s.Records.Give(ho.Record)
		ho.Record = 0
	}
}

// Whereabouts of a host.
type Whereabouts uint8

const (
	IsIdle    Whereabouts = iota // nothing to lease, or no more leases allowed
	IsReady                      // in the tree of its cell
	IsWaiting                    // until its clock allows a visit
	IsCapped                     // until others were visited, as it has its share
	IsResting                    // nothing queued or leased, until it may be forgotten
)

// Rest is the politeness clock of a host in nanoseconds.
type Rest struct {
	Start int64 // of the last visit
	Until int64 // no visit before, as the host asked
	Gap   int64 // between visits, as the host asked
	Asked int64 // when the host set Gap
}

// allowed is when the next visit may start.
func (r Rest) allowed(delay int64) int64 {
	if r.Start == 0 {
		return r.Until
	}
	return max(r.Until, After(r.Start, max(delay, r.Gap)))
}
