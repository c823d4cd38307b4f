package sched

import (
	"math"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/slab"
)

// RankIn is where a slot stands in a queue.
func (s *Slot) RankIn(lane int) request.Rank {
	if lane == request.LaterLane {
		return request.Rank{Key: uint64(s.Due), Seq: s.Seq}
	}
	return request.Rank{Key: request.PriorityKey(s.Priority), Seq: s.Seq}
}

// Lane is what of a queue of a host is not in memory. It may be that Head is
// better than the best of it; then reading it tells.
type Lane struct {
	Head  request.Rank // nothing of it is better
	N     uint32       // 0: the lane is in no use
	Depth uint32       // nothing of it is deeper
	Layer              // of the newest runs
	Below uint32       // the layer of those before, in Shelf.Layers; 0: none
}

// Layer says what of some runs, those from a stamp on up to the layer above, was
// brought to memory: all up to a rank. Runs from before the lowest layer have
// nothing that waits.
//
// Requests are brought best first, so that one layer does until a request is
// shelved that is better than others that were brought before.
type Layer struct {
	From uint32
	UpTo request.Rank // the zero rank: nothing
}

// Below is a layer with another on top of it.
type Below struct {
	Layer
	Below uint32
}

// Shelf is what a schedule knows of the requests that are not in memory.
type Shelf struct {
	Source Source         // nil: all are in memory
	Soon   func(h uint32) // told that more requests of a host will be needed; nil: nobody
	Lanes  slab.Slab[Lane]
	Layers slab.Slab[Below]
	N      int    // requests
	Gone   Gone   // requests in runs that were taken out of turn
	Stamp  uint32 // the last that was given
	Oldest uint32 // no run has a smaller stamp
	Fault  error  // of the source; the schedule is of no use any more
}

// Put notes that so many requests of a host are not in memory any more, the best
// of which has this rank.
func (f *Shelf) Put(ho *Host, which int, best request.Rank, n int, depth uint32) {
	if ho.Lanes[which] == 0 {
		ho.Lanes[which] = f.Lanes.Take()
		*f.Lanes.At(ho.Lanes[which]) = Lane{Head: best, Layer: Layer{From: f.Stamp + 1}}
	}
	l := f.Lanes.At(ho.Lanes[which])
	if !l.UpTo.Before(best) {
		i := f.Layers.Take()
		*f.Layers.At(i) = Below{l.Layer, l.Below}
		l.Layer, l.Below = Layer{From: f.Stamp + 1}, i
		f.prune(l)
	}
	if best.Before(l.Head) {
		l.Head = best
	}
	l.N += uint32(n)
	l.Depth = max(l.Depth, depth)
	f.N += n
}

// prune gives up the layers of runs that are no more.
func (f *Shelf) prune(l *Lane) {
	below := &l.Below
	for from := l.From; *below != 0; {
		i := *below
		b := f.Layers.At(i)
		if from <= f.Oldest {
			*below = b.Below
			f.Layers.Give(i)
			continue
		}
		from, below = b.From, &b.Below
	}
}

// Brought notes that all of a lane up to a rank is in memory, which were n
// requests, and what is the best that is left.
func (f *Shelf) Brought(ho *Host, which int, upTo, head request.Rank, n int) {
	l := f.Lanes.At(ho.Lanes[which])
	f.N -= n
	l.N -= uint32(n)
	l.Head = head
	if l.N == 0 {
		f.drop(ho, which)
		return
	}
	for i := l.Below; i != 0; i = f.Layers.At(i).Below {
		if b := f.Layers.At(i); b.UpTo.Before(upTo) {
			b.UpTo = upTo
		}
	}
	if l.UpTo.Before(upTo) {
		l.UpTo = upTo
	}
	for l.Below != 0 && !l.UpTo.Before(f.Layers.At(l.Below).UpTo) { // they have become one
		i := l.Below
		l.Layer, l.Below = f.Layers.At(i).Layer, f.Layers.At(i).Below
		f.Layers.Give(i)
	}
}

// drop gives up a lane with nothing in it.
func (f *Shelf) drop(ho *Host, which int) {
	l := f.Lanes.At(ho.Lanes[which])
	for i := l.Below; i != 0; {
		next := f.Layers.At(i).Below
		f.Layers.Give(i)
		i = next
	}
	f.Lanes.Give(ho.Lanes[which])
	ho.Lanes[which] = 0
}

// Discard forgets what a lane holds and returns how many requests that was.
func (f *Shelf) Discard(ho *Host, which int) int {
	if ho.Lanes[which] == 0 {
		return 0
	}
	n := int(f.Lanes.At(ho.Lanes[which]).N)
	f.N -= n
	f.drop(ho, which)
	return n
}

// UpTo says up to which rank the requests of a lane in a run were brought; or no:
// none of them waits.
func (f *Shelf) UpTo(l *Lane, stamp uint32) (request.Rank, bool) {
	if stamp >= l.From {
		return l.UpTo, true
	}
	for i := l.Below; i != 0; {
		b := f.Layers.At(i)
		if stamp >= b.From {
			return b.UpTo, true
		}
		i = b.Below
	}
	return request.Rank{}, false
}

// Remembered counts what is kept in memory of single requests that are not.
func (s *Schedule) Remembered() int { return max(len(s.Lowered), len(s.Shelf.Gone)) }

// Source brings requests of a lane to memory.
type Source interface {
	// Bring puts the best of the requests of a lane into slots and returns them.
	// It sees to it that the lane tells what is left.
	Bring(h uint32, lane int) ([]uint32, error)

	// Each calls do for the requests of a lane that are behind a rank, best
	// first, until it says no.
	Each(h uint32, lane int, behind request.Rank, do func(x *request.Stored) bool) error

	// Peek sees to it that the lane tells what its best is.
	Peek(h uint32, lane int) error
}

// best is the rank of the first in a queue that is not empty.
func (s *Schedule) best(ho *Host, lane int) request.Rank {
	r := request.Rank{Key: math.MaxUint64, Seq: math.MaxUint64}
	if l := ho.Lanes[lane]; l != 0 {
		r = s.Shelf.Lanes.At(l).Head
	}
	if q := ho.Queues[lane]; q.N > 0 {
		if m := s.Slots.At(q.Root).RankIn(lane); m.Before(r) {
			return m
		}
	}
	return r
}

// fetch sees to it that the first in a queue is in memory, and says no if it was
// not: then the queue has changed, or the schedule has a fault.
func (s *Schedule) fetch(h uint32, lane int) bool {
	ho := s.Hosts.At(h)
	l := ho.Lanes[lane]
	if l == 0 {
		return true
	}
	if q := ho.Queues[lane]; q.N > 0 && s.Slots.At(q.Root).RankIn(lane).Before(s.Shelf.Lanes.At(l).Head) {
		return true
	}
	slots, err := s.Shelf.Source.Bring(h, lane)
	if err != nil {
		s.Shelf.Fault = err
		return false
	}
	ho = s.Hosts.At(h)
	for _, i := range slots {
		s.Enqueue(ho, lane, i)
	}
	return false
}
