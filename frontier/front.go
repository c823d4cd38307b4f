package frontier

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/seen"
	"github.com/webquarry/quarry/frontier/internal/wal"
)

// batch is how many requests are added under one hold of the lock, and at most
// batchBytes of text, so that none is held long and no record grows large.
const (
	batch      = 256
	batchBytes = 1 << 20
)

// lateStart is how much later than its lease a visit may start without its host
// being told.
const lateStart = 100 * time.Microsecond

// front is what Memory and Disk have in common: a schedule behind a lock, those
// who wait for it, and, on disk, the journal of what was decided.
type front struct {
	mu      sync.Mutex
	sched   *sched.Schedule
	wait    waiters
	stopped error        // returned by all methods from now on
	journal *wal.Journal // nil: in memory
	seen    *seen.Set
	fps     []uint64 // of a batch
	fresh   []bool   // of those, which are new
	touched uint64   // so that what is touched is read
	clock   clock
	horizon int64
	look    lookSteps
	aside
}

// aside is what is kept beside the schedule.
type aside struct {
	leases leases
	ended  visits
	note   func() // that something has happened; nil: nobody wants to know
}

// Add implements [Frontier].
func (f *front) Add(ctx context.Context, reqs ...Request) (added int, err error) {
	var bad []error
	good := takeList()
	defer good.give()
	for len(reqs) > 0 {
		if ctx.Err() != nil {
			return added, errors.Join(append(bad, context.Cause(ctx))...)
		}
		reqs, bad = f.candidates(good, reqs, bad)
		f.awaitRoom(ctx, *good)
		n, err := f.addBatch(ctx, *good)
		added += n
		if err != nil {
			return added, errors.Join(append(bad, err)...)
		}
	}
	return added, errors.Join(bad...)
}

// candidates looks at requests until there are enough for a batch, and returns
// the rest.
func (f *front) candidates(good *candidates, reqs []Request, bad []error) ([]Request, []error) {
	good.reset()
	size := 0
	for i := range reqs {
		if len(*good) == batch || size > batchBytes {
			return reqs[i:], bad
		}
		c, err := candidateOf(reqs[i], f.sched.Seed)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		c.Due = f.clock.in(reqs[i].Due)
		*good = append(*good, c)
		size += len(c.URL) + len(c.Via) + len(c.Label) + len(c.Meta)
	}
	return nil, bad
}

func (f *front) addBatch(ctx context.Context, cs []sched.Candidate) (int, error) {
	f.mu.Lock()
	if f.stopped != nil {
		defer f.mu.Unlock()
		return 0, f.stopped
	}
	now := f.tick()
	if err := f.findAgain(ctx, cs); err != nil {
		defer f.mu.Unlock()
		return 0, err
	}
	f.journal.Begin(now)
	n, err := f.addAll(cs, now)
	t := f.journal.End()
	f.dispatch(now)
	full := f.overfull()
	f.mu.Unlock()
	if err != nil {
		return n, f.stop(diskError(err))
	}
	if full {
		f.journal.Full()
	}
	return n, f.commit(t)
}

// crowded says whether there are more requests in memory, by some factor, than
// there should be. The lock is held.
func (f *front) crowded(factor float64) bool {
	return f.journal != nil && f.stopped == nil && float64(f.sched.Live.N) > factor*float64(f.journal.Crowd)
}

// littered says whether too much is remembered of single requests that are not in memory,
// so that the runs should be merged. The lock is held.
func (f *front) littered() bool {
	return f.journal != nil && f.stopped == nil && !f.journal.Merging && f.sched.Shelf.N > 0 && f.sched.Remembered() > f.journal.Litter
}

// overfull says whether anything is to be done about what is in memory. The lock is held.
func (f *front) overfull() bool { return f.crowded(1) || f.littered() }

// tight is how much more there may be in memory before those who add must wait.
const tight = 1.125

// awaitRoom waits while there are far too many requests in memory, unless all that is
// to be added is known; with nothing to be added it waits.
func (f *front) awaitRoom(ctx context.Context, cs []sched.Candidate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.crowded(tight) || len(cs) > 0 && f.allKnown(cs) {
		return
	}
	for f.crowded(tight) && ctx.Err() == nil {
		if f.journal.Relief == nil {
			f.journal.Relief = make(chan struct{})
		}
		relief := f.journal.Relief
		f.mu.Unlock()
		f.journal.Full()
		select {
		case <-relief:
		case <-ctx.Done():
		}
		f.mu.Lock()
	}
}

// allKnown says whether no candidate has a URL that was not added before.
func (f *front) allKnown(cs []sched.Candidate) bool {
	fps, known := make([]uint64, len(cs)), make([]bool, len(cs))
	for i := range cs {
		fps[i] = cs[i].FP
	}
	err := f.seen.Has(fps, known)
	return err == nil && !slices.Contains(known, false)
}

// relieve wakes those who wait for room. The lock is held.
func (f *front) relieve() {
	if f.journal != nil && f.journal.Relief != nil {
		close(f.journal.Relief)
		f.journal.Relief = nil
	}
}

