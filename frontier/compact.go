package frontier

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/webquarry/quarry/internal/durable"
)

// Compaction shelves what there is no room for in memory (see spill.go) and, when
// the log has become long, writes down what is in memory and drops the logs that
// led to it, while the frontier goes on:
//
//  1. The log ends and that of the next generation begins. At the same moment what
//     the schedule holds is copied, and the set of URLs is told where the part
//     ends that the logs before it stand for.
//  2. The copy is written to a file without a name: what is in memory, the runs
//     that hold the rest, and how much of them was brought to memory. Hosts come
//     last and are not copied: they are as they are then, a few at a time. A later
//     clock does no harm.
//  3. The new log is synced, so that no clock is in the state whose visit is not
//     in the log, and the set of URLs is made durable up to its part's end.
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
		err := d.compact(false)
		if err != nil && !errors.Is(err, ErrClosed) {
			d.stop(diskError(err))
		}
		d.compaction.Unlock()
		d.mu.Lock() // those who wait from now on start another one
		d.relieve()
		d.mu.Unlock()
	}()
}

func (d *Disk) compact(all bool) error {
	d.mu.Lock()
	crowded := all || d.crowded(1)
	d.mu.Unlock()
	if crowded {
		if err := d.spill(); err != nil {
			return err
		}
		d.mergeSoon()
	}
	if all || d.journal.isFull() || d.wasteful() {
		return d.checkpoint()
	}
	return nil
}

// wasteful says whether files that are in no more use take more room than the
// others.
func (d *Disk) wasteful() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	size := d.store.tuning.log
	for _, r := range d.store.runs {
		size += r.size
	}
	return d.store.waste > size
}

// checkpoint writes a state.
func (d *Disk) checkpoint() error {
	old, err := survey(d.dir)
	if err != nil {
		return err
	}
	g := d.generation + 1
	var c *stateCopy
	err = d.journal.rotate(func() ([][]byte, ticket) {
		d.mu.Lock()
		defer d.mu.Unlock()
		c = d.copyState()
		d.seen.Freeze(g)
		d.journal.begin() // writes what was moved
		d.journal.end()
		return d.journal.take()
	}, func() (*durable.Log, error) {
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
	size, err := d.writeState(c, name+".tmp", g)
	if err != nil {
		return err
	}
	if err := errors.Join(d.journal.syncNow(), d.seen.Commit(context.Background())); err != nil {
		return err
	}
	if err := errors.Join(d.dir.Rename(name+".tmp", name), d.dir.Sync()); err != nil {
		return err
	}
	d.journal.setLimit(max(d.store.tuning.log, size))
	stale := append(c.retired, fileName(stateName, old.state))
	for _, g := range old.logs {
		stale = append(stale, fileName(logName, g))
	}
	return discard(d.dir, stale)
}

// stateCopy is what a schedule held at some moment, but for its hosts.
type stateCopy struct {
	urls
	shelf   shelf
	homes   []home // of lanes
	runs    []*run
	number  uint32 // of the last run
	retired []string
}

// home is whose a lane is.
type home struct {
	host, domain uint64
	which        int
	lane         uint32
}

// copyState copies what the schedule holds; the lock is held.
func (d *Disk) copyState() *stateCopy {
	s, st := d.sched, &d.store
	c := &stateCopy{number: st.number, runs: slices.Clone(st.runs), retired: st.retired}
	st.retired, st.waste = nil, 0
	s.text.shared = true
	c.urls = urls{slots: s.slots.clone(), seq: s.seq, lowered: maps.Clone(s.lowered)}
	c.text = arena{chunks: slices.Clone(s.text.chunks)}
	c.text.placeOf = func(owner uint32) *place { return &c.slots.at(owner).text }
	c.shelf = shelf{lanes: slices.Clone(s.shelf.lanes), layers: slices.Clone(s.shelf.layers), stamp: s.shelf.stamp, gone: maps.Clone(s.shelf.gone)}
	c.homes = make([]home, 0, len(s.shelf.lanes))
	for i := range s.hosts.end {
		h := s.hosts.at(i + 1)
		for which, l := range h.lanes {
			if l != 0 {
				c.homes = append(c.homes, home{h.key, s.groups.at(h.domain).key, which, l})
			}
		}
	}
	return c
}

// writeState writes a copy and returns how many bytes that took.
func (d *Disk) writeState(c *stateCopy, name string, generation uint64) (int64, error) {
	log, err := durable.OpenLog(d.dir, name, nil)
	if err != nil {
		return 0, err
	}
	w := &stateWriter{disk: d, log: log, record: d.store.tuning.record}
	w.e.head(d.sched.seed, generation)
	for _, r := range c.runs {
		w.e.run(r)
	}
	w.slots(c)
	d.mu.Lock()
	d.sched.text.shared = false
	d.mu.Unlock()
	w.lanes(c)
	w.hosts()
	w.e.end(w.requests, len(c.homes), c.seq, c.number, c.shelf.stamp)
	w.flush(0)
	return log.Size(), errors.Join(w.err, log.Close())
}

// stateWriter writes entries step by step. After an error its methods do nothing.
type stateWriter struct {
	disk *Disk
	log  *durable.Log
	e    entries
	err  error

	record   int // about how many bytes are written at once
	requests int // written so far
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

func (w *stateWriter) slots(c *stateCopy) {
	for i := range c.slots.end {
		x := c.slots.at(i + 1)
		if x.empty() || w.err != nil {
			continue
		}
		r := c.request(i + 1)
		w.e.queued(x.seq, &r)
		w.requests++
		if x.leased {
			w.e.lease(x.fp, r.Attempt, 0)
		}
		if len(w.e.b) > w.record {
			w.flush(w.record)
		}
	}
}

func (w *stateWriter) lanes(c *stateCopy) {
	var below []lower
	for _, h := range c.homes {
		l := &c.shelf.lanes[h.lane]
		below = below[:0]
		for i := l.below; i != 0; i = c.shelf.layers[i].below {
			below = append(below, c.shelf.layers[i])
		}
		w.e.lane(h.host, h.domain, h.which, l, below)
		if len(w.e.b) > w.record {
			w.flush(w.record)
		}
	}
	for fp, depth := range c.lowered {
		w.e.lower(fp, int(depth))
		if len(w.e.b) > w.record {
			w.flush(w.record)
		}
	}
	for seq := range c.shelf.gone {
		w.e.gone(seq)
		if len(w.e.b) > w.record {
			w.flush(w.record)
		}
	}
}

// hosts writes the clocks, a few at a time with the lock held.
func (w *stateWriter) hosts() {
	d, s := w.disk, w.disk.sched
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := uint32(1); i <= s.hosts.end && w.err == nil; i++ {
		h := s.hosts.at(i)
		if h.clock != (rest{}) || h.record != 0 || h.addr != 0 {
			w.e.host(h.key, s.groups.at(h.domain).key, h.clock)
		}
		if h.record != 0 || h.addr != 0 {
			w.e.record(entryKnown, h.key, cmp.Or(s.recordOf(h), &record{}), s.addrOf(h))
			if name := s.names[h.key]; name != "" {
				w.e.name(h.key, name)
			}
		}
		if step := d.store.tuning.step; int(i)%step == step-1 || len(w.e.b) > w.record {
			d.mu.Unlock()
			w.flush(w.record)
			d.mu.Lock()
		}
	}
}
