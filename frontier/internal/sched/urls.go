package sched

import (
	"math"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/slab"
	"github.com/zeebo/xxh3"
)

// URLs is the requests in memory: a slot and a text for each.
type URLs struct {
	Live    slab.Index // slots of the URLs that are queued or leased, by fingerprint
	Slots   slab.Slab[Slot]
	Text    slab.Arena
	Seq     uint64 // of the request that was queued last
	Seed    uint64 // of fingerprints
	buf     []byte
	Lowered map[uint64]uint32 // depths of URLs that wait, or waited, out of memory
}

// Slot is a URL that is queued or leased. It holds no pointer. What it has in
// common with the text is as it is in the slot.
type Slot struct {
	FP         uint64
	Text       slab.Place
	Priority   float64
	Due        int64  // of a lease: when it began
	Seq        uint64 // order of queueing
	heap.Links        // in the queue of its host; see Token
	Host       uint32
	Depth      uint32
	Attempt    uint32
	Leased     bool
	Later      bool // in which queue it is, if it waits
}

// Token is the token of the lease of a slot. A slot that is leased is in no queue, so its
// links hold it.
func (s *Slot) Token() uint64 { return uint64(s.Child)<<32 | uint64(s.Next) }

// SetToken notes the token of the lease of a slot.
func (s *Slot) SetToken(t uint64) { s.Links = heap.Links{Child: uint32(t >> 32), Next: uint32(t)} }

// Lane is the queue that a slot is in if it is not leased.
func (s *Slot) Lane() int {
	if s.Later {
		return request.LaterLane
	}
	return request.DueLane
}

// Empty says whether no URL is in the slot.
func (s *Slot) Empty() bool { return s.Text == slab.Nowhere }

// Key is what a request goes by.
func (u *URLs) Key(url, variant string) uint64 {
	return request.KeyOf(request.Fingerprint(url, u.Seed), variant)
}

// KeyOf is Key of a request that is not in memory.
func (u *URLs) KeyOf(x *request.Stored) uint64 {
	return request.KeyOf(xxh3.HashSeed(x.URL, u.Seed), x.Variant)
}

func newURLs(seed uint64) *URLs {
	u := &URLs{Lowered: make(map[uint64]uint32), Seed: seed}
	u.Text.PlaceOf = u.PlaceOf
	return u
}

// PlaceOf is where the place of the text of a slot is kept; nil: there is no such slot.
func (u *URLs) PlaceOf(slot uint32) *slab.Place {
	if slot >= u.Slots.End {
		return nil
	}
	return &u.Slots.At(slot).Text
}

// Insert makes a slot for a request, behind all others in the order of queueing.
func (u *URLs) Insert(r *request.Request, fp uint64, host uint32) uint32 {
	i := u.slot(fp, host)
	u.Live.Set(fp, i)
	u.Fill(i, r)
	return i
}

// slot makes an empty slot that is in no index.
func (u *URLs) slot(fp uint64, host uint32) uint32 {
	i := u.Slots.Take()
	s := u.Slots.At(i)
	s.FP, s.Host = fp, host
	return i
}

// Fill gives a slot a request, behind all others in the order of queueing.
func (u *URLs) Fill(i uint32, r *request.Request) {
	u.Seq++
	u.fillAt(i, r, u.Seq)
}

// fillAt gives a slot a request.
func (u *URLs) fillAt(i uint32, r *request.Request, seq uint64) {
	s := u.Slots.At(i)
	if !s.Empty() {
		u.Text.Drop(i)
	}
	s.Seq, s.Leased = seq, false
	s.Priority, s.Due = r.Priority, r.Due
	s.Depth, s.Attempt = uint32(r.Depth), uint32(r.Attempt)
	u.buf = request.Append(u.buf[:0], r, &request.Request{})
	u.Text.Put(i, u.buf)
}

// BringSlot makes a slot for a request that was in a run.
func (u *URLs) BringSlot(fp uint64, host uint32, x *request.Stored) uint32 {
	i := u.ReadSlot(fp, host, x)
	u.Live.Set(fp, i)
	return i
}

