package frontier

import (
	"context"
	"errors"
	"sync"
	"time"
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
	sched   *schedule
	wait    waiters
	stopped error    // returned by all methods from now on
	journal *journal // nil: in memory
	clock   clock
	horizon int64
}

// Add implements [Frontier].
func (f *front) Add(ctx context.Context, reqs ...Request) (added int, err error) {
	var bad []error
	for len(reqs) > 0 {
		if ctx.Err() != nil {
			return added, errors.Join(append(bad, context.Cause(ctx))...)
		}
		var good []candidate
		good, reqs, bad = f.candidates(reqs, bad)
		n, err := f.addBatch(good)
		added += n
		if err != nil {
			return added, errors.Join(append(bad, err)...)
		}
	}
	return added, errors.Join(bad...)
}

// candidates looks at requests until there are enough for a batch, and returns
// the rest.
func (f *front) candidates(reqs []Request, bad []error) ([]candidate, []Request, []error) {
	good := make([]candidate, 0, min(len(reqs), batch))
	size := 0
	for i := range reqs {
		if len(good) == batch || size > batchBytes {
			return good, reqs[i:], bad
		}
		c, err := newCandidate(reqs[i], f.sched.seed)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		good = append(good, c)
		size += len(c.URL) + len(c.Via) + len(c.Label)
	}
	return good, nil, bad
}

func (f *front) addBatch(cs []candidate) (int, error) {
	f.mu.Lock()
	if f.stopped != nil {
		defer f.mu.Unlock()
		return 0, f.stopped
	}
	now := f.clock.now()
	f.journal.begin()
	n := f.addAll(cs, now)
	t := f.journal.end()
	f.dispatch(now)
	f.mu.Unlock()
	return n, f.commit(t)
}

// addAll adds and journals candidates.
func (f *front) addAll(cs []candidate, now int64) (n int) {
	f.sched.advance(now)
	for i := range cs {
		c := &cs[i]
		_, old := f.sched.seen[c.fp]
		switch f.sched.add(c, !old, now) {
		case added:
			n++
			f.journal.add(&c.Request)
		case addedFirst:
			n++
			f.journal.first(&c.Request, now)
		case lowered:
			f.journal.lower(c.fp, c.Depth)
		}
	}
	return n
}

// Next implements [Frontier].
func (f *front) Next(ctx context.Context) (Request, error) {
	if ctx.Err() != nil {
		return Request{}, context.Cause(ctx)
	}
	f.mu.Lock()
	if f.stopped != nil {
		defer f.mu.Unlock()
		return Request{}, f.stopped
	}
	now := f.clock.now()
	f.sched.advance(now)
	if f.wait.calls.Len() == 0 {
		if g, ok := f.lease(now); ok {
			f.mu.Unlock()
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
		return Request{}, context.Cause(ctx)
	}
	return f.begin(<-w.answer) // it was leased before the lock was ours
}

// begin returns what was granted once it is on disk. The visit starts then.
func (f *front) begin(g grant) (Request, error) {
	if g.err != nil || f.journal == nil {
		return g.req, g.err
	}
	if err := f.commit(g.ticket); err != nil {
		return Request{}, err
	}
	if now := f.clock.now(); now-g.at > int64(lateStart) {
		f.mu.Lock()
		if s := &f.sched.slots[g.slot]; s.leased && s.fp == g.fp {
			f.sched.started(g.slot, now)
		}
		f.mu.Unlock()
	}
	return g.req, nil
}

// Done implements [Frontier].
func (f *front) Done(ctx context.Context, req Request, out Outcome) error {
	fp := fingerprint(req.URL, f.sched.seed)
	var again *Request
	if !out.Again.IsZero() {
		req.Due = out.Again
		mend(&req)
		again = &req
	}
	found := out.Found
	var bad []error
	for {
		var good []candidate
		good, found, bad = f.candidates(found, bad)
		last := len(found) == 0
		f.mu.Lock()
		t, err := f.doneBatch(fp, again, &out, good, last)
		f.mu.Unlock()
		if err == nil {
			err = f.commit(t)
		}
		if last || err != nil {
			return errors.Join(append(bad, err)...)
		}
	}
}

// doneBatch adds some of the links found and, with the last of them, ends the
// lease in the same record.
func (f *front) doneBatch(fp uint64, again *Request, out *Outcome, found []candidate, last bool) (ticket, error) {
	if f.stopped != nil {
		return 0, f.stopped
	}
	i, ok := f.sched.live[fp]
	if !ok || !f.sched.slots[i].leased {
		return 0, ErrNotLeased
	}
	now := f.clock.now()
	f.journal.begin()
	f.addAll(found, now)
	if last {
		start := f.sched.hosts.at(f.sched.slots[i].host).clock.start
		v := ended{fp: fp, start: start, at: now, ask: int64(out.Delay), again: again}
		f.end(i, v.tell(out))
	}
	t := f.journal.end()
	f.dispatch(now)
	return t, nil
}

// end judges, journals and ends a visit.
func (f *front) end(i uint32, v *ended) {
	f.sched.judge(i, v)
	v.ask = min(max(v.ask, 0), f.sched.maxDelay)
	ho := f.sched.hosts.at(f.sched.slots[i].host)
	f.journal.record(v.fp, ho.rec, f.sched.groups.at(ho.addr).addr)
	f.journal.done(*v)
	f.sched.done(i, v)
}

// commit waits until a ticket is as safe as was asked for.
func (f *front) commit(t ticket) error {
	if f.journal == nil {
		return nil
	}
	err := f.journal.commit(t)
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
	if f.stopped == nil || err == ErrClosed {
		f.stopped = err
		f.wait.fail(err)
	}
	return f.stopped
}

// Stats counts what the frontier holds; it is quick.
func (f *front) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sched.stats(len(f.sched.seen))
}
