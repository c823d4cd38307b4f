package frontier

import (
	"math"
	"net/netip"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/slab"
)

// schedule decides which request is leased next. It is the whole of a frontier
// but for the lock, the waiting and the disk: what it does depends on its calls
// and the times they bring along, and on nothing else. A request stays in the
// queue of its host; what is ordered by time and turn is hosts, so that nothing
// here ever walks over all requests or all hosts.
type schedule struct {
	bounds
	*urls
	shelf shelf
	counts
	grouping
	hosts   slab.Table[host]
	records slab.Slab[record]
	hours
	shares
	rates
	names   map[uint64]string // of hosts that were parked or dropped, by key
	watches []*watch          // of those who look at hosts in steps
}

// hours are hosts by time.
type hours struct {
	waiting []heap.Entry // hosts with something due, heap by wake
	resting []heap.Entry // hosts with nothing at all, heap by wake
	later   []heap.Entry // hosts with something due later, heap by alarm
	parks   []heap.Entry // hosts that are parked, heap by time
	now     int64        // the latest time that was heard of
}

// counts of requests and hosts.
type counts struct {
	queued       int
	leased       int
	undue        int // queued, and in no queue of what is due
	dropped      int // not visited, for their hosts' sake
	readyHosts   int
	droppedHosts int
	away         int    // hosts that the last visit did not reach
	blocked      int    // hosts, by hand
	busy         int    // hosts with something queued or leased
	turns        uint64 // given to hosts
}

func newSchedule(limits Limits, seed uint64) *schedule {
	s := &schedule{bounds: limits.bounds(), urls: newURLs(seed)}
	s.most, s.of = limits.Budget.shareOf()
	return s
}

// touch reads what adding candidates will need, so that memory is waited for once
// and not for each. It returns something of it.
func (s *schedule) touch(cs []candidate, fresh []bool) (sum uint64) {
	for i := range cs {
		sum += s.hosts.Index.Touch(cs[i].host) + s.live.Touch(cs[i].fp)
	}
	free := s.slots.Free
	for i := range cs {
		if h, ok := s.hosts.Find(cs[i].host); ok {
			sum += s.hosts.At(h).key + uint64(s.hosts.At(h).where)
		}
		if !fresh[i] {
			if x, ok := s.live.Find(cs[i].fp); ok {
				sum += uint64(s.slots.At(x).depth)
			}
		} else if i < len(free) && free[len(free)-1-i] < s.slots.End {
			x := s.slots.At(free[len(free)-1-i])
			sum += x.fp + uint64(x.host)
		}
	}
	return sum + s.touchLanes(cs, fresh)
}

// touchLanes does the same for what of known URLs may be out of memory.
func (s *schedule) touchLanes(cs []candidate, fresh []bool) (sum uint64) {
	for i := range cs {
		if fresh[i] || s.shelf.source == nil {
			continue
		}
		if h, ok := s.hosts.Find(cs[i].host); ok {
			for _, l := range s.hosts.At(h).lanes {
				if l != 0 {
					sum += uint64(s.shelf.lanes.At(l).depth)
				}
			}
		}
	}
	return sum
}

// touchEnd reads what ending a lease will need, see touch.
func (s *schedule) touchEnd(x *slot) uint64 {
	ho := s.hosts.At(x.host)
	return s.live.Touch(x.fp) + s.hosts.Index.Touch(ho.key) + s.groups.Index.Touch(s.groups.At(ho.domain).key)
}

// verdict is what became of a candidate.
type verdict int

const (
	known verdict = iota
	added
	addedFirst // added, and nothing was known of its host
	lowered    // known and waiting, and now at a smaller depth
)

// add queues a candidate; fresh says that its URL was not added before.
func (s *schedule) add(c *candidate, fresh bool, now int64) verdict {
	if !fresh && c.again {
		return s.addAgain(c, now)
	}
	if !fresh {
		return s.lower(c.fp, c.host, c.Depth)
	}
	h, first := s.hostOf(c)
	if s.hosts.At(h).dropped() {
		s.urls.remove(s.insert(&c.Request, c.fp, h))
		s.countDropped(s.hosts.At(h), 1)
		return added
	}
	s.place(s.insert(&c.Request, c.fp, h), now)
	if first {
		return addedFirst
	}
	return added
}

// hostOf finds or makes the host of a candidate.
func (s *schedule) hostOf(c *candidate) (h uint32, first bool) {
	if h, ok := s.hosts.Find(c.host); ok {
		return h, false
	}
	h = s.addHost(c.host, request.Fingerprint(s.exempt.domainOf(c.name), s.seed))
	s.moveTo(h, literalAddr(c.name))
	return h, true
}

func (s *schedule) addHost(key, domainKey uint64) uint32 {
	h := s.hosts.Add(key, host{key: key, domain: s.join(domainKey, netip.Addr{})})
	s.hosts.At(h).cell = s.enterCell(s.hosts.At(h).domain, 0)
	return h
}

// place puts a request that waits into the queue of its host.
func (s *schedule) place(i uint32, now int64) {
	s.queued++
	x := s.slots.At(i)
	h := x.host
	ho := s.hosts.At(h)
	if !ho.busy() {
		s.busy++
	}
	if x.due > now {
		s.undue++
		s.enqueue(ho, request.LaterLane, i)
		s.setAlarm(h)
	} else {
		s.enqueue(ho, request.DueLane, i)
	}
	s.settle(h, now)
}

