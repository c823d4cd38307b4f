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
	head  rank   // nothing of it is better
	n     uint32 // 0: the lane is in no use
	depth uint32 // nothing of it is deeper
	layer        // of the newest runs
	below uint32 // the layer of those before, in shelf.layers; 0: none
}

// layer says what of some runs, those from a stamp on up to the layer above, was
// brought to memory: all up to a rank. Runs from before the lowest layer have
// nothing that waits.
//
// Requests are brought best first, so that one layer does until a request is
// shelved that is better than others that were brought before.
type layer struct {
	from uint32
	upTo rank // the zero rank: nothing
}

// lower is a layer with another on top of it.
type lower struct {
	layer
	below uint32
}

// shelf is what a schedule knows of the requests that are not in memory.
type shelf struct {
	source source         // nil: all are in memory
	soon   func(h uint32) // told that more requests of a host will be needed; nil: nobody
	lanes  slab[lane]
	layers slab[lower]
	n      int                 // requests
	gone   map[uint64]struct{} // orders of queueing of requests in runs that were taken out of turn
	stamp  uint32              // the last that was given
	oldest uint32              // no run has a smaller stamp
	fault  error               // of the source; the schedule is of no use any more
}

// put notes that so many requests of a host are not in memory any more, the best
// of which has this rank.
func (f *shelf) put(ho *host, which int, best rank, n int, depth uint32) {
	if ho.lanes[which] == 0 {
		ho.lanes[which] = f.lanes.take()
		*f.lanes.at(ho.lanes[which]) = lane{head: best, layer: layer{from: f.stamp + 1}}
	}
	l := f.lanes.at(ho.lanes[which])
	if !l.upTo.before(best) {
		i := f.layers.take()
		*f.layers.at(i) = lower{l.layer, l.below}
		l.layer, l.below = layer{from: f.stamp + 1}, i
		f.prune(l)
	}
	if best.before(l.head) {
		l.head = best
	}
	l.n += uint32(n)
	l.depth = max(l.depth, depth)
	f.n += n
}

// prune gives up the layers of runs that are no more.
func (f *shelf) prune(l *lane) {
	below := &l.below
	for from := l.from; *below != 0; {
		i := *below
		b := f.layers.at(i)
		if from <= f.oldest {
			*below = b.below
			f.layers.give(i)
			continue
		}
		from, below = b.from, &b.below
	}
}

// brought notes that all of a lane up to a rank is in memory, which were n
// requests, and what is the best that is left.
func (f *shelf) brought(ho *host, which int, upTo, head rank, n int) {
	l := f.lanes.at(ho.lanes[which])
	f.n -= n
	l.n -= uint32(n)
	l.head = head
	if l.n == 0 {
		f.drop(ho, which)
		return
	}
	for i := l.below; i != 0; i = f.layers.at(i).below {
		if b := f.layers.at(i); b.upTo.before(upTo) {
			b.upTo = upTo
		}
	}
	if l.upTo.before(upTo) {
		l.upTo = upTo
	}
	for l.below != 0 && !l.upTo.before(f.layers.at(l.below).upTo) { // they have become one
		i := l.below
		l.layer, l.below = f.layers.at(i).layer, f.layers.at(i).below
		f.layers.give(i)
	}
}

// drop gives up a lane with nothing in it.
func (f *shelf) drop(ho *host, which int) {
	l := f.lanes.at(ho.lanes[which])
	for i := l.below; i != 0; {
		next := f.layers.at(i).below
		f.layers.give(i)
		i = next
	}
	f.lanes.give(ho.lanes[which])
	ho.lanes[which] = 0
}

// discard forgets what a lane holds and returns how many requests that was.
func (f *shelf) discard(ho *host, which int) int {
	if ho.lanes[which] == 0 {
		return 0
	}
	n := int(f.lanes.at(ho.lanes[which]).n)
	f.n -= n
	f.drop(ho, which)
	return n
}

// upTo says up to which rank the requests of a lane in a run were brought; or no:
// none of them waits.
func (f *shelf) upTo(l *lane, stamp uint32) (rank, bool) {
	if stamp >= l.from {
		return l.upTo, true
	}
	for i := l.below; i != 0; {
		b := f.layers.at(i)
		if stamp >= b.from {
			return b.upTo, true
		}
		i = b.below
	}
	return rank{}, false
}

// remembered counts what is kept in memory of single requests that are not.
func (s *schedule) remembered() int { return max(len(s.lowered), len(s.shelf.gone)) }

// source brings requests of a lane to memory.
type source interface {
	// bring puts the best of the requests of a lane into slots and returns them.
	// It sees to it that the lane tells what is left.
	bring(h uint32, lane int) ([]uint32, error)

	// each calls do for the requests of a lane that are behind a rank, best
	// first, until it says no.
	each(h uint32, lane int, behind rank, do func(x *shelved) bool) error

	// peek sees to it that the lane tells what its best is.
	peek(h uint32, lane int) error
}

// best is the rank of the first in a queue that is not empty.
func (s *schedule) best(ho *host, lane int) rank {
	r := rank{math.MaxUint64, math.MaxUint64}
	if l := ho.lanes[lane]; l != 0 {
		r = s.shelf.lanes.at(l).head
	}
	if q := ho.queues[lane]; q.n > 0 {
		if m := s.slots.at(q.root).rankIn(lane); m.before(r) {
			return m
		}
	}
	return r
}

// fetch sees to it that the first in a queue is in memory, and says no if it was
// not: then the queue has changed, or the schedule has a fault.
func (s *schedule) fetch(h uint32, lane int) bool {
	ho := s.hosts.at(h)
	l := ho.lanes[lane]
	if l == 0 {
		return true
	}
	if q := ho.queues[lane]; q.n > 0 && s.slots.at(q.root).rankIn(lane).before(s.shelf.lanes.at(l).head) {
		return true
	}
	slots, err := s.shelf.source.bring(h, lane)
	if err != nil {
		s.shelf.fault = err
		return false
	}
	ho = s.hosts.at(h)
	for _, i := range slots {
		s.enqueue(ho, lane, i)
	}
	return false
}
