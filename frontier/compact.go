package frontier

import (
	"context"
	"errors"

	"github.com/webquarry/quarry/frontier/internal/store"
	"github.com/webquarry/quarry/frontier/internal/wal"
	"github.com/webquarry/quarry/internal/durable"
)

// Compaction shelves what there is no room for in memory (see spill.go) and, when
// the log has become long (see sizes.limit), writes down what is in memory and drops the logs that
// led to it, while the frontier goes on:
//
//  1. The log ends and that of the next generation begins. At the same moment a
//     snapshot is taken of what the schedule holds (see package wal), and the set
//     of URLs is told where the part ends that the logs before it stand for.
//  2. The snapshot is written to a file without a name: hosts with what of them is
//     in memory, the runs that hold the rest, and how much of them was brought to
//     memory.
//  3. The set of URLs is made durable up to its part's end.
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
		d.compacted()
	}()
}

// compacted lets go of the compaction. Those who waited for room while it was held found that
// one was running, or that nothing could: they look again.
func (d *Disk) compacted() {
	d.compaction.Unlock()
	d.mu.Lock() // those who wait from now on start another one
	defer d.mu.Unlock()
	d.relieve()
}

func (d *Disk) compact(all bool) error {
	d.mu.Lock()
	crowded, littered := all || d.crowded(1), d.littered()
	d.mu.Unlock()
	if crowded {
		if err := d.spill(); err != nil {
			return err
		}
	}
	if crowded || littered {
		d.mergeSoon()
	}
	if all || d.journal.IsFull() || d.wasteful() {
		return d.checkpoint()
	}
	return nil
}

// wasteful says whether files that are in no more use take more room than the
// others.
func (d *Disk) wasteful() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	size := d.sizes.long
	for _, r := range d.store.Runs {
		size += r.Size
	}
	return d.store.Waste > size
}

// checkpoint writes a state.
func (d *Disk) checkpoint() error {
	old, err := wal.Survey(d.dir)
	if err != nil {
		return err
	}
	g := d.generation + 1
	var c *wal.Snapshot
	err = d.journal.Rotate(func() ([][]byte, wal.Ticket) {
		d.mu.Lock()
		defer d.mu.Unlock()
		c = wal.Freeze(d.sched, &d.store, d.clock.now())
		d.seen.Freeze(g)
		d.journal.Begin(d.clock.now()) // writes what was moved
		d.journal.End()
		return d.journal.Take()
	}, func() (*durable.Log, []byte, error) {
		log, err := durable.OpenLog(d.dir, wal.FileName(wal.LogName, g), nil)
		if err != nil {
			return nil, nil, err
		}
		head, err := wal.Begin(log, d.sched.Seed, g)
		if err != nil {
			return nil, nil, errors.Join(err, log.Close())
		}
		return log, head, nil
	})
	if err != nil {
		return err
	}
	d.generation = g
	name := wal.FileName(wal.StateName, g)
	size, err := c.Write(d.dir, name+".tmp", g, d.sizes.record, d.quit, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.sched.Release()
	})
	if errors.Is(err, wal.ErrQuit) {
		return ErrClosed
	}
	if err != nil {
		return err
	}
	if err := d.seen.Commit(context.Background()); err != nil {
		return err
	}
	if err := errors.Join(d.dir.Rename(name+".tmp", name), d.dir.Sync()); err != nil {
		return err
	}
	d.named = c.Runs()
	d.journal.SetLimit(d.sizes.limit(size))
	stale := append(c.Retired, wal.FileName(wal.StateName, old.State))
	for _, g := range old.Logs {
		stale = append(stale, wal.FileName(wal.LogName, g))
	}
	return wal.Discard(d.dir, stale)
}

// sizes is how large files grow, and how much is done at once. Tests make all of it small.
type sizes struct {
	log    int64 // size of the log from which on a state is written, see limit
	long   int64 // the same where the state is large
	record int   // about how many bytes of a state are written at once
	step   int   // how many hosts or requests are looked at under one hold of the lock
	look   lookSteps
	seed   uint64 // of fingerprints in a new folder; 0: a random one
	store  store.Sizes
}

func usualSizes() sizes {
	return sizes{log: 4 << 20, long: 48 << 20, record: wal.RecordBytes, step: 1024, look: usualSteps(), store: store.Usual()}
}

// limit is how large the log grows, behind a state of some size, before the next state is
// written: twice as large as the state, so that what is written of states is a part of what
// is written of decisions, and what is read when the folder is opened follows what waits in
// memory. It is never less than log, and beyond long no more than half of the state.
func (t sizes) limit(state int64) int64 {
	return max(t.log, min(2*state, t.long), state/2)
}
