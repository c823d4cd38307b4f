package frontier

import (
	"errors"
	"fmt"
	"math"

	"github.com/webquarry/quarry/internal/durable"
)

// replay rebuilds a schedule from the entries of a state and of the logs after
// it. Until restore is called no host is in any heap and no request in a queue.
type replay struct {
	limits     Limits
	sched      *schedule // nil before the first head
	generation uint64    // of the file that is being read
	headed     bool      // its head has been read
	ended      bool      // nothing may follow
	seq        uint64    // greatest order of queueing in a state
}

// record applies the entries of a record; it is a replay of [durable.OpenLog].
func (r *replay) record(rec []byte) error {
	d := decoder{b: rec}
	var last Request
	for len(d.b) > 0 {
		kind := d.byte()
		err := r.entry(kind, &d, &last)
		switch {
		case err != nil:
			return &durable.CorruptError{Err: err}
		case d.bad:
			return &durable.CorruptError{Err: fmt.Errorf("%w: entry of kind %d", errRecord, kind)}
		}
	}
	return nil
}

func (r *replay) entry(kind byte, d *decoder, last *Request) error {
	if r.ended || r.headed == (kind == entryHead) {
		return fmt.Errorf("%w: entry of kind %d in the wrong place", errRecord, kind)
	}
	switch kind {
	case entryHead:
		return r.head(d)
	case entryAdd, entryQueued, entryAgain:
		return r.request(kind, d, last)
	case entryLower:
		r.lower(d.uint64(), d.count(math.MaxInt32))
	case entryLease:
		r.lease(d.uint64(), d.count(math.MaxInt32), d.time())
	case entryDone:
		r.done(d)
	case entrySeen:
		for range d.count(math.MaxInt32) {
			if fp := d.uint64(); !d.bad {
				r.sched.seen[fp] = struct{}{}
			} else {
				break
			}
		}
	case entryHost:
		r.host(d)
	case entryEnd:
		seen, live := d.count(math.MaxInt), d.count(math.MaxInt)
		if !d.bad && (seen != len(r.sched.seen) || live != len(r.sched.live)) {
			return fmt.Errorf("%d URLs, %d of them waiting, where %d and %d were written",
				len(r.sched.seen), len(r.sched.live), seen, live)
		}
		r.ended = true
	default:
		return fmt.Errorf("%w: kind %d", errRecord, kind)
	}
	return nil
}

// head checks that a file belongs where it was found.
func (r *replay) head(d *decoder) error {
	v, seed, generation := d.count(math.MaxInt), d.uint64(), uint64(d.count(math.MaxInt))
	switch {
	case d.bad:
		return nil
	case v != stateVersion:
		return ErrVersion
	case generation != r.generation || r.sched != nil && seed != r.sched.seed:
		return errors.New("the file belongs to another state")
	case r.sched == nil:
		r.sched = newSchedule(r.limits, seed)
	}
	r.headed = true
	return nil
}

// request applies an entry that holds a request.
func (r *replay) request(kind byte, d *decoder, last *Request) error {
	var v ended
	var seq uint64
	switch kind {
	case entryAgain:
		v = readEnded(d)
	case entryQueued:
		seq = uint64(d.count(math.MaxInt))
	}
	req := d.request(last)
	*last = req
	if d.bad {
		return nil
	}
	s := r.sched
	c, err := newCandidate(req, s.seed)
	if err != nil {
		return err
	}
	i, live := s.live[c.fp]
	if _, seen := s.seen[c.fp]; seen && !live && kind == entryAdd || live && kind == entryAdd {
		return nil
	}
	if live {
		s.fill(i, &c.Request)
	} else {
		i = s.insert(&c.Request, c.fp, s.hostOf(&c))
	}
	switch kind {
	case entryAgain:
		r.visited(i, v)
	case entryQueued:
		s.slots[i].seq = seq
		r.seq = max(r.seq, seq)
	}
	return nil
}

func (r *replay) lower(fp uint64, depth int) {
	r.sched.lower(fp, depth)
}

// lease applies a lease. At the time of the entry the URL may have been done in
// the state already.
func (r *replay) lease(fp uint64, attempt int, at int64) {
	s := r.sched
	if i, ok := s.live[fp]; ok {
		s.slots[i].leased, s.slots[i].attempt = true, uint32(attempt)
		c := &s.hosts.at(s.slots[i].host).clock
		c.start = max(c.start, at)
	}
}

func readEnded(d *decoder) ended {
	v := ended{fp: d.uint64(), start: d.time()}
	v.at = after(v.start, int64(d.count(math.MaxInt)))
	v.ask = int64(d.count(math.MaxInt))
	return v
}

func (r *replay) done(d *decoder) {
	v := readEnded(d)
	if i, ok := r.sched.live[v.fp]; ok && !d.bad {
		r.visited(i, v)
		r.sched.urls.remove(i)
	}
}

// visited sets the clock of a host whose visit is over.
func (r *replay) visited(i uint32, v ended) {
	c := &r.sched.hosts.at(r.sched.slots[i].host).clock
	c.start = max(c.start, v.start)
	*c = r.sched.rested(*c, v.ask, v.at)
}

func (r *replay) host(d *decoder) {
	key, domain := d.uint64(), d.uint64()
	c := rest{start: d.time(), until: d.time(), gap: int64(d.count(math.MaxInt)), asked: d.time()}
	if d.bad {
		return
	}
	h, ok := r.sched.hosts.find(key)
	if !ok {
		h = r.sched.addHost(key, domain)
	}
	r.sched.hosts.at(h).clock = c
}

// restore queues what was read, at the time of opening. What was leased is
// offered again; nobody knows how late before the end its visit began, so its
// host's clock starts anew.
func (r *replay) restore(now int64) {
	s := r.sched
	s.seq = max(s.seq, r.seq)
	for i := range s.slots {
		if x := &s.slots[i]; !x.empty() && x.leased {
			x.leased = false
			x.attempt = min(x.attempt+1, math.MaxInt32)
			s.hosts.at(x.host).clock.start = now
		}
	}
	for i := range s.hosts.items {
		c := &s.hosts.items[i].clock
		c.start = min(c.start, now) // the machine's clock may have been set back
		c.gap = min(c.gap, s.maxDelay)
		c.until = min(c.until, after(now, s.maxDelay))
	}
	for i := range s.slots {
		if !s.slots[i].empty() {
			s.place(uint32(i), now)
		}
	}
	for i := range s.hosts.items {
		if !s.hosts.items[i].busy() {
			s.settle(uint32(i), now)
		}
	}
}
