package frontier

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/seen"
	"github.com/webquarry/quarry/internal/durable"
)

// replay rebuilds a schedule from the entries of a state and of the logs after
// it. What was shelved after the state was written waits in memory again. Until
// restore is called no host is in any heap and no request in a queue.
type replay struct {
	limits     Limits
	sched      *schedule // nil before the first head
	generation uint64    // of the file that is being read
	headed     bool      // its head has been read
	ended      bool      // its end has been read
	latest     int64     // time that was told
	number     uint32    // of the last run
	runs       []run     // that the state names
	sets
	adder   *adder          // nil: nothing is being added
	guessed map[uint32]bool // hosts with a head that may be too early
	pending
	stanza
}

// sets are the URLs that were ever added.
type sets struct {
	seen *seen.Set
	fps  []uint64 // to be added to seen
	seed uint64   // of fingerprints, if there is no state yet; 0: a random one
}

// stanza is the part of a state that is being read: a host and what of it waits.
type stanza struct {
	home   uint32         // host that was read last
	prev   request.Stored // request that was queued last in the record
	layers []layer        // of a lane

	requests int // read so far
	lanes    int // read so far
}

// begin says which file comes next.
func (r *replay) begin(generation uint64) {
	r.generation, r.headed, r.ended = generation, false, false
}

// record applies the entries of a record; it is a replay of [durable.OpenLog].
func (r *replay) record(rec []byte) error {
	d := request.Decoder{B: rec}
	var last request.Request
	r.prev.Reset()
	for len(d.B) > 0 {
		kind := d.Byte()
		err := r.await(kind)
		if err == nil {
			err = r.entry(kind, &d, &last)
		}
		switch {
		case err != nil:
			return &durable.CorruptError{Err: err}
		case d.Bad:
			return &durable.CorruptError{Err: fmt.Errorf("%w: entry of kind %d", request.ErrRecord, kind)}
		}
	}
	if err := r.await(entryUnused); err != nil {
		return &durable.CorruptError{Err: err}
	}
	return nil
}

func (r *replay) entry(kind byte, d *request.Decoder, last *request.Request) error {
	if r.ended || r.headed == (kind == entryHead) {
		return fmt.Errorf("%w: entry of kind %d in the wrong place", request.ErrRecord, kind)
	}
	switch kind {
	case entryHead:
		return r.head(d)
	case entryAdd, entryFirst:
		return r.request(kind, d, last)
	case entryAgain:
		return r.again(d, last)
	case entryLower:
		r.lower(d.Uint64(), uint32(d.Count(math.MaxInt32)))
	case entryLease:
		return r.lease(d)
	case entryDone:
		return r.done(d)
	case entryMoved:
		return r.moved(d)
	case entryQueued:
		return r.queued(d)
	case entryLocated:
		r.located(d)
	case entryExpired:
		r.expired(d)
	case entryDropped:
		r.sched.dropped = d.Count(math.MaxInt)
	case entryName:
		r.name(d)
	case entryShares:
		r.shares(d)
	case entryReprice:
		r.reprice(d)
	case entryTaken:
		return r.taken(d, last)
	case entryGone:
		r.gone(uint64(d.Count(math.MaxInt)))
	case entryRun:
		r.run(d)
	case entryLane:
		return r.lane(d)
	case entryHost:
		r.host(d)
	case entryOrdered:
		r.ordered(d)
	case entryEnd:
		return r.end(d)
	case entryRecord, entryKnown:
		r.known(kind, d)
	case entryOpen:
		r.opened(r.happened(d))
	case entryClock:
		r.happened(d)
	default:
		return fmt.Errorf("%w: kind %d", request.ErrRecord, kind)
	}
	return nil
}

// happened reads a time that has come.
func (r *replay) happened(d *request.Decoder) int64 {
	t := d.Time()
	r.latest = max(r.latest, t)
	return t
}