// addAll adds and journals candidates.
func (f *front) addAll(cs []sched.Candidate, now int64) (n int, err error) {
	f.sched.Advance(now)
	f.fps = f.fps[:0]
	for i := range cs {
		f.fps = append(f.fps, cs[i].FP)
	}
	f.fresh = slices.Grow(f.fresh[:0], len(cs))[:len(cs)]
	// Whatever becomes of a context: what is in the set must be queued.
	if _, err := f.seen.Add(context.Background(), f.fps, f.fresh); err != nil {
		return 0, err
	}
	f.touched += f.sched.Touch(cs, f.fresh)
	for i := range cs {
		c := &cs[i]
		switch f.sched.Add(c, f.fresh[i], now) {
		case sched.Added:
			n++
			f.journal.Add(&c.Request)
		case sched.AddedFirst:
			n++
			f.journal.First(&c.Request, now)
		case sched.Lowered:
			f.journal.Lower(c.FP, c.Depth)
		}
	}
	if n > 0 {
		f.sched.Rates.Added(n, now)
	}
	return n, nil
}

// Next implements [Frontier].
func (f *front) Next(ctx context.Context) (Lease, error) {
	if ctx.Err() != nil {
		return Lease{}, context.Cause(ctx)
	}
	f.mu.Lock()
	if f.stopped != nil {
		defer f.mu.Unlock()
		return Lease{}, f.stopped
	}
	now := f.tick()
	f.sched.Advance(now)
	if f.wait.calls.Len() == 0 {
		if g, text, ok := f.lease(now); ok {
			buf := texts.Get().(*[]byte)
			*buf = append((*buf)[:0], text...)
			f.mu.Unlock()
			g.lease.Request = public(g.slot.Request(*buf))
			texts.Put(buf)
			return f.begin(g)
		}
	}
	w := &waiter{answer: make(chan grant, 1)}
	f.wait.push(w)
	f.dispatch(now)
	f.mu.Unlock()
	select {
	case g := <-w.answer:
		return f.begin(g)
	case <-ctx.Done():
	}
	f.mu.Lock()
	gone := f.wait.remove(w)
	f.mu.Unlock()
	if gone {
		return Lease{}, context.Cause(ctx)
	}
	return f.begin(<-w.answer) // it was leased before the lock was ours
}

// NextBatch implements [BatchLeaser].
func (f *front) NextBatch(ctx context.Context, most int) ([]Lease, error) {
	l, err := f.Next(ctx)
	if err != nil {
		return nil, err
	}
	leases := []Lease{l}
	var more []grant
	f.mu.Lock()
	if f.stopped == nil && f.wait.calls.Len() == 0 {
		now := f.tick()
		f.sched.Advance(now)
		for len(leases)+len(more) < most {
			g, text, ok := f.lease(now)
			if !ok {
				break
			}
			g.lease.Request = public(g.slot.Request(text))
			more = append(more, g)
		}
	}
	f.mu.Unlock()
	for _, g := range more {
		l, err := f.begin(g)
		if err != nil {
			return nil, err // it is that of all methods from now on
		}
		leases = append(leases, l)
	}
	return leases, nil
}

// begin returns what was granted once it is on disk, or with the system where no
// clock depends on it. The visit starts then.
func (f *front) begin(g grant) (Lease, error) {
	g.lease.Due = f.clock.outTime(g.lease.Due)
	if f.leases.span > 0 && g.err == nil {
		g.lease.Until = f.clock.machine(sched.After(g.at, f.leases.span))
	}
	if g.err != nil || f.journal == nil {
		return g.lease, g.err
	}
	commit := f.commit
	if g.calm {
		commit = f.keep
	}
	if err := commit(g.ticket); err != nil {
		return Lease{}, err
	}
	if now := f.clock.now(); now-g.at > int64(lateStart) {
		f.mu.Lock()
		if i, ok := f.sched.LeasedAs(g.slot.FP, g.lease.Token); ok {
			f.sched.Started(i, now)
		}
		f.mu.Unlock()
	}
	return g.lease, nil
}

// Done implements [Frontier].
func (f *front) Done(ctx context.Context, l Lease, out Outcome) error {
	safe, err := f.Finish(ctx, l, out)
	return errors.Join(err, safe())
}

// Finish implements [Finisher].
func (f *front) Finish(_ context.Context, l Lease, out Outcome) (safe func() error, err error) {
	fp := f.sched.Key(l.URL, l.Variant)
	var again *request.Request
	var bad []error
	if !out.Again.IsZero() {
		req := l.Request
		if out.Priority != nil {
			req.Priority = *out.Priority
		}
		changed := req
		changed.Meta = req.Meta.Merge(out.Meta)
		if err := mend(&changed); err == nil {
			req = changed
		} else if bad = append(bad, err); mend(&req) != nil {
			req.Meta = Meta{}
			mend(&req)
		}
		x := bare(&req)
		x.Due = f.clock.in(out.Again)
		again = &x
	}
	found := out.Found
	good := takeList()
	defer good.give()
	for {
		found, bad = f.candidates(good, found, bad)
		last := len(found) == 0
		f.mu.Lock()
		t, err := f.doneBatch(fp, &l, again, &out, *good, last)
		full := f.overfull()
		f.mu.Unlock()
		if last || err != nil {
			return func() error { return f.safe(t, full) }, errors.Join(append(bad, err)...)
		}
	}
}

