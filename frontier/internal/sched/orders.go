package sched

import "github.com/webquarry/quarry/frontier/internal/heap"

// The orders of the trees of a schedule.
type (
	// ByRank is requests of a host: greater priority, then earlier queued.
	ByRank struct{ *URLs }
	byDue  struct{ *URLs }     // requests of a host: due first
	byTurn struct{ *Schedule } // hosts of a cell: whose turn it is
	byCell struct{ *Schedule } // cells of a group: whose host's turn it is
)

// The orders of its heaps.
type (
	byGroup struct{ *Schedule } // groups: whose host's turn it is
	byAlarm struct{ *Schedule } // hosts: whose first later request is due first
	byWake  struct{ *Schedule } // hosts: whose clock runs out first, then by turn
	byPause struct{ *Schedule } // groups: whose clock runs out first
)

// Before implements [heap.Forest].
func (o ByRank) Before(a, b uint32) bool {
	x, y := o.Slots.At(a), o.Slots.At(b)
	if x.Priority != y.Priority {
		return x.Priority > y.Priority
	}
	return x.Seq < y.Seq
}

// Before implements [heap.Forest].
func (o byDue) Before(a, b uint32) bool {
	x, y := o.Slots.At(a), o.Slots.At(b)
	if x.Due != y.Due {
		return x.Due < y.Due
	}
	return x.Seq < y.Seq
}

// Before implements [heap.Forest].
func (o byTurn) Before(a, b uint32) bool {
	return o.Hosts.At(a).turnKey().Before(o.Hosts.At(b).turnKey())
}

// Before implements [heap.Forest].
func (o byCell) Before(a, b uint32) bool {
	return byTurn(o).Before(o.cells.At(a).ready, o.cells.At(b).ready)
}

// Links implements [heap.Forest].
func (o ByRank) Links(i uint32) *heap.Links { return &o.Slots.At(i).Links }

// Links implements [heap.Forest].
func (o byDue) Links(i uint32) *heap.Links { return &o.Slots.At(i).Links }

// Links implements [heap.Forest].
func (o byTurn) Links(h uint32) *heap.Links { return &o.Hosts.At(h).Links }

// Links implements [heap.Forest].
func (o byCell) Links(c uint32) *heap.Links { return &o.cells.At(c).Links }

// Placed implements [heap.Placer].
func (o byAlarm) Placed(h uint32, at int) { o.Hosts.At(h).alarm = uint32(at) + 1 }

// Placed implements [heap.Placer].
func (o byWake) Placed(h uint32, at int) { o.Hosts.At(h).at = uint32(at) }

// Placed implements [heap.Placer].
func (o byGroup) Placed(g uint32, at int) { o.Groups.At(g).at = uint32(at) }

// Placed implements [heap.Placer].
func (o byPause) Placed(g uint32, at int) { o.Groups.At(g).at = uint32(at) }

// turnKey is what ready hosts are sorted by: the greatest priority, then who has
// been ready for longest.
func (h *Host) turnKey() heap.Key {
	return heap.Key{First: h.best, Second: uint64(h.since), Third: h.turn}
}

// wakeKey is what hosts that wait for their clock are sorted by.
func (h *Host) wakeKey(wake int64) heap.Key {
	return heap.Key{First: uint64(wake), Second: h.turn, Third: 0}
}
