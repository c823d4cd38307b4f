package sched

import (
	"math"
	"net/netip"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/slab"
)

// Schedule decides which request is leased next. It is the whole of a frontier
// but for the lock, the waiting and the disk: what it does depends on its calls
// and the times they bring along, and on nothing else. A request stays in the
// queue of its host; what is ordered by time and turn is hosts, so that nothing
// here ever walks over all requests or all hosts.
type Schedule struct {
	Limits
	*URLs
	Shelf Shelf
	counts
	grouping
	Hosts   slab.Table[Host]
	Records slab.Slab[Record]
	hours
	Shares
	Rates
	Names   map[uint64]string // of hosts that were parked or dropped, by key
	Watches []*Watch          // of those who look at hosts in steps
}

// hours are hosts by time.
type hours struct {
	Waiting []heap.Entry // hosts with something due, heap by wake
	resting []heap.Entry // hosts with nothing at all, heap by wake
	later   []heap.Entry // hosts with something due later, heap by alarm
	Parks   []heap.Entry // hosts that are parked, heap by time
	Now     int64        // the latest time that was heard of
}

// counts of requests and hosts.
type counts struct {
	Queued       int
	Leased       int
	Undue        int // queued, and in no queue of what is due
	Dropped      int // not visited, for their hosts' sake
	ReadyHosts   int
	DroppedHosts int
	Away         int    // hosts that the last visit did not reach
	Blocked      int    // hosts, by hand
	Busy         int    // hosts with something queued or leased
	turns        uint64 // given to hosts
}

// New makes an empty schedule. Fingerprints depend on seed.
func New(b Limits, seed uint64) *Schedule {
	s := &Schedule{Limits: b, URLs: newURLs(seed)}
	s.most, s.of = b.Budget.shareOf()
	return s
}

// Touch reads what adding candidates will need, so that memory is waited for once
// and not for each. It returns something of it.
func (s *Schedule) Touch(cs []Candidate, fresh []bool) (sum uint64) {
	for i := range cs {
		sum += s.Hosts.Index.Touch(cs[i].Host) + s.Live.Touch(cs[i].FP)
	}
	free := s.Slots.Free
	for i := range cs {
		if h, ok := s.Hosts.Find(cs[i].Host); ok {
			sum += s.Hosts.At(h).Key + uint64(s.Hosts.At(h).Where)
		}
		if !fresh[i] {
			if x, ok := s.Live.Find(cs[i].FP); ok {
				sum += uint64(s.Slots.At(x).Depth)
			}
		} else if i < len(free) && free[len(free)-1-i] < s.Slots.End {
			x := s.Slots.At(free[len(free)-1-i])
			sum += x.FP + uint64(x.Host)
		}
	}
	return sum + s.touchLanes(cs, fresh)
}

// touchLanes is Touch for what of known URLs may be out of memory.
func (s *Schedule) touchLanes(cs []Candidate, fresh []bool) (sum uint64) {
	for i := range cs {
		if fresh[i] || s.Shelf.Source == nil {
			continue
		}
		if h, ok := s.Hosts.Find(cs[i].Host); ok {
			for _, l := range s.Hosts.At(h).Lanes {
				if l != 0 {
					sum += uint64(s.Shelf.Lanes.At(l).Depth)
				}
			}
		}
	}
	return sum
}

// TouchEnd reads what ending a lease will need, see Touch.
func (s *Schedule) TouchEnd(x *Slot) uint64 {
	ho := s.Hosts.At(x.Host)
	return s.Live.Touch(x.FP) + s.Hosts.Index.Touch(ho.Key) + s.Groups.Index.Touch(s.Groups.At(ho.Domain).Key)
}

// Candidate is a request whose URL was looked at and found good.
type Candidate struct {
	request.Request
	FP   uint64 // of the URL
	Host uint64 // of scheme, host name and port
	Name string // host name

	Again bool // it is to be queued although it is known, unless it is in memory
}

// NewCandidate looks at a request, and says what is wrong with its URL, if anything is.
// Fingerprints depend on seed, so that nobody can make up a URL that hides another one.
func NewCandidate(r request.Request, seed uint64) (c Candidate, msg string) {
	key, name, msg := request.SplitHost(r.URL)
	if msg != "" {
		return Candidate{}, msg
	}
	return Candidate{Request: r, FP: request.KeyOf(request.Fingerprint(r.URL, seed), r.Variant), Host: request.Fingerprint(key, seed), Name: name}, ""
}

