package frontier

import (
	"math"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/slab"
)

// rankIn is where a slot stands in a queue.
func (s *slot) rankIn(lane int) request.Rank {
	if lane == request.LaterLane {
		return request.Rank{Key: uint64(s.due), Seq: s.seq}
	}
	return request.Rank{Key: request.PriorityKey(s.priority), Seq: s.seq}
}

// lane is what of a queue of a host is not in memory. It may be that head is
// better than the best of it; then reading it tells.
type lane struct {
	head  request.Rank // nothing of it is better
	n     uint32       // 0: the lane is in no use
	depth uint32       // nothing of it is deeper
	layer              // of the newest runs
	below uint32       // the layer of those before, in shelf.layers; 0: none
}

// layer says what of some runs, those from a stamp on up to the layer above, was
// brought to memory: all up to a rank. Runs from before the lowest layer have
// nothing that waits.
//
// Requests are brought best first, so that one layer does until a request is
// shelved that is better than others that were brought before.
type layer struct {
	from uint32
	upTo request.Rank // the zero rank: nothing
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
	lanes  slab.Slab[lane]
	layers slab.Slab[lower]
	n      int                 // requests
	gone   map[uint64]struct{} // orders of queueing of requests in runs that were taken out of turn
	stamp  uint32              // the last that was given
	oldest uint32              // no run has a smaller stamp
	fault  error               // of the source; the schedule is of no use any more
}

// put notes that so many requests of a host are not in memory any more, the best
// of which has this rank.
func (f *shelf) put(ho *host, which int, best request.Rank, n int, depth uint32) {
	if ho.lanes[which] == 0 {
		ho.lanes[which] = f.lanes.Take()
		*f.lanes.At(ho.lanes[which]) = lane{head: best, layer: layer{from: f.stamp + 1}}
	}
	l := f.lanes.At(ho.lanes[which])
	if !l.upTo.Before(best) {
		i := f.layers.Take()
		*f.layers.At(i) = lower{l.layer, l.below}
		l.layer, l.below = layer{from: f.stamp + 1}, i
		f.prune(l)
	}
	if best.Before(l.head) {
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
		b := f.layers.At(i)
		if from <= f.oldest {
			*below = b.below
			f.layers.Give(i)
			continue
		}
		from, below = b.from, &b.below
	}
}

// brought notes that all of a lane up to a rank is in memory, which were n
// requests, and what is the best that is left.
func (f *shelf) brought(ho *host, which int, upTo, head request.Rank, n int) {
	l := f.lanes.At(ho.lanes[which])
	f.n -= n
	l.n -= uint32(n)
	l.head = head
	if l.n == 0 {
		f.drop(ho, which)
		return
	}
	for i := l.below; i != 0; i = f.layers.At(i).below {
		if b := f.layers.At(i); b.upTo.Before(upTo) {
			b.upTo = upTo
		}
	}
	if l.upTo.Before(upTo) {
		l.upTo = upTo
	}
	for l.below != 0 && !l.upTo.Before(f.layers.At(l.below).upTo) { // they have become one
		i := l.below
		l.layer, l.below = f.layers.At(i).layer, f.layers.At(i).below
		f.layers.Give(i)
	}
}

// drop gives up a lane with nothing in it.
func (f *shelf) drop(ho *host, which int) {
	l := f.lanes.At(ho.lanes[which])
	for i := l.below; i != 0; {
		next := f.layers.At(i).below
		f.layers.Give(i)
		i = next
	}
	f.lanes.Give(ho.lanes[which])
	ho.lanes[which] = 0
}

// discard forgets what a lane holds and returns how many requests that was.
func (f *shelf) discard(ho *host, which int) int {
	if ho.lanes[which] == 0 {
		return 0
	}
	n := int(f.lanes.At(ho.lanes[which]).n)
	f.n -= n
	f.drop(ho, which)
	return n
}

// upTo says up to which rank the requests of a lane in a run were brought; or no:
// none of them waits.
func (f *shelf) upTo(l *lane, stamp uint32) (request.Rank, bool) {
	if stamp >= l.from {
		return l.upTo, true
	}
	for i := l.below; i != 0; {
		b := f.layers.At(i)
		if stamp >= b.from {
			return b.upTo, true
		}
		i = b.below
	}
	return request.Rank{}, false
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
	each(h uint32, lane int, behind request.Rank, do func(x *request.Stored) bool) error

	// peek sees to it that the lane tells what its best is.
	peek(h uint32, lane int) error
}

// best is the rank of the first in a queue that is not empty.
func (s *schedule) best(ho *host, lane int) request.Rank {
	r := request.Rank{Key: math.MaxUint64, Seq: math.MaxUint64}
	if l := ho.lanes[lane]; l != 0 {
		r = s.shelf.lanes.At(l).head
	}
	if q := ho.queues[lane]; q.n > 0 {
		if m := s.slots.At(q.root).rankIn(lane); m.Before(r) {
			return m
		}
	}
	return r
}

// fetch sees to it that the first in a queue is in memory, and says no if it was
// not: then the queue has changed, or the schedule has a fault.
func (s *schedule) fetch(h uint32, lane int) bool {
	ho := s.hosts.At(h)
	l := ho.lanes[lane]
	if l == 0 {
		return true
	}
	if q := ho.queues[lane]; q.n > 0 && s.slots.At(q.root).rankIn(lane).Before(s.shelf.lanes.At(l).head) {
		return true
	}
	slots, err := s.shelf.source.bring(h, lane)
	if err != nil {
		s.shelf.fault = err
		return false
	}
	ho = s.hosts.At(h)
	for _, i := range slots {
		s.enqueue(ho, lane, i)
	}
	return false
}
