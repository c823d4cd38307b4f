package frontier

import (
	"math"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/slab"
	"github.com/zeebo/xxh3"
)

// urls is the requests in memory: a slot and a text for each.
type urls struct {
	live    slab.Index // slots of the URLs that are queued or leased, by fingerprint
	slots   slab.Slab[slot]
	text    slab.Arena
	seq     uint64 // of the request that was queued last
	seed    uint64 // of fingerprints
	buf     []byte
	lowered map[uint64]uint32 // depths of URLs that wait, or waited, out of memory
}

// slot is a URL that is queued or leased. It holds no pointer. What it has in
// common with the text is as it is in the slot.
type slot struct {
	fp         uint64
	text       slab.Place
	priority   float64
	due        int64  // of a lease: when it began
	seq        uint64 // order of queueing
	heap.Links        // in the queue of its host; see token
	host       uint32
	depth      uint32
	attempt    uint32
	leased     bool
	later      bool // in which queue it is, if it waits
}

// A slot that is leased is in no queue, so its links hold the token of the lease.
func (s *slot) token() uint64     { return uint64(s.Child)<<32 | uint64(s.Next) }
func (s *slot) setToken(t uint64) { s.Links = heap.Links{Child: uint32(t >> 32), Next: uint32(t)} }

// lane is the queue that a slot is in if it is not leased.
func (s *slot) lane() int {
	if s.later {
		return request.LaterLane
	}
	return request.DueLane
}

// empty says whether no URL is in the slot.
func (s *slot) empty() bool { return s.text == slab.Nowhere }

// key is what a request goes by.
func (u *urls) key(url, variant string) uint64 {
	return request.KeyOf(request.Fingerprint(url, u.seed), variant)
}

// keyOf is key of a request that is not in memory.
func (u *urls) keyOf(x *request.Stored) uint64 {
	return request.KeyOf(xxh3.HashSeed(x.URL, u.seed), x.Variant)
}

func newURLs(seed uint64) *urls {
	u := &urls{lowered: make(map[uint64]uint32), seed: seed}
	u.text.PlaceOf = u.placeOf
	return u
}

func (u *urls) placeOf(slot uint32) *slab.Place {
	if slot >= u.slots.End {
		return nil
	}
	return &u.slots.At(slot).text
}

// insert makes a slot for a request, behind all others in the order of queueing.
func (u *urls) insert(r *request.Request, fp uint64, host uint32) uint32 {
	i := u.slot(fp, host)
	u.live.Set(fp, i)
	u.fill(i, r)
	return i
}

// slot makes an empty slot that is in no index.
func (u *urls) slot(fp uint64, host uint32) uint32 {
	i := u.slots.Take()
	s := u.slots.At(i)
	s.fp, s.host = fp, host
	return i
}

// fill gives a slot a request, behind all others in the order of queueing.
func (u *urls) fill(i uint32, r *request.Request) {
	u.seq++
	u.fillAt(i, r, u.seq)
}

// fillAt gives a slot a request.
func (u *urls) fillAt(i uint32, r *request.Request, seq uint64) {
	s := u.slots.At(i)
	if !s.empty() {
		u.text.Drop(i)
	}
	s.seq, s.leased = seq, false
	s.priority, s.due = r.Priority, r.Due
	s.depth, s.attempt = uint32(r.Depth), uint32(r.Attempt)
	u.buf = request.Append(u.buf[:0], r, &request.Request{})
	u.text.Put(i, u.buf)
}

// bringSlot makes a slot for a request that was in a run.
func (u *urls) bringSlot(fp uint64, host uint32, x *request.Stored) uint32 {
	i := u.readSlot(fp, host, x)
	u.live.Set(fp, i)
	return i
}

// readSlot makes a slot for a request that was in a run or a state, with the depth
// that is remembered for it; it is in no index.
func (u *urls) readSlot(fp uint64, host uint32, x *request.Stored) uint32 {
	i := u.slot(fp, host)
	s := u.slots.At(i)
	s.seq, s.priority, s.due = x.Seq, math.Float64frombits(x.Priority), x.Due
	s.depth, s.attempt = x.Depth, x.Attempt
	if len(u.lowered) > 0 {
		if depth, ok := u.lowered[fp]; ok {
			s.depth = min(s.depth, depth)
			delete(u.lowered, fp)
		}
	}
	u.buf = x.AppendText(u.buf[:0])
	u.text.Put(i, u.buf)
	return i
}

// request returns the request of a slot.
func (u *urls) request(i uint32) request.Request { return u.slots.At(i).request(u.text.Get(i)) }

// request returns the request of a slot with this text.
func (s *slot) request(text []byte) request.Request {
	d := request.Decoder{B: text}
	r := d.Request(&request.Request{})
	r.Depth, r.Attempt, r.Priority = int(s.depth), int(s.attempt), s.priority
	return r
}

// remove forgets a URL.
func (u *urls) remove(i uint32) {
	u.text.Drop(i)
	u.live.Remove(u.slots.At(i).fp)
	u.slots.Give(i)
}

// tidySlots gives memory of slots back, if most are free, in so many steps.
func (s *schedule) tidySlots(steps int) {
	for ; steps > 0 && s.slots.Loose() && !s.text.Shared; steps-- {
		s.slots.Trim((*slot).empty, s.slotMoved)
	}
}

// slotMoved is told that the number of a slot has changed.
func (s *schedule) slotMoved(from, to uint32) {
	x := s.slots.At(to)
	s.live.Set(x.fp, to)
	s.text.SetOwner(x.text, to)
	if x.leased {
		return
	}
	ho := s.hosts.At(x.host)
	if len(s.watches) > 0 {
		s.came(ho.key, x.lane(), to)
	}
	heap.Rename(byRank{s.urls}, from, to)
	for which := range ho.queues {
		if ho.queues[which].root == from {
			ho.queues[which].root = to
		}
	}
}

// lower gives a waiting request a smaller depth.
func (s *schedule) lower(fp, host uint64, depth int) verdict {
	i, ok := s.live.Find(fp)
	if !ok {
		return s.lowerShelved(fp, host, uint32(depth))
	}
	x := s.slots.At(i)
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
	h, ok := s.hosts.Find(host)
	if !ok {
		return known
	}
	most := uint32(0)
	for _, l := range s.hosts.At(h).lanes {
		if l != 0 {
			most = max(most, s.shelf.lanes.At(l).depth)
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
