package sched

import (
	"context"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// Queued is a request and where it is in the order of queueing.
type Queued struct {
	Seq uint64
	request.Request
}

// Outlier is a request in a run that is not the next of its lane.
type Outlier struct {
	Lane int
	Queued
}

// Rank is where it stands in its lane.
func (x *Outlier) Rank() request.Rank {
	if x.Lane == request.LaterLane {
		return request.Rank{Key: uint64(x.Due), Seq: x.Seq}
	}
	return request.Rank{Key: request.PriorityKey(x.Priority), Seq: x.Seq}
}

// FindShelved finds URLs of a host among what is not in memory.
func (s *Schedule) FindShelved(ctx context.Context, h uint32, cs []Candidate) (map[uint64]Outlier, error) {
	if s.Hosts.At(h).Lanes == [request.Lanes]uint32{} {
		return nil, nil
	}
	missing, found := map[uint64]bool{}, map[uint64]Outlier{}
	for i := range cs {
		if _, ok := s.Live.Find(cs[i].FP); !ok {
			missing[cs[i].FP] = true
		}
	}
	n := 0
	for which := range request.Lanes {
		if s.Hosts.At(h).Lanes[which] == 0 {
			continue
		}
		err := s.Shelf.Source.Each(h, which, request.Rank{}, func(x *request.Stored) bool {
			if fp := s.KeyOf(x); missing[fp] {
				found[fp] = s.Outlier(x)
			}
			n++
			return len(found) < len(missing) && (n%1024 != 0 || ctx.Err() == nil)
		})
		if err != nil {
			s.Shelf.Fault = err
			return nil, nil
		}
	}
	if len(found) < len(missing) && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return found, nil
}

// Requeue gives a request that waits in memory another priority.
func (s *Schedule) Requeue(i uint32, priority float64) {
	x := s.Slots.At(i)
	ho := s.Hosts.At(x.Host)
	which := x.Lane()
	s.Dequeue(ho, which, i)
	s.Reprice(i, priority)
	s.Enqueue(ho, which, i)
}

// Reprice does the same outside of a queue.
func (s *Schedule) Reprice(i uint32, priority float64) {
	s.Seq++
	x := s.Slots.At(i)
	x.Priority, x.Seq = priority, s.Seq
}

// TakeOut brings a request to memory out of its turn.
func (s *Schedule) TakeOut(h uint32, x *Outlier, fp uint64) {
	delete(s.Lowered, fp)
	s.Shelf.TakeOut(s.Hosts.At(h), x.Lane, x.Seq)
	i := s.Insert(&x.Request, fp, h)
	s.Enqueue(s.Hosts.At(h), x.Lane, i)
}

// TakeOut notes that a request is in no run any more.
func (f *Shelf) TakeOut(ho *Host, which int, seq uint64) {
	f.Gone.Add(seq)
	l := f.Lanes.At(ho.Lanes[which])
	f.N--
	if l.N--; l.N == 0 {
		f.drop(ho, which)
	}
}

// Gone is requests in runs that wait there no more, by their order of queueing.
type Gone map[uint64]struct{}

// Add notes that a request waits in no run any more.
func (g *Gone) Add(seq uint64) {
	if *g == nil {
		*g = Gone{}
	}
	(*g)[seq] = struct{}{}
}

// Has says whether a request in a run waits there no more.
func (g Gone) Has(seq uint64) bool {
	if len(g) == 0 {
		return false
	}
	_, gone := g[seq]
	return gone
}
