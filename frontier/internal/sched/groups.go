package sched

import (
	"net/netip"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/slab"
)

// Group is hosts that share a limit: those of a registrable domain, or those
// at an address. Every host is in one of the first kind and, when its address is
// known, in one of the second. As neither kind is within the other, hosts that
// have both groups in common form a cell, and it is cells that groups hold.
//
// A cell with a ready host is held by one of its two groups. The groups that are
// open and hold something are in a heap; when a cell comes up there whose other
// group is closed, it is handed over to that one and waits there. Either of its
// groups must close and open for a cell to be handed over once more, which takes
// a visit, so there are not more handovers than visits and hosts.
type Group struct {
	Key    uint64
	Pause  int64 // its clock closes it until then
	hosts  int32
	Leased int32
	cells  uint32 // held here: a tree by cell
	plain  uint32 // of a domain: the cell of its hosts without an address, which no index has
	at     uint32 // place in the heap that where names
	where  groupPlace
	ipLen  uint8 // bytes of its address; 0: a domain
	ip     [16]byte
}

// Addr is not valid if the group is a domain.
func (g *Group) Addr() netip.Addr {
	a, _ := netip.AddrFromSlice(g.ip[:g.ipLen])
	return a
}

// AddrOf is the address of a host; not valid: not known.
func (s *Schedule) AddrOf(ho *Host) netip.Addr {
	if ho.Addr == 0 {
		return netip.Addr{}
	}
	return s.Groups.At(ho.Addr).Addr()
}

// grouping is all groups and their cells.
type grouping struct {
	Groups  slab.Table[Group]
	cells   slab.Table[cell]
	Ready   []heap.Entry // open groups with a ready host, heap by group
	pausing []heap.Entry // groups with a ready host that only their clock closes, heap by pause
}

// groupPlace is in which heap a group is.
type groupPlace uint8

const (
	isNowhere groupPlace = iota // holds nothing, or has no leases left
	isOpen                      // in Schedule.Ready
	isPausing                   // in Schedule.pausing
)

// cell is the hosts of a domain at an address.
type cell struct {
	domain, addr uint32 // groups
	holder       uint32 // one of both, if it has a ready host; otherwise 0
	hosts        int32
	ready        uint32 // hosts: a tree by turn
	heap.Links          // in the tree of the holder
}

// other is the group of a cell that is not g.
func (c *cell) other(g uint32) uint32 { return c.domain + c.addr - g }

// join counts one more host in the group of a domain or an address.
func (s *Schedule) join(key uint64, addr netip.Addr) uint32 {
	g, ok := s.Groups.Find(key)
	if !ok {
		x := Group{Key: key, ipLen: uint8(addr.BitLen() / 8)}
		copy(x.ip[:], addr.AsSlice())
		g = s.Groups.Add(key, x)
	}
	s.Groups.At(g).hosts++
	return g
}

// part counts one host less in a group.
func (s *Schedule) part(g uint32) {
	if g == 0 {
		return
	}
	x := s.Groups.At(g)
	if x.hosts--; x.hosts == 0 {
		s.Groups.Remove(x.Key, g)
	}
}

// cellKey is another one for each two groups, and spread evenly.
func cellKey(domain, addr uint32) uint64 {
	k := uint64(domain)<<32 | uint64(addr^domain)
	return k * 0x9e3779b97f4a7c15
}

// enterCell counts one more host in a cell.
func (s *Schedule) enterCell(domain, addr uint32) uint32 {
	var c uint32
	if addr == 0 {
		c = s.Groups.At(domain).plain
	} else {
		c, _ = s.cells.Find(cellKey(domain, addr))
	}
	if c == 0 {
		c = s.newCell(domain, addr)
	}
	s.cells.At(c).hosts++
	return c
}

func (s *Schedule) newCell(domain, addr uint32) uint32 {
	x := cell{domain: domain, addr: addr}
	if addr != 0 {
		return s.cells.Add(cellKey(domain, addr), x)
	}
	c := s.cells.Take()
	*s.cells.At(c) = x
	s.Groups.At(domain).plain = c
	return c
}

func (s *Schedule) leaveCell(c uint32) {
	x := s.cells.At(c)
	switch x.hosts--; {
	case x.hosts > 0:
	case x.addr != 0:
		s.cells.Remove(cellKey(x.domain, x.addr), c)
	default:
		s.Groups.At(x.domain).plain = 0
		s.cells.Give(c)
	}
}

// setCell puts a cell where it belongs after its ready hosts have changed.
func (s *Schedule) setCell(c uint32) {
	x := s.cells.At(c)
	if x.holder == 0 {
		x.holder = x.domain
		g := s.Groups.At(x.holder)
		g.cells = heap.Plant(byCell{s}, g.cells, c)
		s.setGroup(x.holder)
		return
	}
	g, held := s.Groups.At(x.holder), x.holder
	g.cells = heap.Pull(byCell{s}, g.cells, c)
	if x.ready != 0 {
		g.cells = heap.Plant(byCell{s}, g.cells, c)
	} else {
		x.holder = 0
	}
	s.setGroup(held)
}

