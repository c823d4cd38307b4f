package frontier

import "math"

// rank is where a request stands in a queue of its host: the lesser one goes
// first.
type rank struct {
	key uint64 // of its priority, or its due time
	seq uint64 // order of queueing
}

func (r rank) before(o rank) bool {
	if r.key != o.key {
		return r.key < o.key
	}
	return r.seq < o.seq
}

// priorityKey is smaller the greater a priority is.
func priorityKey(p float64) uint64 {
	if p == 0 {
		p = 0 // minus zero is no less
	}
	b := math.Float64bits(p)
	if b>>63 != 0 {
		return b
	}
	return ^b &^ (1 << 63)
}

// The two queues of a host.
const (
	dueLane   = iota // what may be visited now, by priority
	laterLane        // what is due later, by due time
	lanes
)

// rankIn is where a slot stands in a queue.
func (s *slot) rankIn(lane int) rank {
	if lane == laterLane {
		return rank{uint64(s.due), s.seq}
	}
	return rank{priorityKey(s.priority), s.seq}
}

// lane is what of a queue of a host is not in memory. It may be that head is
// better than the best of it; then reading it tells.
type lane struct {
	host  uint64 // key
	head  rank   // nothing of it is better
	n     int
	depth uint32 // nothing of it is deeper
	layer        // of the newest runs
	older uint32 // the layer below, in shelf.layers; 0: none
}

// layer says what of some runs, those from a number on up to the layer above,
// has been brought to memory: all up to a rank.
type layer struct {
	from uint32
	upTo rank // the zero rank: nothing
}

// shelf is what a schedule knows of the requests that are not in memory.
type shelf struct {
	source source       // nil: all are in memory
	lanes  []lane       // number 0 is in no use
	free   []uint32     // lanes without anything
	older  []olderLayer // number 0 is in no use
	unused []uint32     // of older
	fault  error        // of the source; the schedule is of no use any more
}

type olderLayer struct {
	layer
	older uint32
}

// source brings requests of a lane to memory.
type source interface {
	// bring puts the best of the requests of a lane into slots and returns them.
	// It sees to it that the lane tells what is left.
	bring(h uint32, lane int) ([]uint32, error)
}

// hasDue says whether something of the host is not due later.
func (h *host) hasDue() bool { return len(h.queue) > 0 || h.lanes[dueLane] != 0 }

// hasLater says whether something of the host is due later.
func (h *host) hasLater() bool { return len(h.later) > 0 || h.lanes[laterLane] != 0 }

// best is the rank of the first in a queue that is not empty.
func (s *schedule) best(ho *host, lane int) rank {
	r := rank{math.MaxUint64, math.MaxUint64}
	if l := ho.lanes[lane]; l != 0 {
		r = s.shelf.lanes[l].head
	}
	if q := ho.inMemory(lane); len(q) > 0 {
		if m := s.slots[q[0]].rankIn(lane); m.before(r) {
			return m
		}
	}
	return r
}

func (h *host) inMemory(lane int) []uint32 {
	if lane == laterLane {
		return h.later
	}
	return h.queue
}

// fetch sees to it that the first in a queue is in memory, and says no if it was
// not: then the queue has changed, or the schedule has a fault.
func (s *schedule) fetch(h uint32, lane int) bool {
	ho := s.hosts.at(h)
	l := ho.lanes[lane]
	if l == 0 {
		return true
	}
	if q := ho.inMemory(lane); len(q) > 0 && s.slots[q[0]].rankIn(lane).before(s.shelf.lanes[l].head) {
		return true
	}
	slots, err := s.shelf.source.bring(h, lane)
	if err != nil {
		s.shelf.fault = err
		return false
	}
	ho = s.hosts.at(h)
	for _, i := range slots {
		if lane == laterLane {
			ho.later = push(byDue{s.urls}, ho.later, i)
		} else {
			ho.queue = push(byRank{s.urls}, ho.queue, i)
		}
	}
	return false
}
