package sched

import "github.com/webquarry/quarry/frontier/internal/request"

// Watch notes what of a host comes to memory.
type Watch struct {
	Host     uint64 // key
	Newest   uint64 // order of queueing of what was queued last when it began
	arrivals []Arrival
}

// Arrival is a request that has come to memory, or to another place there.
type Arrival struct {
	request.Rank
	Lane int
	FP   uint64
	Was  request.Rank // where it was among those due later, if it has become due; else zero
}

// Take returns what has come since. The lock is held.
func (w *Watch) Take() []Arrival {
	all := w.arrivals
	w.arrivals = nil
	return all
}

// came notes that a request is in a queue of a host in memory.
func (s *Schedule) came(host uint64, lane int, i uint32) {
	for _, w := range s.Watches {
		if w.Host == host {
			x := s.Slots.Look(i)
			w.arrivals = append(w.arrivals, Arrival{Rank: x.RankIn(lane), Lane: lane, FP: x.FP})
		}
	}
}

// becameDue notes that what came last, to a slot, was among what is due later.
func (s *Schedule) becameDue(host uint64, i uint32) {
	for _, w := range s.Watches {
		if n := len(w.arrivals); w.Host == host && n > 0 {
			w.arrivals[n-1].Was = s.Slots.Look(i).RankIn(request.LaterLane)
		}
	}
}
