package frontier

// The orders of the heaps of a schedule.
type (
	byRank  struct{ *urls }     // requests of a host: greater priority, then earlier queued
	byDue   struct{ *urls }     // requests of a host: due first
	byAlarm struct{ *schedule } // hosts: whose first later request is due first
	byWake  struct{ *schedule } // hosts: whose clock runs out first
	byTurn  struct{ *schedule } // hosts of a cell: whose turn it is
	byCell  struct{ *schedule } // cells of a group: whose host's turn it is
	byGroup struct{ *schedule } // groups: whose host's turn it is
	byPause struct{ *schedule } // groups: whose clock runs out first
)

func (o byRank) before(a, b uint32) bool {
	x, y := &o.slots[a], &o.slots[b]
	if x.priority != y.priority {
		return x.priority > y.priority
	}
	return x.seq < y.seq
}

func (o byDue) before(a, b uint32) bool {
	x, y := &o.slots[a], &o.slots[b]
	if x.due != y.due {
		return x.due < y.due
	}
	return x.seq < y.seq
}

func (o byAlarm) before(a, b uint32) bool { return o.alarm(a) < o.alarm(b) }

func (o byWake) before(a, b uint32) bool {
	x, y := o.hosts.at(a), o.hosts.at(b)
	if x.wake != y.wake {
		return x.wake < y.wake
	}
	return x.turn < y.turn
}

func (o byTurn) before(a, b uint32) bool {
	x, y := o.hosts.at(a), o.hosts.at(b)
	if p, q := o.best(x, dueLane).key, o.best(y, dueLane).key; p != q {
		return p < q
	}
	if x.since != y.since {
		return x.since < y.since
	}
	return x.turn < y.turn
}

func (o byCell) before(a, b uint32) bool {
	return byTurn(o).before(o.cells.at(a).ready[0], o.cells.at(b).ready[0])
}

func (o byGroup) before(a, b uint32) bool {
	return byCell(o).before(o.groups.at(a).cells[0], o.groups.at(b).cells[0])
}

func (o byPause) before(a, b uint32) bool { return o.groups.at(a).pause < o.groups.at(b).pause }

func (o byRank) placed(uint32, int)       {}
func (o byDue) placed(uint32, int)        {}
func (o byAlarm) placed(h uint32, at int) { o.hosts.at(h).alarm = at + 1 }
func (o byWake) placed(h uint32, at int)  { o.hosts.at(h).at = at }
func (o byTurn) placed(h uint32, at int)  { o.hosts.at(h).at = at }
func (o byCell) placed(c uint32, at int)  { o.cells.at(c).at = at }
func (o byGroup) placed(g uint32, at int) { o.groups.at(g).at = at }
func (o byPause) placed(g uint32, at int) { o.groups.at(g).at = at }
