package frontier

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
)

// Park implements [HostControl].
func (f *front) Park(ctx context.Context, url string, until time.Time) error {
	t := f.clock.in(until)
	return f.order(ctx, url, true, func(s *sched.Schedule, h uint32, now int64) bool {
		if t <= now {
			t = 0
		}
		s.Hold(h, min(t, sched.ForEver-1))
		return false
	})
}

// Block implements [HostControl].
func (f *front) Block(ctx context.Context, url string) error {
	return f.order(ctx, url, true, func(s *sched.Schedule, h uint32, _ int64) bool {
		s.Hold(h, sched.ForEver)
		return false
	})
}

// Drop implements [HostControl].
func (f *front) Drop(ctx context.Context, url string) (dropped int, err error) {
	err = f.order(ctx, url, true, func(s *sched.Schedule, h uint32, now int64) bool {
		before := s.Dropped
		s.DropByHand(h, now)
		dropped = s.Dropped - before
		return true
	})
	return dropped, err
}

// Resume implements [HostControl].
func (f *front) Resume(ctx context.Context, url string) error {
	return f.order(ctx, url, false, (*sched.Schedule).Resume)
}

// order changes what is known of a host, and journals how it is then. If nothing is known of
// it, it is made or left alone. The change says whether all that waits of the host is dropped.
func (f *front) order(ctx context.Context, url string, make bool, change func(s *sched.Schedule, h uint32, now int64) bool) error {
	key, name, msg := request.SplitHost(url)
	if msg != "" {
		return &URLError{URL: url, Msg: msg}
	}
	if err := f.enter(ctx); err != nil {
		return err
	}
	now := f.tick()
	s := f.sched
	s.Advance(now)
	c := sched.Candidate{Host: request.Fingerprint(key, s.Seed), Name: name}
	h, ok := s.Hosts.Find(c.Host)
	if !ok && !make {
		f.mu.Unlock()
		return nil
	}
	if !ok {
		h, _ = s.HostOf(&c)
	}
	f.journal.begin(now)
	o := ordered{at: now, name: key, drop: change(s, h, now)}
	s.Call(c.Host, key)
	f.journal.ordered(s, h, &o)
	s.Repark(h)
	s.SetAlarm(h)
	s.Settle(h, now)
	t := f.journal.end()
	f.dispatch(now)
	f.mu.Unlock()
	return f.commit(t)
}

// ordered is what was ordered of a host by hand.
type ordered struct {
	at   int64
	name string // scheme, name and port
	drop bool   // what waits
}

func (j *journal) ordered(s *sched.Schedule, h uint32, o *ordered) {
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
func (e *entries) ordered(o *ordered, ho *sched.Host, domain uint64) {
	e.uint64(entryOrdered, uint64(o.at))
	e.b = binary.LittleEndian.AppendUint64(e.b, ho.Key)
	e.b = binary.LittleEndian.AppendUint64(e.b, domain)
	e.b = request.AppendText(e.b, o.name, "")
	drop := byte(0)
	if o.drop {
		drop = 1
	}
	e.b = append(e.b, drop)
	e.rest(ho.Clock)
}

// ordered applies what was ordered of a host.
func (r *replay) ordered(d *request.Decoder) {
	r.happened(d)
	key, domain, name, drop := d.Uint64(), d.Uint64(), d.Text(""), d.Count(1) == 1
	c := r.readRest(d)
	rec, addr := readRecord(d)
	if d.Bad {
		return
	}
	s := r.sched
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
func (r *replay) dropWaiting(h uint32) (n int) {
	s := r.sched
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
