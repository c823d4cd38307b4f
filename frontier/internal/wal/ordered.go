package wal

import (
	"encoding/binary"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
)

// Ordered is what was ordered of a host by hand.
type Ordered struct {
	At   int64
	Name string // scheme, name and port
	Drop bool   // what waits
}

// Ordered notes how a host is after an order by hand.
func (j *Journal) Ordered(s *sched.Schedule, h uint32, o *Ordered) {
	if j != nil {
		ho := s.Hosts.At(h)
		j.steps.ordered(o, ho, s.Groups.At(ho.Domain).Key)
		r := s.RecordOf(ho)
		if r == nil {
			r = &sched.Record{}
		}
		j.steps.recordFields(r, s.AddrOf(ho))
	}
}

// ordered writes what was ordered of a host but for its record, which follows.
func (e *Entries) ordered(o *Ordered, ho *sched.Host, domain uint64) {
	e.uint64(entryOrdered, uint64(o.At))
	e.B = binary.LittleEndian.AppendUint64(e.B, ho.Key)
	e.B = binary.LittleEndian.AppendUint64(e.B, domain)
	e.B = request.AppendText(e.B, o.Name, "")
	drop := byte(0)
	if o.Drop {
		drop = 1
	}
	e.B = append(e.B, drop)
	e.rest(ho.Clock)
}

// ordered applies what was ordered of a host.
func (r *Replay) ordered(d *request.Decoder) {
	r.happened(d)
	key, domain, name, drop := d.Uint64(), d.Uint64(), d.Text(""), d.Count(1) == 1
	c := r.readRest(d)
	rec, addr := readRecord(d)
	if d.Bad {
		return
	}
	s := r.Sched
	h, ok := s.Hosts.Find(key)
	if !ok {
		h = s.AddHost(key, domain)
	}
	ho := s.Hosts.At(h)
	rec.Dropped = droppedOf(s.RecordOf(ho))
	if drop {
		rec.Dropped += r.dropWaiting(h)
	}
	if rec.Fate == sched.IsWanted {
		s.Dropped, rec.Dropped = s.Dropped-rec.Dropped, 0
	}
	ho.Clock = c
	s.SetRecord(ho, rec)
	s.SetAddr(h, addr)
	s.Call(key, name)
}

// dropWaiting drops what waits of a host, and says how much that was: once the host is wanted
// again, the end of the replay would not tell it from what was added since.
func (r *Replay) dropWaiting(h uint32) (n int) {
	s := r.Sched
	ho := s.Hosts.At(h)
	for which := range ho.Lanes {
		n += s.Shelf.Discard(ho, which)
	}
	for i, x := range s.Slots.All() {
		if !x.Empty() && !x.Leased && x.Host == h {
			s.URLs.Remove(i)
			n++
		}
	}
	s.Dropped += n
	return n
}

// droppedOf is how much was dropped of a host; nil: nothing is known of it.
func droppedOf(r *sched.Record) int {
	if r == nil {
		return 0
	}
	return r.Dropped
}
