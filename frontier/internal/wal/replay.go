package wal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/seen"
	"github.com/webquarry/quarry/frontier/internal/store"
	"github.com/webquarry/quarry/internal/durable"
)

// Replay rebuilds a schedule from the entries of a state and of the logs after
// it. What was shelved after the state was written waits in memory again. Until
// Restore is called no host is in any heap and no request in a queue.
type Replay struct {
	Limits     sched.Limits
	Sched      *sched.Schedule // nil before the first head
	generation uint64          // of the file that is being read
	headed     bool            // its head has been read
	ended      bool            // its end has been read
	Latest     int64           // time that was told
	Number     uint32          // of the last run
	Runs       []store.Run     // that the state names
	Sets
	adder   *adder          // nil: nothing is being added
	Guessed map[uint32]bool // hosts with a head that may be too early
	pending
	stanza
}

// Sets are the URLs that were ever added.
type Sets struct {
	Seen *seen.Set
	fps  []uint64 // to be added to seen
	Seed uint64   // of fingerprints, if there is no state yet; 0: a random one
}

// stanza is the part of a state that is being read: a host and what of it waits.
type stanza struct {
	home   uint32         // host that was read last
	prev   request.Stored // request that was queued last in the record
	layers []sched.Layer  // of a lane

	requests int // read so far
	lanes    int // read so far
}

// begin says which file comes next.
func (r *Replay) begin(generation uint64) {
	r.generation, r.headed, r.ended = generation, false, false
}

// record applies the entries of a record; it is a replay of [durable.OpenLog].
func (r *Replay) record(rec []byte) error {
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

func (r *Replay) entry(kind byte, d *request.Decoder, last *request.Request) error {
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
		r.Sched.Dropped = d.Count(math.MaxInt)
	case entryName:
		r.name(d)
	case entryShares:
		r.shares(d)
	case entryReprice:
		r.reprice(d)
	case entryTaken:
		return r.taken(d, last)
	case entryGone:
		r.Sched.Shelf.Gone.Add(uint64(d.Count(math.MaxInt)))
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
		r.Opened(r.happened(d))
	case entryClock:
		r.happened(d)
	default:
		return fmt.Errorf("%w: kind %d", request.ErrRecord, kind)
	}
	return nil
}

// happened reads a time that has come.
func (r *Replay) happened(d *request.Decoder) int64 {
	t := d.Time()
	r.Latest = max(r.Latest, t)
	return t
}

// head checks that a file belongs where it was found.
func (r *Replay) head(d *request.Decoder) error {
	v, seed, generation := d.Count(math.MaxInt), d.Uint64(), uint64(d.Count(math.MaxInt))
	switch {
	case d.Bad:
		return nil
	case v != stateVersion:
		return ErrVersion
	case generation != r.generation || r.Sched != nil && seed != r.Sched.Seed:
		return errors.New("the file belongs to another state")
	case r.Sched == nil:
		r.Sched = sched.New(r.Limits, seed)
	}
	r.headed = true
	return nil
}

