package frontier

import (
	"math"

	"github.com/zeebo/xxh3"
)

// urls is the requests in memory: a slot and a text for each.
type urls struct {
	live    index // slots of the URLs that are queued or leased, by fingerprint
	slots   slab[slot]
	text    arena
	seq     uint64 // of the request that was queued last
	seed    uint64 // of fingerprints
	buf     []byte
	lowered map[uint64]uint32 // depths of URLs that wait, or waited, out of memory
}

// slot is a URL that is queued or leased. It holds no pointer. What it has in
// common with the text is as it is in the slot.
type slot struct {
	fp       uint64
	text     place
	priority float64
	due      int64  // of a lease: when it began
	seq      uint64 // order of queueing
	links           // in the queue of its host; see token
	host     uint32
	depth    uint32
	attempt  uint32
	leased   bool
	later    bool // in which queue it is, if it waits
}

// A slot that is leased is in no queue, so its links hold the token of the lease.
func (s *slot) token() uint64     { return uint64(s.child)<<32 | uint64(s.next) }
func (s *slot) setToken(t uint64) { s.links = links{child: uint32(t >> 32), next: uint32(t)} }

// lane is the queue that a slot is in if it is not leased.
func (s *slot) lane() int {
	if s.later {
		return laterLane
	}
	return dueLane
}

// empty says whether no URL is in the slot.
func (s *slot) empty() bool { return s.text == nowhere }

// key is what a request goes by.
func (u *urls) key(r *Request) uint64 { return r.key(u.seed) }

// keyOf is key of a request that is not in memory.
func (u *urls) keyOf(x *shelved) uint64 { return keyOf(xxh3.HashSeed(x.url, u.seed), x.variant) }

func newURLs(seed uint64) *urls {
	u := &urls{lowered: make(map[uint64]uint32), seed: seed}
	u.text.placeOf = u.placeOf
	return u
}

func (u *urls) placeOf(slot uint32) *place {
	if slot >= u.slots.end {
		return nil
	}
	return &u.slots.at(slot).text
}

// insert makes a slot for a request, behind all others in the order of queueing.
func (u *urls) insert(r *Request, fp uint64, host uint32) uint32 {
	i := u.slot(fp, host)
	u.live.set(fp, i)
	u.fill(i, r)
	return i
}

// slot makes an empty slot that is in no index.
func (u *urls) slot(fp uint64, host uint32) uint32 {
	i := u.slots.take()
	s := u.slots.at(i)
	s.fp, s.host = fp, host
	return i
}

// fill gives a slot a request, behind all others in the order of queueing.
func (u *urls) fill(i uint32, r *Request) {
	u.seq++
	u.fillAt(i, r, u.seq)
}

// fillAt gives a slot a request.
func (u *urls) fillAt(i uint32, r *Request, seq uint64) {
	s := u.slots.at(i)
	if !s.empty() {
		u.text.drop(i)
	}
	s.seq, s.leased = seq, false
	s.priority, s.due = r.Priority, nanos(r.Due)
	s.depth, s.attempt = uint32(r.Depth), uint32(r.Attempt)
	u.buf = appendRequest(u.buf[:0], r, &Request{})
	u.text.put(i, u.buf)
}

// bringSlot makes a slot for a request that was in a run.
func (u *urls) bringSlot(fp uint64, host uint32, x *shelved) uint32 {
	i := u.readSlot(fp, host, x)
	u.live.set(fp, i)
	return i
}

// readSlot makes a slot for a request that was in a run or a state, with the depth
// that is remembered for it; it is in no index.
func (u *urls) readSlot(fp uint64, host uint32, x *shelved) uint32 {
	i := u.slot(fp, host)
	s := u.slots.at(i)
	s.seq, s.priority, s.due = x.seq, math.Float64frombits(x.priority), x.due
	s.depth, s.attempt = x.depth, x.attempt
	if len(u.lowered) > 0 {
		if depth, ok := u.lowered[fp]; ok {
			s.depth = min(s.depth, depth)
			delete(u.lowered, fp)
		}
	}
	u.buf = x.appendText(u.buf[:0])
	u.text.put(i, u.buf)
	return i
}

// request returns the request of a slot.
func (u *urls) request(i uint32) Request { return u.slots.at(i).request(u.text.get(i)) }

// request returns the request of a slot with this text.
func (s *slot) request(text []byte) Request {
	d := decoder{b: text}
	r := d.request(&Request{})
	r.Depth, r.Attempt, r.Priority = int(s.depth), int(s.attempt), s.priority
	return r
}

// remove forgets a URL.
func (u *urls) remove(i uint32) {
	u.text.drop(i)
	u.live.remove(u.slots.at(i).fp)
	u.slots.give(i)
}

// tidySlots gives memory of slots back, if most are free, in so many steps.
func (s *schedule) tidySlots(steps int) {
	for ; steps > 0 && s.slots.loose() && !s.text.shared; steps-- {
		s.slots.trim((*slot).empty, s.slotMoved)
	}
}

// slotMoved is told that the number of a slot has changed.
func (s *schedule) slotMoved(from, to uint32) {
	x := s.slots.at(to)
	s.live.set(x.fp, to)
	s.text.setOwner(x.text, to)
	if x.leased {
		return
	}
	ho := s.hosts.at(x.host)
	if len(s.watches) > 0 {
		s.came(ho.key, x.lane(), to)
	}
	rename(byRank{s.urls}, from, to)
	for which := range ho.queues {
		if ho.queues[which].root == from {
			ho.queues[which].root = to
		}
	}
}

// lower gives a waiting request a smaller depth.
func (s *schedule) lower(fp, host uint64, depth int) verdict {
	i, ok := s.live.find(fp)
	if !ok {
		return s.lowerShelved(fp, host, uint32(depth))
	}
	x := s.slots.at(i)
	if x.leased || uint32(depth) >= x.depth {
		return known
	}
	x.depth = uint32(depth)
	return lowered
}

// lowerShelved notes a smaller depth for a request that is not in memory, if it
// may be one that waits.
func (s *schedule) lowerShelved(fp, host uint64, depth uint32) verdict {
	if s.shelf.source == nil {
		return known
	}
	h, ok := s.hosts.find(host)
	if !ok {
		return known
	}
	most := uint32(0)
	for _, l := range s.hosts.at(h).lanes {
		if l != 0 {
			most = max(most, s.shelf.lanes.at(l).depth)
		}
	}
	if depth >= most {
		return known
	}
	if before, ok := s.lowered[fp]; ok && depth >= before {
		return known
	}
	s.lowered[fp] = depth
	return lowered
}
