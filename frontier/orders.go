package frontier

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

func (o byRank) before(a, b uint32) bool {
	x, y := o.slots.at(a), o.slots.at(b)
	if x.priority != y.priority {
		return x.priority > y.priority
	}
	return x.seq < y.seq
}

func (o byDue) before(a, b uint32) bool {
	x, y := o.slots.at(a), o.slots.at(b)
	if x.due != y.due {
		return x.due < y.due
	}
	return x.seq < y.seq
}

func (o byTurn) before(a, b uint32) bool {
	return o.hosts.at(a).turnKey().before(o.hosts.at(b).turnKey())
}

func (o byCell) before(a, b uint32) bool {
	return byTurn(o).before(o.cells.at(a).ready, o.cells.at(b).ready)
}

func (o byRank) links(i uint32) *links { return &o.slots.at(i).links }
func (o byDue) links(i uint32) *links  { return &o.slots.at(i).links }
func (o byTurn) links(h uint32) *links { return &o.hosts.at(h).links }
func (o byCell) links(c uint32) *links { return &o.cells.at(c).links }

func (o byAlarm) placed(h uint32, at int) { o.hosts.at(h).alarm = uint32(at) + 1 }
func (o byWake) placed(h uint32, at int)  { o.hosts.at(h).at = uint32(at) }
func (o byGroup) placed(g uint32, at int) { o.groups.at(g).at = uint32(at) }
func (o byPause) placed(g uint32, at int) { o.groups.at(g).at = uint32(at) }

// turnKey is what ready hosts are sorted by: the greatest priority, then who has
// been ready for longest.
func (h *host) turnKey() sortKey { return sortKey{h.best, uint64(h.since), h.turn} }

// wakeKey is what hosts that wait for their clock are sorted by.
func (h *host) wakeKey(wake int64) sortKey { return sortKey{uint64(wake), h.turn, 0} }