// handOver gives a cell to its other group, which is closed.
func (s *Schedule) handOver(c, to uint32) {
	x := s.cells.At(c)
	from := x.holder
	g := s.Groups.At(from)
	g.cells = heap.Pull(byCell{s}, g.cells, c)
	s.setGroup(from)
	x.holder = to
	g = s.Groups.At(to)
	g.cells = heap.Plant(byCell{s}, g.cells, c)
	s.setGroup(to)
}

// MoveTo notes the address of a host, which takes its leases along.
func (s *Schedule) MoveTo(h uint32, addr netip.Addr) {
	if addr = plainAddr(addr); addr.IsValid() {
		s.SetAddr(h, addr)
	}
}

// SetAddr is MoveTo also for a host whose address is not known any more: then addr is not valid.
func (s *Schedule) SetAddr(h uint32, addr netip.Addr) {
	ho := s.Hosts.At(h)
	if s.Exempt.addr(addr) {
		addr = netip.Addr{}
	}
	if s.AddrOf(ho) == addr {
		return
	}
	where, since := ho.Where, ho.since
	if where == IsReady {
		s.leave(h)
	}
	old := ho.Addr
	g := uint32(0)
	if addr.IsValid() {
		g = s.join(request.Fingerprint("addr "+addr.String(), s.Seed), addr)
	}
	ho.Addr = g
	s.leaveCell(ho.cell)
	ho.cell = s.enterCell(ho.Domain, g)
	s.regroup(ho, old)
	s.part(old)
	if where == IsReady {
		s.enter(h, IsReady, 0, since)
	}
}

// regroup moves what a host has to do with its address to the group where it
// is now.
func (s *Schedule) regroup(ho *Host, old uint32) {
	if old != 0 {
		s.Groups.At(old).Leased -= ho.Leased
		s.setGroup(old)
	}
	if ho.Addr != 0 {
		g := s.Groups.At(ho.Addr)
		g.Leased += ho.Leased
		if ho.Clock.Start > 0 && s.IPDelay > 0 {
			g.Pause = max(g.Pause, After(ho.Clock.Start, s.IPDelay))
		}
		s.setGroup(ho.Addr)
	}
}

// Count adds n to the leases of the groups of a host; if start is not zero a
// visit to it begins then.
func (s *Schedule) Count(h uint32, n int, start int64) {
	ho := s.Hosts.At(h)
	for _, g := range [...]uint32{ho.Domain, ho.Addr} {
		if g == 0 {
			continue
		}
		x := s.Groups.At(g)
		x.Leased += int32(n)
		if _, delay := s.LimitsOf(x); start > 0 && delay > 0 {
			x.Pause = max(x.Pause, After(start, delay))
		}
		s.setGroup(g)
	}
}

// LimitsOf are the leases that a group may have and the gap between its visits.
func (s *Schedule) LimitsOf(g *Group) (leases int, delay int64) {
	if g.ipLen > 0 {
		return s.PerIP, s.IPDelay
	}
	return s.PerDomain, s.DomainDelay
}

// open says whether a group may have another visit now.
func (s *Schedule) open(g uint32) bool {
	if g == 0 {
		return true
	}
	x := s.Groups.At(g)
	leases, _ := s.LimitsOf(x)
	return int(x.Leased) < leases && x.Pause <= s.Now
}

// groupKey is the turn of the first host of a group.
func (s *Schedule) groupKey(g *Group) heap.Key {
	return s.Hosts.At(s.cells.At(g.cells).ready).turnKey()
}

// setGroup puts a group where it belongs.
func (s *Schedule) setGroup(g uint32) {
	x := s.Groups.At(g)
	leases, _ := s.LimitsOf(x)
	want := isNowhere
	switch {
	case x.cells == 0 || int(x.Leased) >= leases:
	case x.Pause > s.Now:
		want = isPausing
	default:
		want = isOpen
	}
	if want == x.where {
		switch want {
		case isOpen:
			heap.Fix(byGroup{s}, s.Ready, int(x.at), s.groupKey(x))
		case isPausing:
			heap.Fix(byPause{s}, s.pausing, int(x.at), heap.Key{First: uint64(x.Pause)})
		}
		return
	}
	switch x.where {
	case isOpen:
		s.Ready = heap.Remove(byGroup{s}, s.Ready, int(x.at))
	case isPausing:
		s.pausing = heap.Remove(byPause{s}, s.pausing, int(x.at))
	}
	x.where = want
	switch want {
	case isOpen:
		s.Ready = heap.Push(byGroup{s}, s.Ready, g, s.groupKey(x))
	case isPausing:
		s.pausing = heap.Push(byPause{s}, s.pausing, g, heap.Key{First: uint64(x.Pause)})
	}
}
