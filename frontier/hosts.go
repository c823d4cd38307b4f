package frontier

import (
	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
)

// host is a scheme, name and port of which something is queued or leased, or
// whose clock has not run out yet. It holds no pointer and takes 144 bytes.
type host struct {
	key    uint64
	domain uint32 // group of its registrable domain
	addr   uint32 // group of its address; 0: not known
	cell   uint32
	record uint32 // number in schedule.records; 0: nothing
	leased int32
	fate   fate // that of its record
	parked bool // it is in schedule.parks
	clock  rest
	before int64 // clock.start before the last visit
	queues [request.Lanes]queue
	lanes  [request.Lanes]uint32 // what of both is not in memory, in schedule.shelf; 0: nothing
	standing
}

// queue is requests of a host that are in memory: a tree by rank or by due time.
type queue struct {
	root uint32 // slot of the first; 0: none
	n    uint32
}

// standing is where a host stands among the others.
type standing struct {
	where      whereabouts
	heap.Links        // in the tree of its cell
	at         uint32 // place in the heap that where names
	alarm      uint32 // place in schedule.later, from 1; 0: not there
	since      int64  // when it became ready
	turn       uint64 // order of hosts that are ready since the same time
	best       uint64 // while it is ready: key of its first request
}

// busy says whether anything of the host is queued or leased.
func (h *host) busy() bool { return h.leased > 0 || h.hasDue() || h.hasLater() }

// hasDue says whether something of the host is not due later.
func (h *host) hasDue() bool { return h.has(request.DueLane) }

// hasLater says whether something of the host is due later.
func (h *host) hasLater() bool { return h.has(request.LaterLane) }

func (h *host) has(lane int) bool { return h.queues[lane].n > 0 || h.lanes[lane] != 0 }

// enqueue puts a slot into a queue of its host.
func (s *schedule) enqueue(ho *host, lane int, i uint32) {
	if len(s.watches) > 0 {
		s.came(ho.key, lane, i)
	}
	q := &ho.queues[lane]
	q.n++
	s.slots.At(i).later = lane == request.LaterLane
	if lane == request.LaterLane {
		q.root = heap.Plant(byDue{s.urls}, q.root, i)
	} else {
		q.root = heap.Plant(byRank{s.urls}, q.root, i)
	}
}

// dequeue takes a slot out of a queue of its host.
func (s *schedule) dequeue(ho *host, lane int, i uint32) {
	q := &ho.queues[lane]
	q.n--
	if lane == request.LaterLane {
		q.root = heap.Pull(byDue{s.urls}, q.root, i)
	} else {
		q.root = heap.Pull(byRank{s.urls}, q.root, i)
	}
}

// queued appends the slots of a queue, in no order.
func (s *schedule) appendQueue(slots []uint32, q queue) []uint32 {
	heap.Walk(byRank{s.urls}, q.root, func(i uint32) bool {
		slots = append(slots, i)
		return true
	})
	return slots
}

// recordOf returns what is remembered of the visits to a host; nil: nothing.
func (s *schedule) recordOf(ho *host) *record {
	if ho.record == 0 {
		return nil
	}
	return s.records.At(ho.record)
}

// setRecord replaces what is remembered; nil: nothing.
func (s *schedule) setRecord(ho *host, r *record) {
	ho.fate = isWanted
	if old := s.recordOf(ho); old != nil {
		s.setLapse(old, lapse{})
		s.setHold(old, 0)
	}
	switch {
	case r != nil:
		if ho.record == 0 {
			ho.record = s.records.Take()
		}
		x := s.records.At(ho.record)
		*x = *r
		x.outage, x.hold = lapse{}, 0
		s.setLapse(x, r.outage)
		s.setHold(x, r.hold)
		ho.fate = r.fate
	case ho.record != 0:
		s.records.Give(ho.record)
		ho.record = 0
	}
}

// whereabouts of a host.
type whereabouts uint8

const (
	isIdle    whereabouts = iota // nothing to lease, or no more leases allowed
	isReady                      // in the tree of its cell
	isWaiting                    // until its clock allows a visit
	isCapped                     // until others were visited, as it has its share
	isResting                    // nothing queued or leased, until it may be forgotten
)

// rest is the politeness clock of a host in nanoseconds.
type rest struct {
	start int64 // of the last visit
	until int64 // no visit before, as the host asked
	gap   int64 // between visits, as the host asked
	asked int64 // when the host set gap
}

// allowed is when the next visit may start.
func (r rest) allowed(delay int64) int64 {
	if r.start == 0 {
		return r.until
	}
	return max(r.until, after(r.start, max(delay, r.gap)))
}
