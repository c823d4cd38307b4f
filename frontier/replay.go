package frontier

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"

	"github.com/webquarry/quarry/internal/durable"
)

// replay rebuilds a schedule from the entries of a state and of the logs after
// it. Until restore is called no host is in any heap and no request in a queue.
type replay struct {
	limits     Limits
	sched      *schedule // nil before the first head
	generation uint64    // of the file that is being read
	headed     bool      // its head has been read
	ended      bool      // its end has been read
	seq        uint64    // greatest order of queueing in a state
	fps        int       // fingerprints read from a state
	requests   int       // requests read from a state
}

// begin says which file comes next.
func (r *replay) begin(generation uint64) {
	r.generation, r.headed, r.ended = generation, false, false
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
	case entryAdd, entryFirst, entryQueued, entryAgain:
		return r.request(kind, d, last)
	case entryLower:
		r.lower(d.uint64(), d.count(math.MaxInt32))
	case entryLease:
		r.lease(d.uint64(), d.count(math.MaxInt32), d.time())
	case entryDone:
		r.done(d)
	case entrySeen:
		r.seen(d)
	case entryHost:
		r.host(d)
	case entryEnd:
		return r.end(d)
	case entryRecord, entryKnown:
		r.known(kind, d)
	case entryOpen:
		r.opened(d.time())
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

func (r *replay) seen(d *decoder) {
	n := d.count(uint64(len(d.b) / 8))
	r.fps += n
	for range n {
		r.sched.seen[d.uint64()] = struct{}{}
	}
}

// end checks that all of a state was read.
func (r *replay) end(d *decoder) error {
	fps, requests := d.count(math.MaxInt), d.count(math.MaxInt)
	if d.bad {
		return nil
	}
	if fps != r.fps || requests != r.requests {
		return fmt.Errorf("%d fingerprints and %d requests, where %d and %d were written", r.fps, r.requests, fps, requests)
	}
	r.ended = true
	r.sched.seq = max(r.sched.seq, r.seq)
	return nil
}

// request applies an entry that holds a request.
func (r *replay) request(kind byte, d *decoder, last *Request) error {
	var v ended
	var seq, at int64
	switch kind {
	case entryAgain:
		v = readEnded(d)
	case entryFirst:
		at = d.time()
	case entryQueued:
		seq = int64(d.count(math.MaxInt))
	}
	*last = d.request(last)
	if d.bad {
		return nil
	}
	c, err := newCandidate(*last, r.sched.seed)
	if err != nil {
		return err
	}
	switch kind {
	case entryAgain:
		r.visited(r.put(&c), v)
	case entryAdd, entryFirst:
		r.add(&c, at)
	case entryQueued:
		r.requests++
		i := r.put(&c)
		r.sched.slots[i].seq = uint64(seq)
		r.seq = max(r.seq, uint64(seq))
	}
	return nil
}

// put makes a request the last of those queued, whatever its URL was before.
func (r *replay) put(c *candidate) uint32 {
	if i, ok := r.sched.live[c.fp]; ok {
		r.sched.fill(i, &c.Request)
		return i
	}
	h, _ := r.sched.hostOf(c)
	return r.sched.insert(&c.Request, c.fp, h)
}

// add adds a request; at is the time if nothing was known of its host. A URL
// that is in the state already may have changed since it was added, but not its
// place in the order.
func (r *replay) add(c *candidate, at int64) {
	s := r.sched
	if _, ok := s.seen[c.fp]; !ok {
		i := r.put(c)
		if at > 0 {
			r.forgotten(s.slots[i].host, at)
		}
	} else if i, ok := s.live[c.fp]; ok {
		s.seq++
		s.slots[i].seq = s.seq
	}
}

// forgotten resets the clock of a host that was forgotten at some time; unless
// the state that was read knows of a later visit.
func (r *replay) forgotten(h uint32, at int64) {
	if ho := r.sched.hosts.at(h); r.sched.allowed(ho) <= at {
		ho.clock, ho.rec = rest{}, nil
	}
}

func (r *replay) lower(fp uint64, depth int) {
	r.sched.lower(fp, 0, depth)
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

// known applies what is written of a host.
func (r *replay) known(kind byte, d *decoder) {
	key := d.uint64()
	rec, addr := readRecord(d)
	if d.bad {
		return
	}
	if i, ok := r.sched.live[key]; ok && kind == entryRecord {
		r.sched.learn(r.sched.slots[i].host, rec, addr)
	} else if h, ok := r.sched.hosts.find(key); ok && kind == entryKnown {
		r.sched.learn(h, rec, addr)
	}
}

func readRecord(d *decoder) (*record, netip.Addr) {
	var r record
	for _, n := range [...]*int{&r.visits, nil, &r.errors, &r.row, &r.steps, &r.good} {
		if v := d.count(math.MaxInt); n != nil {
			*n = v
		} else {
			r.bytes = int64(v)
		}
	}
	r.steps = min(r.steps, maxSteps)
	r.troubled, r.took, r.parked, r.fate = d.time(), int64(d.count(math.MaxInt)), d.count(math.MaxInt32), fate(d.count(math.MaxUint8))
	n := int(d.byte())
	if n > len(d.b) || n != 0 && n != 4 && n != 16 {
		d.fail()
		return nil, netip.Addr{}
	}
	addr, _ := netip.AddrFromSlice(d.b[:n])
	d.b = d.b[n:]
	return &r, addr
}

// opened makes what was leased when the process before ended wait again. Nobody
// knows how late before the end a visit began, so its host's clock starts anew.
func (r *replay) opened(at int64) {
	s := r.sched
	for i := range s.slots {
		if x := &s.slots[i]; !x.empty() && x.leased {
			x.leased = false
			x.attempt = min(x.attempt+1, math.MaxInt32)
			c := &s.hosts.at(x.host).clock
			c.start = max(c.start, at)
		}
	}
}

// leases says whether anything is leased.
func (r *replay) leases() bool {
	return slices.ContainsFunc(r.sched.slots, func(x slot) bool { return !x.empty() && x.leased })
}

// restore queues what was read. Clocks are held to what can be true now: that of
// the machine may have been set back.
func (r *replay) restore(now int64) {
	s := r.sched
	s.now = now
	for i := range s.hosts.items {
		c := &s.hosts.items[i].clock
		c.start = min(c.start, now)
		c.gap = min(c.gap, s.maxDelay)
		c.until = min(c.until, after(now, s.maxDelay))
		if rec := s.hosts.items[i].rec; rec != nil {
			rec.troubled = min(rec.troubled, now)
		}
		if c.start > 0 {
			s.count(uint32(i), 0, c.start)
		}
	}
	for i := range s.slots {
		if !s.slots[i].empty() {
			s.place(uint32(i), now)
		}
	}
	for i := range s.hosts.items {
		if ho := &s.hosts.items[i]; ho.dropped() {
			s.drop(uint32(i), now)
		} else if !ho.busy() {
			s.settle(uint32(i), now)
		}
	}
}
