package frontier

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
)

const (
	defaultOf = 1000        // visits among which a host has a share
	easeAfter = time.Second // without a visit, those over their share may be visited
)

// shares keeps hosts from more than their share of the latest visits. Those that
// have it wait until others were visited, or until nobody was for a while; there
// are never many of them.
type shares struct {
	most   int            // visits of one host, 0: any number,
	of     int            // among how many
	ring   []uint64       // hosts of the latest visits, by key
	oldest int            // place in the ring, once it is full
	recent map[uint64]int // how often each host is in the ring
	capped []uint32       // hosts that wait
	lax    []uint32       // hosts that were let go although they have their share
	eased  bool           // hosts are let go
	latest int64          // when the latest visit began
}

// shareOf is how many of how many visits one host may have; 0: any number.
func (b HostBudget) shareOf() (most, of int) {
	if !(b.Share > 0 && b.Share < 1) {
		return 0, 0
	}
	of = max(cmp.Or(b.Of, defaultOf), 1)
	return max(int(b.Share*float64(of)), 1), of
}

// over says whether a host has its share.
func (s *schedule) over(ho *host) bool { return s.most > 0 && s.recent[ho.key] >= s.most }

// shareOut counts a visit that begins.
func (s *schedule) shareOut(key uint64, now int64) {
	if s.most == 0 {
		return
	}
	old := s.began(key, now)
	lax := s.lax
	s.lax = nil
	for _, h := range lax {
		if ho := s.hosts.At(h); ho.where == isReady && s.over(ho) {
			s.settle(h, now)
		}
	}
	if h, ok := s.hosts.Find(old); ok && s.hosts.At(h).where == isCapped {
		s.settle(h, now)
	}
}

// began notes a visit, and returns the host of one that does not count any more; or
// the same host.
func (s *shares) began(key uint64, now int64) (old uint64) {
	if s.most == 0 {
		return key
	}
	if s.recent == nil {
		s.recent = map[uint64]int{}
	}
	s.latest, s.eased = now, false
	s.recent[key]++
	if len(s.ring) < s.of {
		s.ring = append(s.ring, key)
		return key
	}
	old = s.ring[s.oldest]
	s.ring[s.oldest] = key
	s.oldest = (s.oldest + 1) % s.of
	if s.recent[old]--; s.recent[old] == 0 {
		delete(s.recent, old)
	}
	return old
}

// inOrder returns the hosts of the latest visits, the oldest first.
func (s *shares) inOrder() []uint64 {
	return slices.Concat(s.ring[s.oldest:], s.ring[:s.oldest])
}

// shares writes the hosts of the latest visits, and when the last of them began.
func (e *entries) shares(hosts []uint64, latest int64) {
	e.uint64(entryShares, uint64(latest))
	e.b = binary.AppendUvarint(e.b, uint64(len(hosts)))
	for _, key := range hosts {
		e.b = binary.LittleEndian.AppendUint64(e.b, key)
	}
}

func (r *replay) shares(d *request.Decoder) {
	latest := r.happened(d)
	for range d.Count(uint64(len(d.B) / 8)) {
		r.sched.began(d.Uint64(), latest)
	}
}

// easing is when those that wait for their share are let go.
func (s *schedule) easing() int64 { return after(s.latest, int64(easeAfter)) }

// ease lets them go.
func (s *schedule) ease() {
	s.eased = true
	at := s.easing()
	for len(s.capped) > 0 {
		h := s.capped[0]
		s.settle(h, max(at, s.hosts.At(h).since))
	}
}

// cap makes a host wait for its share.
func (s *schedule) cap(h uint32, now int64) {
	ho := s.hosts.At(h)
	ho.since, ho.at = now, uint32(len(s.capped))
	s.capped = append(s.capped, h)
}

// uncap is the reverse.
func (s *schedule) uncap(h uint32) {
	at, last := s.hosts.At(h).at, len(s.capped)-1
	s.capped[at] = s.capped[last]
	s.hosts.At(s.capped[at]).at = at
	s.capped = s.capped[:last]
}
