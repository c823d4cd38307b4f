package frontier

import "github.com/webquarry/quarry/frontier/internal/heap"

// The orders of the trees and heaps of a schedule. In trees are
type (
	byRank struct{ *urls }     // requests of a host: greater priority, then earlier queued
	byDue  struct{ *urls }     // requests of a host: due first
	byTurn struct{ *schedule } // hosts of a cell: whose turn it is
	byCell struct{ *schedule } // cells of a group: whose host's turn it is
)

// and in heaps
type (
	byGroup struct{ *schedule } // groups: whose host's turn it is
	byAlarm struct{ *schedule } // hosts: whose first later request is due first
	byWake  struct{ *schedule } // hosts: whose clock runs out first, then by turn
	byPause struct{ *schedule } // groups: whose clock runs out first
)

func (o byRank) Before(a, b uint32) bool {
	x, y := o.slots.At(a), o.slots.At(b)
	if x.priority != y.priority {
		return x.priority > y.priority
	}
	return x.seq < y.seq
}

func (o byDue) Before(a, b uint32) bool {
	x, y := o.slots.At(a), o.slots.At(b)
	if x.due != y.due {
		return x.due < y.due
	}
	return x.seq < y.seq
}

func (o byTurn) Before(a, b uint32) bool {
	return o.hosts.At(a).turnKey().Before(o.hosts.At(b).turnKey())
}

func (o byCell) Before(a, b uint32) bool {
	return byTurn(o).Before(o.cells.At(a).ready, o.cells.At(b).ready)
}

func (o byRank) Links(i uint32) *heap.Links { return &o.slots.At(i).Links }
func (o byDue) Links(i uint32) *heap.Links  { return &o.slots.At(i).Links }
func (o byTurn) Links(h uint32) *heap.Links { return &o.hosts.At(h).Links }
func (o byCell) Links(c uint32) *heap.Links { return &o.cells.At(c).Links }

func (o byAlarm) Placed(h uint32, at int) { o.hosts.At(h).alarm = uint32(at) + 1 }
func (o byWake) Placed(h uint32, at int)  { o.hosts.At(h).at = uint32(at) }
func (o byGroup) Placed(g uint32, at int) { o.groups.At(g).at = uint32(at) }
func (o byPause) Placed(g uint32, at int) { o.groups.At(g).at = uint32(at) }

// turnKey is what ready hosts are sorted by: the greatest priority, then who has
// been ready for longest.
func (h *host) turnKey() heap.Key {
	return heap.Key{First: h.best, Second: uint64(h.since), Third: h.turn}
}

// wakeKey is what hosts that wait for their clock are sorted by.
func (h *host) wakeKey(wake int64) heap.Key {
	return heap.Key{First: uint64(wake), Second: h.turn, Third: 0}
}
