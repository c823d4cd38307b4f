package frontier

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/seen"
	"github.com/webquarry/quarry/frontier/internal/store"
	"github.com/webquarry/quarry/frontier/internal/wal"
	"github.com/webquarry/quarry/internal/durable"
)

// Disk is a [Frontier] whose state is in a folder. It answers like [Memory] and
// survives the death of its process at any moment: what Add and Done have
// acknowledged is there, leases are offered again, and no host is visited before
// its clock allows it. One process has the folder open at a time.
//
// When the disk fails or is full, the method that met with it and all later ones
// return the error; the folder can be opened again when there is room.
type Disk struct {
	front
	dir        *durable.Dir
	lock       *durable.Lock
	generation uint64   // of the log that is being written; owned by the compaction
	named      []uint32 // runs that the last state names; owned by the compaction
	store      store.Store
	sizes      sizes

	compaction sync.Mutex // held by the one that runs
	merging    sync.Mutex // held by the one that runs
	running    sync.WaitGroup
	quit       chan struct{} // closed by Close
	closing    sync.Once
	closed     error
	notes      noter
}

var (
	_ capable  = (*Disk)(nil)
	_ Exporter = (*Disk)(nil)
)

// Open opens the state in a folder, which is created when it is absent. If
// another process has it open the error is a [*LockedError], within 100 ms; if
// it is damaged, a [*CorruptError].
func Open(dir string, opt Options) (*Disk, error) { return open(dir, opt, usualSizes()) }

func open(dir string, opt Options, tune sizes, hook ...durable.Hook) (*Disk, error) {
	root, err := durable.Open(dir, hook...)
	if err != nil {
		return nil, diskError(err)
	}
	lock, err := root.Lock(wal.LockFile)
	if err != nil {
		root.Close()
		return nil, diskError(err)
	}
	d := &Disk{dir: root, lock: lock, quit: make(chan struct{})}
	d.clock, d.horizon, d.leases.span = startClock(), opt.horizon(), int64(opt.LeaseFor)
	d.store, d.sizes, d.look = store.Store{Dir: root, Tuning: tune.store}, tune, tune.look
	if err := d.load(opt, tune); err != nil {
		d.store.Close()
		if d.seen != nil {
			d.seen.Close()
		}
		lock.Unlock()
		root.Close()
		return nil, diskError(err)
	}
	d.note = d.noteSoon
	d.notes.begin(root, d.writeNote)
	d.store.Ahead.Wake = make(chan struct{}, 1)
	d.sched.Shelf.Soon = d.store.Soon
	d.running.Add(1)
	go d.readAhead()
	d.mergeSoon()
	return d, nil
}

// load reads the state and opens the log that continues it.
func (d *Disk) load(opt Options, tune sizes) error {
	files, err := wal.Survey(d.dir)
	if err != nil {
		return err
	}
	if err := wal.Discard(d.dir, files.Stale); err != nil {
		return err
	}
	r := &wal.Replay{Limits: opt.Limits.bounds(), Sets: wal.Sets{Seed: tune.seed}}
	defer r.Flush()
	if len(files.Logs) == 0 {
		files.Logs = []uint64{1}
	}
	last := len(files.Logs) - 1
	if files.State > 0 {
		if err := r.Read(d.dir, wal.StateName, files.State); err != nil {
			return err
		}
	}
	if err := d.openSets(r, opt.MapKnown, files.Runs, files.State, files.Logs[last]); err != nil {
		return err
	}
	for _, g := range files.Logs[:last] {
		if err := r.Read(d.dir, wal.LogName, g); err != nil {
			return err
		}
	}
	d.generation = files.Logs[last]
	log, records, head, err := r.Open(d.dir, d.generation)
	if err != nil {
		return err
	}
	size, err := wal.StateSize(d.dir, files.State)
	if err != nil {
		log.Close()
		return err
	}
	d.sched = r.Sched
	d.journal = &wal.Journal{Every: opt.SyncEvery, Log: log, Full: d.compactSoon, Limit: d.sizes.limit(size)}
	d.journal.Copy = wal.Copy{Generation: d.generation, Records: records, Send: opt.send()}
	err = d.journal.Begun(head)
	if err == nil {
		err = d.reopen(r)
	}
	if err != nil {
		log.Close()
		return err
	}
	d.journal.Crowd, d.journal.Litter = d.store.Crowd(), tune.store.Lower
	if last > 0 {
		d.compactSoon() // the last one was cut short
	}
	return nil
}

// openSets opens the set of URLs, which must be as old as the state or younger,
// and the runs of the state. Other runs are removed.
func (d *Disk) openSets(r *wal.Replay, mapped int, names []string, state, last uint64) (err error) {
	if d.seen, err = seen.Open(d.dir, seen.Options{Mapped: mapped}); err != nil {
		return err
	}
	r.Seen = d.seen
	if err := checkMark(d.seen, d.dir.Path(), state, last); err != nil {
		return err
	}
	st := &d.store
	st.Number = r.Number
	for _, x := range r.Runs {
		run, err := store.OpenRun(d.dir, x.Number, x.Count, x.Size)
		if err != nil {
			return err
		}
		run.Stamp = x.Stamp
		d.named = append(d.named, x.Number)
		st.Runs = append(st.Runs, run)
		names = slices.DeleteFunc(names, func(name string) bool { return name == store.RunFile(x.Number) })
	}
	return wal.Discard(d.dir, names)
}

// checkMark expects a set that is as old as the state, or younger.
func checkMark(s *seen.Set, path string, state, last uint64) error {
	if mark := s.Mark(); mark < state || mark > last {
		err := fmt.Errorf("it is of generation %d, the state of %d", mark, state)
		return &durable.CorruptError{File: filepath.Join(path, "seen"), Err: err}
	}
	return nil
}

// reopen ends the leases of the process before and lets the clocks run.
func (d *Disk) reopen(r *wal.Replay) error {
	d.clock.notBefore(r.Latest)
	now := d.clock.now()
	d.leases.token = uint64(now) // after those of all processes before
	if r.Leases() {
		var e wal.Entries
		e.Opened(now)
		if err := d.journal.Write(e.B); err != nil {
			return err
		}
		r.Opened(now)
	}
	d.store.Sched, d.store.Note = r.Sched, d.journal.Move
	d.sched.Shelf.Source = &d.store
	for h := range r.Guessed {
		if r.Sched.Hosts.At(h).Lanes[request.LaterLane] == 0 {
			continue
		}
		if _, err := d.store.BringUp(h, request.LaterLane, 0); err != nil {
			return err
		}
	}
	r.Restore(now)
	return nil
}

// Close makes all methods return [ErrClosed], those that wait at once, and syncs
// what was acknowledged. Open leases are offered again after the next Open.
func (d *Disk) Close() error {
	d.closing.Do(func() {
		d.stop(ErrClosed)
		d.writeNote()
		d.notes.end()
		close(d.quit)
		d.running.Wait()
		err := errors.Join(d.journal.Close(), d.seen.Close())
		d.mu.Lock() // somebody may be looking into runs
		err = errors.Join(err, d.store.Close())
		d.mu.Unlock()
		d.closed = diskError(errors.Join(err, d.lock.Unlock(), d.dir.Close()))
	})
	return d.closed
}