// head checks that a file belongs where it was found.
func (r *replay) head(d *request.Decoder) error {
	v, seed, generation := d.Count(math.MaxInt), d.Uint64(), uint64(d.Count(math.MaxInt))
	switch {
	case d.Bad:
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

// end checks that all of a state was read.
func (r *replay) end(d *request.Decoder) error {
	requests, lanes := d.Count(math.MaxInt), d.Count(math.MaxInt)
	r.sched.seq = uint64(d.Count(math.MaxInt))
	r.number, r.sched.shelf.stamp = uint32(d.Count(math.MaxUint32)), uint32(d.Count(math.MaxUint32))
	if d.Bad {
		return nil
	}
	if requests != r.requests || lanes != r.lanes {
		return fmt.Errorf("%d requests and %d lanes, where %d and %d were written", r.requests, r.lanes, requests, lanes)
	}
	r.ended = true
	return nil
}

// again applies the end of a visit to a request that is to be offered again.
func (r *replay) again(d *request.Decoder, last *request.Request) error {
	v := r.readEnded(d)
	*last = d.Request(last)
	if d.Bad {
		return nil
	}
	c, err := newCandidate(*last, r.sched.seed)
	if err != nil {
		return err
	}
	i, live := r.sched.live.Find(c.fp)
	if !live {
		return fmt.Errorf("%w: the end of a visit that did not begin", request.ErrRecord)
	}
	r.visited(i, v)
	r.sched.fill(i, &c.Request)
	return nil
}

// adder adds fingerprints to the set while more entries are read.
type adder struct {
	batches chan []uint64
	done    chan error
}

// hand gives the fingerprints so far to the adder.
func (r *replay) hand() {
	if r.adder == nil {
		x := &adder{batches: make(chan []uint64, 4), done: make(chan error, 1)}
		r.adder = x
		go func() {
			var err error
			for fps := range x.batches {
				if err == nil {
					_, err = r.seen.Add(context.Background(), fps, nil)
				}
			}
			x.done <- err
		}()
	}
	r.adder.batches <- r.fps
	r.fps = nil
}

// flush returns when the URLs of all entries are in the set.
func (r *replay) flush() error {
	if len(r.fps) > 0 {
		r.hand()
	}
	x := r.adder
	if r.adder = nil; x == nil {
		return nil
	}
	close(x.batches)
	return <-x.done
}

// forgotten resets the clock and the address of a host that was forgotten at some
// time; unless the state that was read knows of a later visit.
func (r *replay) forgotten(h uint32, addr netip.Addr, at int64) {
	if ho := r.sched.hosts.At(h); r.sched.allowed(ho) <= at {
		ho.clock = rest{}
		r.sched.setRecord(ho, nil)
		r.sched.setAddr(h, addr)
	}
}

func (r *replay) lower(fp uint64, depth uint32) {
	if i, ok := r.sched.live.Find(fp); ok {
		x := r.sched.slots.At(i)
		x.depth = min(x.depth, depth)
	} else {
		r.sched.lowered[fp] = depth
	}
}

func (r *replay) lease(d *request.Decoder) error {
	fp, attempt, at := d.Uint64(), d.Count(math.MaxInt32), r.happened(d)
	s := r.sched
	i, ok := s.live.Find(fp)
	if !ok && !d.Bad {
		return fmt.Errorf("%w: a lease of what does not wait", request.ErrRecord)
	}
	if ok && !d.Bad {
		x := s.slots.At(i)
		x.leased, x.attempt = true, uint32(attempt)
		ho := s.hosts.At(x.host)
		ho.clock.start = max(ho.clock.start, at)
		if at > 0 { // in a state it is among the shares
			s.began(ho.key, at)
		}
	}
	return nil
}

func (r *replay) readEnded(d *request.Decoder) ended {
	v := ended{fp: d.Uint64(), start: d.Time()}
	v.at = after(v.start, int64(d.Count(math.MaxInt)))
	v.ask = int64(d.Count(math.MaxInt))
	r.latest = max(r.latest, v.at)
	return v
}

func (r *replay) done(d *request.Decoder) error {
	v := r.readEnded(d)
	i, ok := r.sched.live.Find(v.fp)
	if !ok && !d.Bad {
		return fmt.Errorf("%w: the end of a visit that did not begin", request.ErrRecord)
	}
	if ok && !d.Bad {
		r.visited(i, v)
		r.sched.urls.remove(i)
	}
	return nil
}

// visited sets the clock of a host whose visit is over.
func (r *replay) visited(i uint32, v ended) {
	c := &r.sched.hosts.At(r.sched.slots.At(i).host).clock
	c.start = max(c.start, v.start)
	*c = r.sched.rested(*c, v.ask, v.at)
}

func (r *replay) host(d *request.Decoder) {
	key, domain := d.Uint64(), d.Uint64()
	c := r.readRest(d)
	if d.Bad {
		return
	}
	r.prev.Host = key
	h, ok := r.sched.hosts.Find(key)
	if !ok {
		h = r.sched.addHost(key, domain)
	}
	r.sched.hosts.At(h).clock = c
	r.home = h
}

func (r *replay) readRest(d *request.Decoder) (c rest) {
	if d.Count(1) == 1 {
		c = rest{start: r.happened(d), until: d.Time(), gap: int64(d.Count(math.MaxInt)), asked: r.happened(d)}
	}
	return c
}

// known applies what is written of a host.
func (r *replay) known(kind byte, d *request.Decoder) {
	key := d.Uint64()
	rec, addr := readRecord(d)
	if d.Bad {
		return
	}
	if i, ok := r.sched.live.Find(key); ok && kind == entryRecord {
		h := r.sched.slots.At(i).host
		rec.dropped = droppedOf(r.sched.recordOf(r.sched.hosts.At(h))) // what the log dropped waits still
		r.sched.learn(h, rec, addr)
		r.sched.remember(r.sched.hosts.At(h), rec, i)
	} else if h, ok := r.sched.hosts.Find(key); ok && kind == entryKnown {
		r.sched.learn(h, rec, addr)
	}
}

func (r *replay) name(d *request.Decoder) {
	key, name := d.Uint64(), d.Text("")
	r.sched.call(key, name)
}

func readRecord(d *request.Decoder) (*record, netip.Addr) {
	var r record
	for _, n := range [...]*int{&r.visits, nil, &r.errors, &r.row, &r.steps, &r.good} {
		if v := d.Count(math.MaxInt); n != nil {
			*n = v
		} else {
			r.bytes = int64(v)
		}
	}
	r.steps = min(r.steps, maxSteps)
	r.troubled, r.took, r.parked, r.fate = d.Time(), int64(d.Count(math.MaxInt)), d.Count(math.MaxInt32), fate(d.Count(math.MaxUint8))
	r.dropped = d.Count(math.MaxInt)
	r.away, r.hold = d.Time(), d.Time()
	r.outage = readLapse(d)
	return &r, d.Addr()
}

func readLapse(d *request.Decoder) (l lapse) {
	flags := d.Count(3)
	l.reached, l.parked = flags&1 != 0, flags&2 != 0
	if l.n = d.Count(math.MaxInt32); l.n > 0 {
		l.since, l.until = d.Time(), d.Time()
	}
	return l
}

// opened makes what was leased when the process before ended wait again. Nobody
// knows how late before the end a visit began, so its host's clock starts anew.
func (r *replay) opened(at int64) {
	s := r.sched
	for i, x := range s.slots.All() {
		if !x.empty() && x.leased {
			s.lost(i)
			c := &s.hosts.At(x.host).clock
			c.start = max(c.start, at)
		}
	}
}

// leases says whether anything is leased.
func (r *replay) leases() bool {
	for _, x := range r.sched.slots.All() {
		if !x.empty() && x.leased {
			return true
		}
	}
	return false
}

// restore queues what was read. Rests are held to the limits of now.
func (r *replay) restore(now int64) {
	s := r.sched
	s.now = now
	for _, g := range s.groups.All() {
		g.pause = 0 // but for what follows from where its hosts are now
	}
	for i, h := range s.hosts.All() {
		c := &h.clock
		c.gap = min(c.gap, s.maxDelay)
		c.until = min(c.until, after(now, s.maxDelay))
		if rec := s.recordOf(h); rec != nil {
			rec.away = min(rec.away, c.until)
			s.setLapse(rec, s.outage.reopened(rec.outage, rec.troubled, now))
			if until := rec.parkedUntil(); until > now {
				s.park(i, until)
			}
			if h.dropped() {
				s.droppedHosts++
			}
		}
		if c.start > 0 {
			s.count(i, 0, c.start)
		}
		if h.busy() {
			s.busy++ // others are counted below
		}
		if l := h.lanes[request.LaterLane]; l != 0 {
			s.undue += int(s.shelf.lanes.At(l).n)
		}
	}
	s.queued = s.shelf.n
	for i, x := range s.slots.All() {
		if x.empty() {
			continue
		}
		s.queued++
		ho := s.hosts.At(x.host)
		if !ho.busy() {
			s.busy++
		}
		lane := request.DueLane
		if x.due > now {
			s.undue++
			lane = request.LaterLane
		}
		s.enqueue(ho, lane, i)
	}
	for i := uint32(1); i < s.hosts.End; i++ {
		if s.hosts.At(i).dropped() {
			s.drop(i, now)
		} else {
			s.setAlarm(i)
			s.settle(i, now)
		}
	}
}