// advance lets time pass: requests become due, hosts ready or forgotten.
func (s *schedule) advance(now int64) {
	s.now = max(s.now, now)
	s.unpark(now) // before such hosts are forgotten
	for len(s.waiting) > 0 && s.waiting[0].At() <= now {
		s.settle(s.waiting[0].X, s.waiting[0].At())
	}
	for len(s.later) > 0 && s.later[0].At() <= now && s.shelf.fault == nil {
		h, at := s.later[0].X, s.later[0].At()
		if !s.fetch(h, request.LaterLane) {
			s.setAlarm(h)
			continue
		}
		ho := s.hosts.At(h)
		i := ho.queues[request.LaterLane].root
		s.undue--
		s.dequeue(ho, request.LaterLane, i)
		s.enqueue(ho, request.DueLane, i)
		if len(s.watches) > 0 {
			s.becameDue(ho.key, i)
		}
		s.setAlarm(h)
		s.settle(h, at)
	}
	if len(s.capped) > 0 && !s.eased && s.easing() <= now {
		s.ease()
	}
	for len(s.pausing) > 0 && s.pausing[0].At() <= now {
		s.setGroup(s.pausing[0].X)
	}
	for len(s.resting) > 0 && s.resting[0].At() <= now {
		s.forget(s.resting[0].X)
	}
}

// lease takes the best request whose host may be visited now, after advance.
func (s *schedule) lease(now int64) (uint32, bool) {
	h, ok := s.first(now)
	if !ok {
		return 0, false
	}
	ho := s.hosts.At(h)
	i := ho.queues[request.DueLane].root
	s.leave(h)
	s.dequeue(ho, request.DueLane, i)
	x := s.slots.At(i)
	x.leased, x.due = true, now
	ho.before, ho.clock.start = ho.clock.start, now
	ho.leased++
	s.leased++
	s.queued--
	s.count(h, 1, now)
	s.shareOut(ho.key, now)
	s.setAlarm(h)
	s.settle(h, now)
	if ho.lanes[request.DueLane] != 0 && ho.queues[request.DueLane].n == 0 && s.shelf.soon != nil {
		s.shelf.soon(h)
	}
	return i, true
}

// first is the host whose turn it is. Its best request is in memory.
func (s *schedule) first(now int64) (uint32, bool) {
	for s.leased < s.global && len(s.ready) > 0 && s.shelf.fault == nil {
		c := s.groups.At(s.ready[0].X).cells
		if other := s.cells.At(c).other(s.ready[0].X); !s.open(other) {
			s.handOver(c, other)
			continue
		}
		h := s.cells.At(c).ready
		if s.fetch(h, request.DueLane) {
			return h, true
		}
		s.settle(h, now) // its best may be another one than it seemed
	}
	return 0, false
}

// calm reports whether a host that is visited now may be visited again now, by its
// own clock and those of its groups.
func (s *schedule) calm(h uint32, now int64) bool {
	return s.domainDelay == 0 && s.ipDelay == 0 && s.allowed(s.hosts.At(h)) <= now
}

// started says that the visit of a lease starts now and not when it was leased.
func (s *schedule) started(i uint32, now int64) {
	x := s.slots.At(i)
	h := x.host
	x.due = max(x.due, now)
	clock := &s.hosts.At(h).clock
	clock.start = max(clock.start, now)
	s.now = max(s.now, now)
	s.count(h, 0, now)
	s.setAlarm(h)
	s.settle(h, now)
}

// rested is the clock of a host that asks for a rest at some time. Times may come
// in any order.
func (s *schedule) rested(r rest, ask, now int64) rest {
	ask = min(max(ask, 0), s.maxDelay)
	if ask > 0 {
		r.until = max(r.until, after(now, ask))
	}
	if now >= r.asked {
		r.gap, r.asked = ask, now
	}
	return r
}

// done ends the lease of a request, after judge, and queues it once more if it is
// to be offered again.
func (s *schedule) done(i uint32, v *ended) {
	now := v.at
	h := s.slots.At(i).host
	ho := s.hosts.At(h)
	if v.unvisited {
		if ho.clock.start == s.slots.At(i).due { // nobody came after
			ho.clock.start = ho.before
		}
	} else {
		ho.clock = s.rested(ho.clock, v.ask, now)
	}
	ho.leased--
	s.leased--
	s.rates.visited(now)
	s.count(h, -1, 0)
	if !ho.busy() {
		s.busy-- // place counts it again
	}
	if v.again == nil {
		s.urls.remove(i)
		s.tidySlots(4)
	} else {
		s.fill(i, v.again)
		s.place(i, now)
	}
	if s.hosts.At(h).dropped() {
		s.drop(h, now)
	}
	s.setAlarm(h)
	s.settle(h, now)
}

// nextEvent is when time alone will change what can be leased.
func (s *schedule) nextEvent() int64 {
	t := int64(math.MaxInt64)
	if len(s.waiting) > 0 {
		t = s.waiting[0].At()
	}
	if len(s.later) > 0 {
		t = min(t, s.later[0].At())
	}
	if len(s.capped) > 0 && !s.eased {
		t = min(t, s.easing())
	}
	if len(s.pausing) > 0 {
		t = min(t, s.pausing[0].At())
	}
	return t
}

// drained says whether nothing can be leased within the horizon, whatever time
// brings. A host's clock beyond the horizon is one that the host asked for: the
// horizon is at least as long as the delay of the limits.
func (s *schedule) drained(now, horizon int64) bool {
	if s.leased > 0 || len(s.ready) > 0 {
		return false
	}
	return s.queued == 0 || s.nextEvent() > after(now, horizon)
}
