package frontier

import (
	"cmp"
	"errors"

	"github.com/webquarry/quarry/internal/durable"
)

// Compaction writes down all that is known and drops the logs that led to it,
// while the frontier goes on:
//
//  1. The log is closed and the one of the next generation is begun.
//  2. The state is written to a file without a name, a few slots at a time, with
//     the lock given back in between. So it is of no single moment, and may show
//     any effect of what is in the new log already. That does not matter: the new
//     log is read after it, from the beginning, and the last entry about a URL
//     says all about it. The order does matter. Fingerprints come first: a URL
//     that is among them but not among the requests after them is done, whereas
//     one that is missed altogether was added since and is in the log. Hosts come
//     last: a visit whose request is gone already is in its host's clock.
//  3. The new log is synced, so that nothing is in the state but not in the log;
//     a page might be done there without its links.
//  4. The file gets its name, and what is older is removed.
//
// Whenever the process dies, either the old state and both logs are there, or
// the new state and the new log.

// compactSoon starts a compaction unless one is running.
func (d *Disk) compactSoon() {
	if !d.compaction.TryLock() {
		return
	}
	d.mu.Lock()
	stopped := d.stopped != nil
	if !stopped {
		d.running.Add(1)
	}
	d.mu.Unlock()
	if stopped {
		d.compaction.Unlock()
		return
	}
	go func() {
		defer d.running.Done()
		defer d.compaction.Unlock()
		if err := d.compact(); err != nil && !errors.Is(err, ErrClosed) {
			d.stop(diskError(err))
		}
	}()
}

func (d *Disk) compact() error {
	old, err := survey(d.dir)
	if err != nil {
		return err
	}
	g := d.generation + 1
	err = d.journal.rotate(func() (*durable.Log, error) {
		log, err := durable.OpenLog(d.dir, fileName(logName, g), nil)
		if err == nil {
			err = begin(log, d.sched.seed, g)
		}
		return log, err
	})
	if err != nil {
		return err
	}
	d.generation = g
	name := fileName(stateName, g)
	size, err := d.writeState(name+".tmp", g)
	if err != nil {
		return err
	}
	if err := d.journal.syncNow(); err != nil {
		return err
	}
	if err := errors.Join(d.dir.Rename(name+".tmp", name), d.dir.Sync()); err != nil {
		return err
	}
	d.journal.setLimit(max(d.tuning.log, 2*size))
	stale := []string{fileName(stateName, old.state)}
	for _, g := range old.logs {
		stale = append(stale, fileName(logName, g))
	}
	return discard(d.dir, stale)
}

// writeState writes all that is known and returns how many bytes that took.
func (d *Disk) writeState(name string, generation uint64) (int64, error) {
	log, err := durable.OpenLog(d.dir, name, nil)
	if err != nil {
		return 0, err
	}
	w := &stateWriter{disk: d, log: log}
	w.e.head(d.sched.seed, generation)
	w.seen()
	w.slots()
	w.hosts()
	w.e.end(w.fps, w.requests)
	w.flush(0)
	return log.Size(), errors.Join(w.err, log.Close())
}

// stateWriter writes entries step by step. After an error its methods do nothing.
type stateWriter struct {
	disk *Disk
	log  *durable.Log
	e    entries
	err  error

	fps, requests int // written so far
}

// flush writes the record if it is larger than size.
func (w *stateWriter) flush(size int) {
	select {
	case <-w.disk.quit:
		w.err = errors.Join(w.err, ErrClosed)
	default:
	}
	if w.err == nil && len(w.e.b) > size {
		w.err = w.log.Append(w.e.b)
		w.e = entries{b: w.e.b[:0]}
	}
}

// each calls do for the numbers below n, which may grow, holding the lock.
func (w *stateWriter) each(n func() int, do func(i int)) {
	d := w.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := 0; i < n() && w.err == nil; i++ {
		do(i)
		if i%d.tuning.step == d.tuning.step-1 || len(w.e.b) > d.tuning.record {
			d.mu.Unlock()
			w.flush(d.tuning.record)
			d.mu.Lock()
		}
	}
}

// seen writes the fingerprints of all URLs. A map may change between two steps
// of a range over it: what was in it from the beginning is met all the same.
func (w *stateWriter) seen() {
	d := w.disk
	var fps []uint64
	write := func() {
		d.mu.Unlock()
		w.e.seen(fps)
		w.fps += len(fps)
		fps = fps[:0]
		w.flush(d.tuning.record)
		d.mu.Lock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for fp := range d.sched.seen {
		if fps = append(fps, fp); len(fps) == d.tuning.step {
			if write(); w.err != nil {
				return
			}
		}
	}
	write()
}

func (w *stateWriter) slots() {
	s := w.disk.sched
	w.each(func() int { return len(s.slots) }, func(i int) {
		x := &s.slots[i]
		if x.empty() {
			return
		}
		r := s.request(uint32(i))
		w.e.queued(x.seq, &r)
		w.requests++
		if x.leased {
			w.e.lease(x.fp, r.Attempt, 0)
		}
	})
}

func (w *stateWriter) hosts() {
	s := w.disk.sched
	w.each(func() int { return len(s.hosts.items) }, func(i int) {
		if h := &s.hosts.items[i]; h.clock != (rest{}) || h.rec != nil || h.addr != 0 {
			w.e.host(h.key, s.groups.at(h.domain).key, h.clock)
			if h.rec != nil || h.addr != 0 {
				w.e.record(entryKnown, h.key, cmp.Or(h.rec, &record{}), s.groups.at(h.addr).addr)
			}
		}
	})
}
