package sched

import (
	"cmp"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
)

const (
	defaultParkFor = time.Hour
	defaultParks   = 3
)

// Budget is frontier.HostBudget.
type Budget struct {
	Pages    int
	Bytes    int64
	Errors   int
	Failures int
	ParkFor  time.Duration
	Parks    int
	Share    float64
	Of       int
}

// Fate is why the requests of a host were dropped.
type Fate uint8

// Why the requests of a host are dropped, if they are.
const (
	IsWanted Fate = iota // they are not
	overPages
	overBytes
	overErrors
	keepsFailing
	ByHand // by frontier.HostControl
)

// String says why, for people.
func (f Fate) String() string {
	switch f {
	case overPages:
		return "budget of pages"
	case overBytes:
		return "budget of bytes"
	case overErrors:
		return "budget of errors"
	case keepsFailing:
		return "keeps failing"
	case ByHand:
		return "by hand"
	}
	return ""
}

// limited says whether there is any limit.
func (b Budget) limited() bool {
	return b.Pages > 0 || b.Bytes > 0 || b.Errors > 0 || b.Failures > 0
}

// spend decides what becomes of a host after a visit.
func (b Budget) spend(r *Record, v *Ended) {
	switch {
	case r.Fate != IsWanted:
	case b.Pages > 0 && r.Visits >= b.Pages:
		r.Fate = overPages
	case b.Bytes > 0 && r.Bytes >= b.Bytes:
		r.Fate = overBytes
	case b.Errors > 0 && r.Errors >= b.Errors:
		r.Fate = overErrors
	case b.Failures > 0 && r.Row >= b.Failures:
		if r.Parked++; r.Parked > max(cmp.Or(b.Parks, defaultParks), 0) {
			r.Fate = keepsFailing
			break
		}
		r.Row = 0
		park := int64(cmp.Or(b.ParkFor, defaultParkFor))
		v.Ask, r.Away = max(v.Ask, park), After(v.At, max(park, 0))
	}
	if r.Fate != IsWanted {
		v.Again = nil
	}
}

// Dropped says whether nothing of the host is visited any more.
func (h *Host) Dropped() bool { return h.fate != IsWanted }

// Drop removes all that is queued of a host.
func (s *Schedule) Drop(h uint32, now int64) {
	s.leave(h)
	ho := s.Hosts.At(h)
	was := ho.Busy()
	for which := range request.Lanes {
		s.discarded(ho, which, s.Shelf.Discard(ho, which))
	}
	for which, q := range ho.Queues {
		for _, i := range s.appendQueue(nil, q) {
			s.URLs.Remove(i)
		}
		s.discarded(ho, which, int(q.N))
		ho.Queues[which] = queue{}
		s.TidySlots(int(q.N))
	}
	if was && !ho.Busy() {
		s.Busy--
	}
	s.SetAlarm(h)
	s.Settle(h, now)
}

// countDropped counts what is not visited, for its host's sake.
func (s *Schedule) countDropped(ho *Host, n int) {
	s.Dropped += n
	s.RecordOf(ho).Dropped += n
}

// discarded counts what was dropped from a queue.
func (s *Schedule) discarded(ho *Host, which, n int) {
	s.Queued -= n
	s.countDropped(ho, n)
	if which == request.LaterLane {
		s.Undue -= n
	}
}
