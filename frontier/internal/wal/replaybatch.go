package wal

import (
	"fmt"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/slab"
)

// Most of what is replayed is requests, and what takes time is waiting for the places
// in memory where they belong. So they are collected, and those places waited for
// together, until there are enough of them or an entry comes that may have to do with
// them.

// pending is requests that were read and are not in the schedule yet.
type pending struct {
	adds    []adding
	slots   []slab.IndexCell // that are in no index, by fingerprint
	touched uint64           // so that what is touched is read
}

// adding is a request that a log adds; at is the time if nothing was known of its host.
type adding struct {
	sched.Candidate
	at int64
}

// pendingMost is how many requests are collected.
const pendingMost = 64

// await puts into the schedule what is pending, if there is enough of it or the next
// entry may need it.
func (r *Replay) await(kind byte) error {
	if n := len(r.adds); n == pendingMost || n > 0 && kind != entryAdd && kind != entryFirst {
		if err := r.addPending(); err != nil {
			return err
		}
	}
	apart := false // the entry has nothing to do with slots
	switch kind {
	case entryQueued, entryHost, entryLane, entryKnown, entryName:
		apart = true
	}
	if n := len(r.slots); n == pendingMost || n > 0 && !apart {
		return r.setPending()
	}
	return nil
}

// request reads a request that was not seen before.
func (r *Replay) request(kind byte, d *request.Decoder, last *request.Request) error {
	var at int64
	if kind == entryFirst {
		at = r.happened(d)
	}
	*last = d.Request(last)
	if d.Bad {
		return nil
	}
	c, msg := sched.NewCandidate(*last, r.Sched.Seed)
	if msg != "" {
		return fmt.Errorf("%w: %s: %s", request.ErrRecord, last.URL, msg)
	}
	r.adds = append(r.adds, adding{c, at})
	return nil
}

// addPending adds the requests that were collected.
func (r *Replay) addPending() error {
	s := r.Sched
	for i := range r.adds {
		c := &r.adds[i]
		r.touched += s.Hosts.Index.Touch(c.Host) + s.Live.Touch(c.FP)
	}
	for i := range r.adds {
		if h, ok := s.Hosts.Find(r.adds[i].Host); ok {
			r.touched += s.Hosts.At(h).Key
		}
	}
	for i := range r.adds {
		c := &r.adds[i]
		if _, live := s.Live.Find(c.FP); live {
			return r.twice(c.URL)
		}
		h, _ := s.HostOf(&c.Candidate)
		delete(s.Lowered, c.FP) // it may be queued again
		s.Insert(&c.Request, c.FP, h)
		if c.at > 0 {
			r.forgotten(h, sched.LiteralAddr(c.Name), c.at)
		}
		r.see(c)
	}
	clear(r.adds)
	r.adds = r.adds[:0]
	return nil
}

// see notes that a URL was added.
func (r *Replay) see(c *adding) {
	r.fps = append(r.fps, c.FP)
	if len(r.fps) == 1<<12 {
		r.hand()
	}
}

// setPending puts the slots that were collected into the index.
func (r *Replay) setPending() error {
	s := r.Sched
	for _, c := range r.slots {
		r.touched += s.Live.Touch(c.Key)
	}
	for _, c := range r.slots {
		if _, live := s.Live.Find(c.Key); live {
			return r.twice(s.Request(c.Number).URL)
		}
		s.Live.Set(c.Key, c.Number)
	}
	r.slots = r.slots[:0]
	return nil
}

func (r *Replay) twice(url string) error {
	return fmt.Errorf("%w: %s waits twice", request.ErrRecord, url)
}
