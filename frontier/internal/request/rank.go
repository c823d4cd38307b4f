package request

import (
	"cmp"
	"math"
)

// Rank is where a request stands in a queue of its host: the lesser one goes
// first.
type Rank struct {
	Key uint64 // of its priority, or its due time
	Seq uint64 // order of queueing
}

// Before says whether r goes before o.
func (r Rank) Before(o Rank) bool {
	if r.Key != o.Key {
		return r.Key < o.Key
	}
	return r.Seq < o.Seq
}

// PriorityKey is smaller the greater a priority is.
func PriorityKey(p float64) uint64 {
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
	DueLane   = iota // what may be visited now, by priority
	LaterLane        // what is due later, by due time
	Lanes
)

// Compare is negative if r goes before o, and positive if o before r.
func (r Rank) Compare(o Rank) int {
	return cmp.Or(cmp.Compare(r.Key, o.Key), cmp.Compare(r.Seq, o.Seq))
}
