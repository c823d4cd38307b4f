package frontier

import (
	"context"
	"errors"

	"github.com/webquarry/quarry/internal/durable"
)

// Compaction shelves what there is no room for in memory (see spill.go) and, when
// the log has become long (see tuning.limit), writes down what is in memory and drops the logs that
// led to it, while the frontier goes on:
//
//  1. The log ends and that of the next generation begins. At the same moment a
//     snapshot is taken of what the schedule holds (see snapshot.go), and the set
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
		d.compaction.Unlock()
		d.mu.Lock() // those who wait from now on start another one
		d.relieve()
		d.mu.Unlock()
	}()
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
	size := d.store.tuning.long
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
	var c *snapshot
	err = d.journal.rotate(func() ([][]byte, ticket) {
		d.mu.Lock()
		defer d.mu.Unlock()
		c = d.snapshot()
		d.seen.Freeze(g)
		d.journal.begin(d.clock.now()) // writes what was moved
		d.journal.end()
		return d.journal.take()
	}, func() (*durable.Log, error) {
		log, err := durable.OpenLog(d.dir, fileName(logName, g), nil)
		if err != nil {
			return nil, err
		}
		if err := begin(log, d.sched.Seed, g); err != nil {
			return nil, errors.Join(err, log.Close())
		}
		return log, nil
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
	if err := d.seen.Commit(context.Background()); err != nil {
		return err
	}
	if err := errors.Join(d.dir.Rename(name+".tmp", name), d.dir.Sync()); err != nil {
		return err
	}
	d.journal.setLimit(d.store.tuning.limit(size))
	stale := append(c.retired, fileName(stateName, old.state))
	for _, g := range old.logs {
		stale = append(stale, fileName(logName, g))
	}
	return discard(d.dir, stale)
}