// Verdict is what became of a candidate.
type Verdict int

// What becomes of a candidate.
const (
	Known      Verdict = iota // nothing changes
	Added                     // it is queued, or dropped as its host is
	AddedFirst                // added, and nothing was known of its host
	Lowered                   // known and waiting, and now at a smaller depth
)

// Add queues a candidate; fresh says that its URL was not added before.
func (s *Schedule) Add(c *Candidate, fresh bool, now int64) Verdict {
	if !fresh && c.Again {
		return s.addAgain(c, now)
	}
	if !fresh {
		return s.lower(c.FP, c.Host, c.Depth)
	}
	h, first := s.HostOf(c)
	if s.Hosts.At(h).Dropped() {
		s.URLs.Remove(s.Insert(&c.Request, c.FP, h))
		s.countDropped(s.Hosts.At(h), 1)
		return Added
	}
	s.place(s.Insert(&c.Request, c.FP, h), now)
	if first {
		return AddedFirst
	}
	return Added
}

// addAgain queues a candidate that was visited before.
func (s *Schedule) addAgain(c *Candidate, now int64) Verdict {
	if _, live := s.Live.Find(c.FP); live {
		return s.lower(c.FP, c.Host, c.Depth)
	}
	h, first := s.HostOf(c)
	if s.Hosts.At(h).Dropped() {
		return Known
	}
	delete(s.Lowered, c.FP)
	s.place(s.Insert(&c.Request, c.FP, h), now)
	if first {
		return AddedFirst
	}
	return Added
}

// HostOf finds or makes the host of a candidate.
func (s *Schedule) HostOf(c *Candidate) (h uint32, first bool) {
	if h, ok := s.Hosts.Find(c.Host); ok {
		return h, false
	}
	h = s.AddHost(c.Host, request.Fingerprint(s.Exempt.domainOf(c.Name), s.Seed))
	s.MoveTo(h, LiteralAddr(c.Name))
	return h, true
}

// AddHost makes a host of a domain, both by their keys.
func (s *Schedule) AddHost(key, domainKey uint64) uint32 {
	h := s.Hosts.Add(key, Host{Key: key, Domain: s.join(domainKey, netip.Addr{})})
	s.Hosts.At(h).cell = s.enterCell(s.Hosts.At(h).Domain, 0)
	return h
}

// place puts a request that waits into the queue of its host.
func (s *Schedule) place(i uint32, now int64) {
	s.Queued++
	x := s.Slots.At(i)
	h := x.Host
	ho := s.Hosts.At(h)
	if !ho.Busy() {
		s.Busy++
	}
	if x.Due > now {
		s.Undue++
		s.Enqueue(ho, request.LaterLane, i)
		s.SetAlarm(h)
	} else {
		s.Enqueue(ho, request.DueLane, i)
	}
	s.Settle(h, now)
}

// Advance lets time pass: requests become due, hosts ready or forgotten.
func (s *Schedule) Advance(now int64) {
	s.Now = max(s.Now, now)
	s.Unpark(now) // before such hosts are forgotten
	for len(s.Waiting) > 0 && s.Waiting[0].At() <= now {
		s.Settle(s.Waiting[0].X, s.Waiting[0].At())
	}
	for len(s.later) > 0 && s.later[0].At() <= now && s.Shelf.Fault == nil {
		h, at := s.later[0].X, s.later[0].At()
		if !s.fetch(h, request.LaterLane) {
			s.SetAlarm(h)
			continue
		}
		ho := s.Hosts.At(h)
		i := ho.Queues[request.LaterLane].Root
		s.Undue--
		s.Dequeue(ho, request.LaterLane, i)
		s.Enqueue(ho, request.DueLane, i)
		if len(s.Watches) > 0 {
			s.becameDue(ho.Key, i)
		}
		s.SetAlarm(h)
		s.Settle(h, at)
	}
	if len(s.Capped) > 0 && !s.eased && s.easing() <= now {
		s.ease()
	}
	for len(s.pausing) > 0 && s.pausing[0].At() <= now {
		s.setGroup(s.pausing[0].X)
	}
	for len(s.resting) > 0 && s.resting[0].At() <= now {
		s.forget(s.resting[0].X)
	}
}