// safe commits a ticket, if it is one, and has room made if need be.
func (f *front) safe(t wal.Ticket, full bool) (err error) {
	if t > 0 {
		err = f.commit(t)
	}
	if full {
		f.journal.Full()
	}
	return err
}

// doneBatch adds some of the links found and, with the last of them, ends the
// lease in the same record.
func (f *front) doneBatch(fp uint64, l *Lease, again *request.Request, out *Outcome, found []sched.Candidate, last bool) (wal.Ticket, error) {
	if f.stopped != nil {
		return 0, f.stopped
	}
	now := f.tick()
	i, ok := f.sched.LeasedAs(fp, l.Token)
	if !ok {
		return 0, ErrLeaseExpired
	}
	err := f.findAgain(context.Background(), found) // the visit has ended whatever becomes of a context
	if err != nil {
		return 0, err
	}
	f.journal.Begin(now)
	if _, err := f.addAll(found, now); err != nil {
		f.journal.End()
		f.fail(diskError(err))
		return 0, f.stopped
	}
	if last {
		start := f.sched.Hosts.At(f.sched.Slots.At(i).Host).Clock.Start
		if asked := f.clock.asked(out); asked > sched.After(start, int64(lateStart)) {
			start = min(asked, now)
			f.sched.Started(i, start)
		}
		v := sched.Ended{FP: fp, Start: start, At: now, Ask: int64(out.Delay), Again: again, Unvisited: out.Unvisited}
		v.Took, v.Bytes = max(int64(out.Took), 0), max(out.Bytes, 0)
		v.Trouble, v.Addr = sched.Trouble(out.Trouble), out.Addr
		f.end(i, &v)
		f.leases.end(l.Token)
	}
	t := f.journal.End()
	f.dispatch(now)
	return t, nil
}

// end judges, journals and ends a visit.
func (f *front) end(i uint32, v *sched.Ended) {
	ho := f.sched.Hosts.At(f.sched.Slots.At(i).Host)
	if v.Unvisited {
		v.Ask = ho.Clock.Gap // as it was
	} else {
		f.sched.Judge(i, v)
	}
	v.Ask = min(max(v.Ask, 0), f.sched.MaxDelay)
	f.journal.Record(v.FP, f.sched.RecordOf(ho), f.sched.AddrOf(ho))
	f.journal.Done(*v)
	x := visit{fp: v.FP, at: v.At, took: v.Took, bytes: v.Bytes, trouble: Trouble(v.Trouble)}
	if v.Again != nil {
		x.again = v.Again.Due
	}
	f.ended.note(x)
	f.sched.Done(i, v)
}

// commit waits until a ticket is as safe as was asked for.
func (f *front) commit(t wal.Ticket) error {
	if f.journal == nil {
		return nil
	}
	err := f.journal.Commit(t)
	if err != nil {
		err = f.stop(diskError(err))
	}
	return err
}

// keep waits until a ticket survives the death of the process.
func (f *front) keep(t wal.Ticket) error {
	err := f.journal.Keep(t)
	if err != nil {
		err = f.stop(diskError(err))
	}
	return err
}

// stop makes all methods return err from now on, or the error that came first
// unless this is ErrClosed.
func (f *front) stop(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail(err)
	return f.stopped
}

// fail is stop with the lock held.
func (f *front) fail(err error) {
	if f.stopped == nil || err == ErrClosed {
		f.stopped = err
		f.wait.fail(err)
	}
	f.relieve()
}

// findAgain notes which of the candidates that are to be queued although they are known
// do not wait on disk. The lock is held.
func (f *front) findAgain(ctx context.Context, cs []sched.Candidate) error {
	var byHost map[uint32][]sched.Candidate
	s := f.sched
	for i := range cs {
		c := &cs[i]
		if !c.Again {
			continue
		}
		h, ok := s.Hosts.Find(c.Host)
		if !ok || s.Hosts.At(h).Lanes == [request.Lanes]uint32{} {
			continue
		}
		if byHost == nil {
			byHost = map[uint32][]sched.Candidate{}
		}
		byHost[h] = append(byHost[h], *c)
	}
	waiting := map[uint64]bool{}
	for h, some := range byHost {
		away, err := s.FindShelved(ctx, h, some)
		if err != nil {
			return err
		}
		if s.Shelf.Fault != nil {
			return diskError(s.Shelf.Fault)
		}
		for _, x := range away {
			waiting[s.Key(x.URL, x.Variant)] = true
		}
	}
	if len(waiting) > 0 {
		for i := range cs {
			cs[i].Again = cs[i].Again && !waiting[cs[i].FP]
		}
	}
	return nil
}
