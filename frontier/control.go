package frontier

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
)

// forEver is a time that does not come.
const forEver = math.MaxInt64

// Park implements [HostControl].
func (f *front) Park(ctx context.Context, url string, until time.Time) error {
	t := f.clock.in(until)
	return f.order(ctx, url, true, func(s *schedule, h uint32, now int64) bool {
		if t <= now {
			t = 0
		}
		s.hold(h, min(t, forEver-1))
		return false
	})
}

// Block implements [HostControl].
func (f *front) Block(ctx context.Context, url string) error {
	return f.order(ctx, url, true, func(s *schedule, h uint32, _ int64) bool {
		s.hold(h, forEver)
		return false
	})
}

// Drop implements [HostControl].
func (f *front) Drop(ctx context.Context, url string) (dropped int, err error) {
	err = f.order(ctx, url, true, func(s *schedule, h uint32, now int64) bool {
		before := s.dropped
		s.dropByHand(h, now)
		dropped = s.dropped - before
		return true
	})
	return dropped, err
}

// Resume implements [HostControl].
func (f *front) Resume(ctx context.Context, url string) error {
	return f.order(ctx, url, false, (*schedule).resume)
}

// order changes what is known of a host, and journals how it is then. If nothing is known of
// it, it is made or left alone. The change says whether all that waits of the host is dropped.
func (f *front) order(ctx context.Context, url string, make bool, change func(s *schedule, h uint32, now int64) bool) error {
	key, name, msg := request.SplitHost(url)
	if msg != "" {
		return &URLError{URL: url, Msg: msg}
	}
	if err := f.enter(ctx); err != nil {
		return err
	}
	now := f.tick()
	s := f.sched
	s.advance(now)
	c := candidate{host: request.Fingerprint(key, s.seed), name: name}
	h, ok := s.hosts.Find(c.host)
	if !ok && !make {
		f.mu.Unlock()
		return nil
	}
	if !ok {
		h, _ = s.hostOf(&c)
	}
	f.journal.begin(now)
	o := ordered{at: now, name: key, drop: change(s, h, now)}
	s.call(c.host, key)
	f.journal.ordered(s, h, &o)
	s.repark(h)
	s.setAlarm(h)
	s.settle(h, now)
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

// recordFor is the record of a host, which is made if there is none.
func (s *schedule) recordFor(ho *host) *record {
	if ho.record == 0 {
		ho.record = s.records.Take()
	}
	return s.records.At(ho.record)
}

// hold has a host not visited before some time.
func (s *schedule) hold(h uint32, until int64) { s.setHold(s.recordFor(s.hosts.At(h)), until) }

// setHold replaces until when a host is held, and counts the hosts that are blocked.
func (s *schedule) setHold(r *record, until int64) {
	if r.blocked() {
		s.blocked--
	}
	if r.hold = until; r.blocked() {
		s.blocked++
	}
}

// blocked says whether the host is held until it is ordered otherwise.
func (r *record) blocked() bool { return r.hold == forEver }

// dropByHand drops all of a host, now and later.
func (s *schedule) dropByHand(h uint32, now int64) {
	ho := s.hosts.At(h)
	if ho.dropped() {
		return
	}
	r := s.recordFor(ho)
	r.fate, ho.fate = byHand, byHand
	s.droppedHosts++
	s.drop(h, now)
}

// resume has a host visited again, and says whether it was dropped.
func (s *schedule) resume(h uint32, now int64) (wasDropped bool) {
	ho := s.hosts.At(h)
	r := s.recordOf(ho)
	if r == nil {
		return false
	}
	s.setHold(r, 0)
	wasDropped = ho.dropped()
	if !wasDropped && r.away <= now && r.outage.n == 0 {
		return false
	}
	if wasDropped {
		s.droppedHosts--
	}
	if r.away > now && ho.clock.until <= r.away { // that is the park, and not what the host asked for
		ho.clock.until, ho.clock.gap = 0, 0
	}
	s.dropped -= r.dropped // they count as done
	s.setRecord(ho, &record{took: r.took, outage: lapse{reached: r.outage.reached}})
	return wasDropped
}

// repark counts a host as parked for as long as it is by now.
func (s *schedule) repark(h uint32) {
	ho := s.hosts.At(h)
	for i := range s.parks {
		if ho.parked && s.parks[i].X == h {
			s.parks = heap.Remove(heap.Unplaced{}, s.parks, i)
			ho.parked = false
			break
		}
	}
	if r := s.recordOf(ho); r != nil && r.parkedUntil() > s.now {
		s.park(h, r.parkedUntil())
	}
}

// whyParked says why a host is parked.
func (r *record) whyParked(now int64) string {
	switch {
	case r.hold > now:
		return byHand.String()
	case r.away > now:
		return keepsFailing.String()
	}
	return "cannot be reached"
}

func (j *journal) ordered(s *schedule, h uint32, o *ordered) {
	if j != nil {
		ho := s.hosts.At(h)
		j.steps.ordered(o, ho, s.groups.At(ho.domain).key)
		r := s.recordOf(ho)
		if r == nil {
			r = &record{}
		}
		j.steps.recordFields(r, s.addrOf(ho))
	}
}

// ordered writes what was ordered of a host but for its record, which follows.
func (e *entries) ordered(o *ordered, ho *host, domain uint64) {
	e.uint64(entryOrdered, uint64(o.at))
	e.b = binary.LittleEndian.AppendUint64(e.b, ho.key)
	e.b = binary.LittleEndian.AppendUint64(e.b, domain)
	e.b = request.AppendText(e.b, o.name, "")
	drop := byte(0)
	if o.drop {
		drop = 1
	}
	e.b = append(e.b, drop)
	e.rest(ho.clock)
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
	h, ok := s.hosts.Find(key)
	if !ok {
		h = s.addHost(key, domain)
	}
	ho := s.hosts.At(h)
	rec.dropped = droppedOf(s.recordOf(ho))
	if drop {
		rec.dropped += r.dropWaiting(h)
	}
	if rec.fate == isWanted {
		s.dropped, rec.dropped = s.dropped-rec.dropped, 0
	}
	ho.clock = c
	s.setRecord(ho, rec)
	s.setAddr(h, addr)
	s.call(key, name)
}

// dropWaiting drops what waits of a host, and says how much that was: once the host is wanted
// again, the end of the replay would not tell it from what was added since.
func (r *replay) dropWaiting(h uint32) (n int) {
	s := r.sched
	ho := s.hosts.At(h)
	for which := range ho.lanes {
		n += s.shelf.discard(ho, which)
	}
	for i, x := range s.slots.All() {
		if !x.empty() && !x.leased && x.host == h {
			s.urls.remove(i)
			n++
		}
	}
	s.dropped += n
	return n
}

// droppedOf is how much was dropped of a host; nil: nothing is known of it.
func droppedOf(r *record) int {
	if r == nil {
		return 0
	}
	return r.dropped
}
