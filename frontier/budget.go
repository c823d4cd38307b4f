package frontier

import (
	"cmp"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// HostBudget says how much of a crawl one host may take. A host that is over it
// is dropped: what is queued of it, or is added later, counts as done without a
// visit, in this run and all later ones. Visits under way end as usual, so with
// [Limits].PerHost above 1 a few more than Pages may be made. Zero fields: no
// limit. With any of them set no host that was visited is forgotten, which takes
// some 500 bytes for each.
type HostBudget struct {
	Pages    int           // visits that ended, those in trouble included
	Bytes    int64         // received
	Errors   int           // visits in [Trouble]
	Failures int           // visits in trouble one after the other, after which the host is parked
	ParkFor  time.Duration // how long a parked host is not visited, at most [Limits].MaxDelay; 1 h
	Parks    int           // how often a host is parked before it is dropped; 3, negative: it is dropped at once

	// Share is what one host may have of the last Of visits that began, 0.1 being
	// ten per cent, but always one. A host that has it waits until others were
	// visited, or until no visit of any host has begun for a second: a crawl does
	// not stand still because few hosts are left. A [Disk] goes on counting when it is
	// opened again. Zero: any share.
	Share float64
	Of    int // 1000
}

const (
	defaultParkFor = time.Hour
	defaultParks   = 3
)

// fate is why the requests of a host were dropped.
type fate uint8

const (
	isWanted fate = iota
	overPages
	overBytes
	overErrors
	keepsFailing
	byHand
)

func (f fate) String() string {
	switch f {
	case overPages:
		return "budget of pages"
	case overBytes:
		return "budget of bytes"
	case overErrors:
		return "budget of errors"
	case keepsFailing:
		return "keeps failing"
	case byHand:
		return "by hand"
	}
	return ""
}

// limited says whether there is any limit.
func (b HostBudget) limited() bool {
	return b.Pages > 0 || b.Bytes > 0 || b.Errors > 0 || b.Failures > 0
}

// spend decides what becomes of a host after a visit.
func (b HostBudget) spend(r *record, v *ended) {
	switch {
	case r.fate != isWanted:
	case b.Pages > 0 && r.visits >= b.Pages:
		r.fate = overPages
	case b.Bytes > 0 && r.bytes >= b.Bytes:
		r.fate = overBytes
	case b.Errors > 0 && r.errors >= b.Errors:
		r.fate = overErrors
	case b.Failures > 0 && r.row >= b.Failures:
		if r.parked++; r.parked > max(cmp.Or(b.Parks, defaultParks), 0) {
			r.fate = keepsFailing
			break
		}
		r.row = 0
		park := int64(cmp.Or(b.ParkFor, defaultParkFor))
		v.ask, r.away = max(v.ask, park), after(v.at, max(park, 0))
	}
	if r.fate != isWanted {
		v.again = nil
	}
}

// dropped says whether nothing of the host is visited any more.
func (h *host) dropped() bool { return h.fate != isWanted }

// drop removes all that is queued of a host.
func (s *schedule) drop(h uint32, now int64) {
	s.leave(h)
	ho := s.hosts.At(h)
	was := ho.busy()
	for which := range request.Lanes {
		s.discarded(ho, which, s.shelf.discard(ho, which))
	}
	for which, q := range ho.queues {
		for _, i := range s.appendQueue(nil, q) {
			s.urls.remove(i)
		}
		s.discarded(ho, which, int(q.n))
		ho.queues[which] = queue{}
		s.tidySlots(int(q.n))
	}
	if was && !ho.busy() {
		s.busy--
	}
	s.setAlarm(h)
	s.settle(h, now)
}

// countDropped counts what is not visited, for its host's sake.
func (s *schedule) countDropped(ho *host, n int) {
	s.dropped += n
	s.recordOf(ho).dropped += n
}

// discarded counts what was dropped from a queue.
func (s *schedule) discarded(ho *host, which, n int) {
	s.queued -= n
	s.countDropped(ho, n)
	if which == request.LaterLane {
		s.undue -= n
	}
}
