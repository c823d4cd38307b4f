package sched

import (
	"cmp"
	"slices"
	"time"
)

const (
	defaultOf = 1000        // visits among which a host has a share
	easeAfter = time.Second // without a visit, those over their share may be visited
)

// Shares keeps hosts from more than their share of the latest visits. Those that
// have it wait until others were visited, or until nobody was for a while; there
// are never many of them.
type Shares struct {
	most   int            // visits of one host, 0: any number,
	of     int            // among how many
	Ring   []uint64       // hosts of the latest visits, by key
	oldest int            // place in the ring, once it is full
	recent map[uint64]int // how often each host is in the ring
	Capped []uint32       // hosts that wait
	lax    []uint32       // hosts that were let go although they have their share
	eased  bool           // hosts are let go
	Latest int64          // when the latest visit began
}

// shareOf is how many of how many visits one host may have; 0: any number.
func (b Budget) shareOf() (most, of int) {
	if !(b.Share > 0 && b.Share < 1) {
		return 0, 0
	}
	of = max(cmp.Or(b.Of, defaultOf), 1)
	return max(int(b.Share*float64(of)), 1), of
}

// over says whether a host has its share.
func (s *Schedule) over(ho *Host) bool { return s.most > 0 && s.recent[ho.Key] >= s.most }

// shareOut counts a visit that begins.
func (s *Schedule) shareOut(key uint64, now int64) {
	if s.most == 0 {
		return
	}
	old := s.Began(key, now)
	lax := s.lax
	s.lax = nil
	for _, h := range lax {
		if ho := s.Hosts.At(h); ho.Where == IsReady && s.over(ho) {
			s.Settle(h, now)
		}
	}
	if h, ok := s.Hosts.Find(old); ok && s.Hosts.At(h).Where == IsCapped {
		s.Settle(h, now)
	}
}

// Began notes a visit, and returns the host of one that does not count any more; or
// the same host.
func (s *Shares) Began(key uint64, now int64) (old uint64) {
	if s.most == 0 {
		return key
	}
	if s.recent == nil {
		s.recent = map[uint64]int{}
	}
	s.Latest, s.eased = now, false
	s.recent[key]++
	if len(s.Ring) < s.of {
		s.Ring = append(s.Ring, key)
		return key
	}
	old = s.Ring[s.oldest]
	s.Ring[s.oldest] = key
	s.oldest = (s.oldest + 1) % s.of
	if s.recent[old]--; s.recent[old] == 0 {
		delete(s.recent, old)
	}
	return old
}

// InOrder returns the hosts of the latest visits, the oldest first.
func (s *Shares) InOrder() []uint64 {
	return slices.Concat(s.Ring[s.oldest:], s.Ring[:s.oldest])
}

// easing is when those that wait for their share are let go.
func (s *Schedule) easing() int64 { return After(s.Latest, int64(easeAfter)) }

// ease lets them go.
func (s *Schedule) ease() {
	s.eased = true
	at := s.easing()
	for len(s.Capped) > 0 {
		h := s.Capped[0]
		s.Settle(h, max(at, s.Hosts.At(h).since))
	}
}

// cap makes a host wait for its share.
func (s *Schedule) cap(h uint32, now int64) {
	ho := s.Hosts.At(h)
	ho.since, ho.at = now, uint32(len(s.Capped))
	s.Capped = append(s.Capped, h)
}

// uncap is the reverse.
func (s *Schedule) uncap(h uint32) {
	at, last := s.Hosts.At(h).at, len(s.Capped)-1
	s.Capped[at] = s.Capped[last]
	s.Hosts.At(s.Capped[at]).at = at
	s.Capped = s.Capped[:last]
}