// end checks that all of a state was read.
func (r *Replay) end(d *request.Decoder) error {
	requests, lanes := d.Count(math.MaxInt), d.Count(math.MaxInt)
	r.Sched.Seq = uint64(d.Count(math.MaxInt))
	r.Number, r.Sched.Shelf.Stamp = uint32(d.Count(math.MaxUint32)), uint32(d.Count(math.MaxUint32))
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
func (r *Replay) again(d *request.Decoder, last *request.Request) error {
	v := r.readEnded(d)
	*last = d.Request(last)
	if d.Bad {
		return nil
	}
	c, msg := sched.NewCandidate(*last, r.Sched.Seed)
	if msg != "" {
		return fmt.Errorf("%w: %s: %s", request.ErrRecord, last.URL, msg)
	}
	i, live := r.Sched.Live.Find(c.FP)
	if !live {
		return fmt.Errorf("%w: the end of a visit that did not begin", request.ErrRecord)
	}
	r.visited(i, v)
	r.Sched.Fill(i, &c.Request)
	return nil
}

// adder adds fingerprints to the set while more entries are read.
type adder struct {
	batches chan []uint64
	done    chan error
}

// hand gives the fingerprints so far to the adder.
func (r *Replay) hand() {
	if r.adder == nil {
		x := &adder{batches: make(chan []uint64, 4), done: make(chan error, 1)}
		r.adder = x
		go func() {
			var err error
			for fps := range x.batches {
				if err == nil {
					_, err = r.Seen.Add(context.Background(), fps, nil)
				}
			}
			x.done <- err
		}()
	}
	r.adder.batches <- r.fps
	r.fps = nil
}

// Flush returns when the URLs of all entries are in the set.
func (r *Replay) Flush() error {
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
func (r *Replay) forgotten(h uint32, addr netip.Addr, at int64) {
	if ho := r.Sched.Hosts.At(h); r.Sched.Allowed(ho) <= at {
		ho.Clock = sched.Rest{}
		r.Sched.SetRecord(ho, nil)
		r.Sched.SetAddr(h, addr)
	}
}

func (r *Replay) lower(fp uint64, depth uint32) {
	if i, ok := r.Sched.Live.Find(fp); ok {
		x := r.Sched.Slots.At(i)
		x.Depth = min(x.Depth, depth)
	} else {
		r.Sched.Lowered[fp] = depth
	}
}

func (r *Replay) lease(d *request.Decoder) error {
	fp, attempt, at := d.Uint64(), d.Count(math.MaxInt32), r.happened(d)
	s := r.Sched
	i, ok := s.Live.Find(fp)
	if !ok && !d.Bad {
		return fmt.Errorf("%w: a lease of what does not wait", request.ErrRecord)
	}
	if ok && !d.Bad {
		x := s.Slots.At(i)
		x.Leased, x.Attempt = true, uint32(attempt)
		ho := s.Hosts.At(x.Host)
		ho.Clock.Start = max(ho.Clock.Start, at)
		if at > 0 { // in a state it is among the shares
			s.Began(ho.Key, at)
		}
	}
	return nil
}

func (r *Replay) readEnded(d *request.Decoder) sched.Ended {
	v := sched.Ended{FP: d.Uint64(), Start: d.Time()}
	v.At = sched.After(v.Start, int64(d.Count(math.MaxInt)))
	v.Ask = int64(d.Count(math.MaxInt))
	r.Latest = max(r.Latest, v.At)
	return v
}

func (r *Replay) done(d *request.Decoder) error {
	v := r.readEnded(d)
	i, ok := r.Sched.Live.Find(v.FP)
	if !ok && !d.Bad {
		return fmt.Errorf("%w: the end of a visit that did not begin", request.ErrRecord)
	}
	if ok && !d.Bad {
		r.visited(i, v)
		r.Sched.URLs.Remove(i)
	}
	return nil
}

// visited sets the clock of a host whose visit is over.
func (r *Replay) visited(i uint32, v sched.Ended) {
	c := &r.Sched.Hosts.At(r.Sched.Slots.At(i).Host).Clock
	c.Start = max(c.Start, v.Start)
	*c = r.Sched.Rested(*c, v.Ask, v.At)
}

func (r *Replay) host(d *request.Decoder) {
	key, domain := d.Uint64(), d.Uint64()
	c := r.readRest(d)
	if d.Bad {
		return
	}
	r.prev.Host = key
	h, ok := r.Sched.Hosts.Find(key)
	if !ok {
		h = r.Sched.AddHost(key, domain)
	}
	r.Sched.Hosts.At(h).Clock = c
	r.home = h
}

func (r *Replay) readRest(d *request.Decoder) (c sched.Rest) {
	if d.Count(1) == 1 {
		c = sched.Rest{Start: r.happened(d), Until: d.Time(), Gap: int64(d.Count(math.MaxInt)), Asked: r.happened(d)}
	}
	return c
}

// known applies what is written of a host.
func (r *Replay) known(kind byte, d *request.Decoder) {
	key := d.Uint64()
	rec, addr := readRecord(d)
	if d.Bad {
		return
	}
	if i, ok := r.Sched.Live.Find(key); ok && kind == entryRecord {
		h := r.Sched.Slots.At(i).Host
		rec.Dropped = droppedOf(r.Sched.RecordOf(r.Sched.Hosts.At(h))) // what the log dropped waits still
		r.Sched.Learn(h, rec, addr)
		r.Sched.Remember(r.Sched.Hosts.At(h), rec, i)
	} else if h, ok := r.Sched.Hosts.Find(key); ok && kind == entryKnown {
		r.Sched.Learn(h, rec, addr)
	}
}

func (r *Replay) name(d *request.Decoder) {
	key, name := d.Uint64(), d.Text("")
	r.Sched.Call(key, name)
}

func readRecord(d *request.Decoder) (*sched.Record, netip.Addr) {
	var r sched.Record
	for _, n := range [...]*int{&r.Visits, nil, &r.Errors, &r.Row, &r.Steps, &r.Good} {
		if v := d.Count(math.MaxInt); n != nil {
			*n = v
		} else {
			r.Bytes = int64(v)
		}
	}
	r.Steps = min(r.Steps, sched.MaxSteps)
	r.Troubled, r.Took, r.Parked, r.Fate = d.Time(), int64(d.Count(math.MaxInt)), d.Count(math.MaxInt32), sched.Fate(d.Count(math.MaxUint8))
	r.Dropped = d.Count(math.MaxInt)
	r.Away, r.Hold = d.Time(), d.Time()
	r.Outage = readLapse(d)
	return &r, d.Addr()
}

func readLapse(d *request.Decoder) (l sched.Lapse) {
	flags := d.Count(3)
	l.Reached, l.Parked = flags&1 != 0, flags&2 != 0
	if l.N = d.Count(math.MaxInt32); l.N > 0 {
		l.Since, l.Until = d.Time(), d.Time()
	}
	return l
}

// Opened makes what was leased when the process before ended wait again. Nobody
// knows how late before the end a visit began, so its host's clock starts anew.
func (r *Replay) Opened(at int64) {
	s := r.Sched
	for i, x := range s.Slots.All() {
		if !x.Empty() && x.Leased {
			s.Lost(i)
			c := &s.Hosts.At(x.Host).Clock
			c.Start = max(c.Start, at)
		}
	}
}

// Leases says whether anything is leased.
func (r *Replay) Leases() bool {
	for _, x := range r.Sched.Slots.All() {
		if !x.Empty() && x.Leased {
			return true
		}
	}
	return false
}

// Restore queues what was read. Rests are held to the limits of now.
func (r *Replay) Restore(now int64) {
	s := r.Sched
	s.Now = now
	for _, g := range s.Groups.All() {
		g.Pause = 0 // but for what follows from where its hosts are now
	}
	for i, h := range s.Hosts.All() {
		c := &h.Clock
		c.Gap = min(c.Gap, s.MaxDelay)
		c.Until = min(c.Until, sched.After(now, s.MaxDelay))
		if rec := s.RecordOf(h); rec != nil {
			rec.Away = min(rec.Away, c.Until)
			s.SetLapse(rec, s.Outage.Reopened(rec.Outage, rec.Troubled, now))
			if until := rec.ParkedUntil(); until > now {
				s.Park(i, until)
			}
			if h.Dropped() {
				s.DroppedHosts++
			}
		}
		if c.Start > 0 {
			s.Count(i, 0, c.Start)
		}
		if h.Busy() {
			s.Busy++ // others are counted below
		}
		if l := h.Lanes[request.LaterLane]; l != 0 {
			s.Undue += int(s.Shelf.Lanes.At(l).N)
		}
	}
	s.Queued = s.Shelf.N
	for i, x := range s.Slots.All() {
		if x.Empty() {
			continue
		}
		s.Queued++
		ho := s.Hosts.At(x.Host)
		if !ho.Busy() {
			s.Busy++
		}
		lane := request.DueLane
		if x.Due > now {
			s.Undue++
			lane = request.LaterLane
		}
		s.Enqueue(ho, lane, i)
	}
	for i := uint32(1); i < s.Hosts.End; i++ {
		if s.Hosts.At(i).Dropped() {
			s.Drop(i, now)
		} else {
			s.SetAlarm(i)
			s.Settle(i, now)
		}
	}
}

func (r *Replay) shares(d *request.Decoder) {
	latest := r.happened(d)
	for range d.Count(uint64(len(d.B) / 8)) {
		r.Sched.Began(d.Uint64(), latest)
	}
}