// Lease takes the best request whose host may be visited now, after Advance.
func (s *Schedule) Lease(now int64) (uint32, bool) {
	h, ok := s.first(now)
	if !ok {
		return 0, false
	}
	ho := s.Hosts.At(h)
	i := ho.Queues[request.DueLane].Root
	s.leave(h)
	s.Dequeue(ho, request.DueLane, i)
	x := s.Slots.At(i)
	x.Leased, x.Due = true, now
	ho.before, ho.Clock.Start = ho.Clock.Start, now
	ho.Leased++
	s.Leased++
	s.Queued--
	s.Count(h, 1, now)
	s.shareOut(ho.Key, now)
	s.SetAlarm(h)
	s.Settle(h, now)
	if ho.Lanes[request.DueLane] != 0 && ho.Queues[request.DueLane].N == 0 && s.Shelf.Soon != nil {
		s.Shelf.Soon(h)
	}
	return i, true
}

// first is the host whose turn it is. Its best request is in memory.
func (s *Schedule) first(now int64) (uint32, bool) {
	for s.Leased < s.Global && len(s.Ready) > 0 && s.Shelf.Fault == nil {
		c := s.Groups.At(s.Ready[0].X).cells
		if other := s.cells.At(c).other(s.Ready[0].X); !s.open(other) {
			s.handOver(c, other)
			continue
		}
		h := s.cells.At(c).ready
		if s.fetch(h, request.DueLane) {
			return h, true
		}
		s.Settle(h, now) // its best may be another one than it seemed
	}
	return 0, false
}

// Calm reports whether a host that is visited now may be visited again now, by its
// own clock and those of its groups.
func (s *Schedule) Calm(h uint32, now int64) bool {
	return s.DomainDelay == 0 && s.IPDelay == 0 && s.Allowed(s.Hosts.At(h)) <= now
}

// Started says that the visit of a lease starts now and not when it was leased.
func (s *Schedule) Started(i uint32, now int64) {
	x := s.Slots.At(i)
	h := x.Host
	x.Due = max(x.Due, now)
	clock := &s.Hosts.At(h).Clock
	clock.Start = max(clock.Start, now)
	s.Now = max(s.Now, now)
	s.Count(h, 0, now)
	s.SetAlarm(h)
	s.Settle(h, now)
}

// Rested is the clock of a host that asks for a rest at some time. Times may come
// in any order.
func (s *Schedule) Rested(r Rest, ask, now int64) Rest {
	ask = min(max(ask, 0), s.MaxDelay)
	if ask > 0 {
		r.Until = max(r.Until, After(now, ask))
	}
	if now >= r.Asked {
		r.Gap, r.Asked = ask, now
	}
	return r
}

// Done ends the lease of a request, after Judge, and queues it once more if it is
// to be offered again.
func (s *Schedule) Done(i uint32, v *Ended) {
	now := v.At
	h := s.Slots.At(i).Host
	ho := s.Hosts.At(h)
	if v.Unvisited {
		if ho.Clock.Start == s.Slots.At(i).Due { // nobody came after
			ho.Clock.Start = ho.before
		}
	} else {
		ho.Clock = s.Rested(ho.Clock, v.Ask, now)
	}
	ho.Leased--
	s.Leased--
	s.Rates.visited(now)
	s.Count(h, -1, 0)
	if !ho.Busy() {
		s.Busy-- // place counts it again
	}
	if v.Again == nil {
		s.URLs.Remove(i)
		s.TidySlots(4)
	} else {
		s.Fill(i, v.Again)
		s.place(i, now)
	}
	if s.Hosts.At(h).Dropped() {
		s.Drop(h, now)
	}
	s.SetAlarm(h)
	s.Settle(h, now)
}

// NextEvent is when time alone will change what can be leased.
func (s *Schedule) NextEvent() int64 {
	t := int64(math.MaxInt64)
	if len(s.Waiting) > 0 {
		t = s.Waiting[0].At()
	}
	if len(s.later) > 0 {
		t = min(t, s.later[0].At())
	}
	if len(s.Capped) > 0 && !s.eased {
		t = min(t, s.easing())
	}
	if len(s.pausing) > 0 {
		t = min(t, s.pausing[0].At())
	}
	return t
}

// Drained says whether nothing can be leased within the horizon, whatever time
// brings. A host's clock beyond the horizon is one that the host asked for: the
// horizon is at least as long as the delay of the limits.
func (s *Schedule) Drained(now, horizon int64) bool {
	if s.Leased > 0 || len(s.Ready) > 0 {
		return false
	}
	return s.Queued == 0 || s.NextEvent() > After(now, horizon)
}