// ReadSlot makes a slot for a request that was in a run or a state, with the depth
// that is remembered for it; it is in no index.
func (u *URLs) ReadSlot(fp uint64, host uint32, x *request.Stored) uint32 {
	i := u.slot(fp, host)
	s := u.Slots.At(i)
	s.Seq, s.Priority, s.Due = x.Seq, math.Float64frombits(x.Priority), x.Due
	s.Depth, s.Attempt = x.Depth, x.Attempt
	if len(u.Lowered) > 0 {
		if depth, ok := u.Lowered[fp]; ok {
			s.Depth = min(s.Depth, depth)
			delete(u.Lowered, fp)
		}
	}
	u.buf = x.AppendText(u.buf[:0])
	u.Text.Put(i, u.buf)
	return i
}

// Request returns the request of a slot.
func (u *URLs) Request(i uint32) request.Request { return u.Slots.At(i).Request(u.Text.Get(i)) }

// Request returns the request of a slot with this text.
func (s *Slot) Request(text []byte) request.Request {
	d := request.Decoder{B: text}
	r := d.Request(&request.Request{})
	r.Depth, r.Attempt, r.Priority = int(s.Depth), int(s.Attempt), s.Priority
	return r
}

// Remove forgets a URL.
func (u *URLs) Remove(i uint32) {
	u.Text.Drop(i)
	u.Live.Remove(u.Slots.At(i).FP)
	u.Slots.Give(i)
}

// TidySlots gives memory of slots back, if most are free, in so many steps.
func (s *Schedule) TidySlots(steps int) {
	for ; steps > 0 && s.Slots.Loose() && !s.Text.Shared; steps-- {
		s.Slots.Trim((*Slot).Empty, s.slotMoved)
	}
}

// slotMoved is told that the number of a slot has changed.
func (s *Schedule) slotMoved(from, to uint32) {
	x := s.Slots.At(to)
	s.Live.Set(x.FP, to)
	s.Text.SetOwner(x.Text, to)
	if x.Leased {
		return
	}
	ho := s.Hosts.At(x.Host)
	if len(s.Watches) > 0 {
		s.came(ho.Key, x.Lane(), to)
	}
	heap.Rename(ByRank{s.URLs}, from, to)
	for which := range ho.Queues {
		if ho.Queues[which].Root == from {
			ho.Queues[which].Root = to
		}
	}
}

// lower gives a waiting request a smaller depth.
func (s *Schedule) lower(fp, host uint64, depth int) Verdict {
	i, ok := s.Live.Find(fp)
	if !ok {
		return s.lowerShelved(fp, host, uint32(depth))
	}
	x := s.Slots.At(i)
	if x.Leased || uint32(depth) >= x.Depth {
		return Known
	}
	x.Depth = uint32(depth)
	return Lowered
}

// lowerShelved notes a smaller depth for a request that is not in memory, if it
// may be one that waits.
func (s *Schedule) lowerShelved(fp, host uint64, depth uint32) Verdict {
	if s.Shelf.Source == nil {
		return Known
	}
	h, ok := s.Hosts.Find(host)
	if !ok {
		return Known
	}
	most := uint32(0)
	for _, l := range s.Hosts.At(h).Lanes {
		if l != 0 {
			most = max(most, s.Shelf.Lanes.At(l).Depth)
		}
	}
	if depth >= most {
		return Known
	}
	if before, ok := s.Lowered[fp]; ok && depth >= before {
		return Known
	}
	s.Lowered[fp] = depth
	return Lowered
}

// Release lets the schedule have its pages for itself; the lock is held.
func (s *Schedule) Release() {
	s.Text.Shared = false
	s.Slots.Unfreeze()
	s.Hosts.Unfreeze()
	s.Groups.Unfreeze()
	s.Records.Unfreeze()
	s.Shelf.Lanes.Unfreeze()
	s.Shelf.Layers.Unfreeze()
}
