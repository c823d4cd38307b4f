package frontier

import (
	"cmp"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/store"
	"github.com/webquarry/quarry/internal/durable"
)

// recordBytes is about how large a record grows before the next is begun.
const recordBytes = 1 << 20

// ticket numbers the steps of a journal. A step is safe when all up to its
// ticket are.
type ticket uint64

// journal writes down what a schedule decides, in the same order. Steps are
// collected in memory while the lock of the schedule is held; after that, the
// first that needs its step on disk writes all that came together meanwhile, and
// so the cost of a write and of a sync is shared. A nil journal does nothing.
type journal struct {
	every time.Duration // as Options.SyncEvery
	full  func()        // called when the log is larger than limit; must not wait

	crowding // under the lock of the schedule
	steps    steps
	told     int64 // time that was last written by itself

	writing sync.Mutex // guards what follows; taken before steps
	log     *durable.Log
	limit   int64
	written ticket
	timer   *time.Timer // of a sync to come
	dirty   bool        // the timer is running
	failed  error
}

// crowding is what memory has to do with the journal.
type crowding struct {
	crowd  int           // requests in memory from which on full is called, too
	relief chan struct{} // closed when there may be room again; nil: nobody waits
	moves  []store.Moved // brought to memory since the last step

	litter  int  // things remembered of single requests in runs from which on full is called, too
	merging bool // of all runs, after which they need not be remembered
}

// steps are those that have not been written.
type steps struct {
	sync.Mutex          // held from begin to end of a step
	entries             // the record that is being filled
	sealed     [][]byte // records before it
	last       ticket
}

func (s *steps) seal() {
	if len(s.b) > 0 {
		s.sealed = append(s.sealed, s.b)
		s.entries = entries{}
	}
}

// clockEvery is how much time may pass between two steps without the second saying so.
const clockEvery = int64(time.Second)

// begin starts a step.
func (j *journal) begin(now int64) {
	if j == nil {
		return
	}
	j.steps.Lock()
	if len(j.steps.b) > recordBytes {
		j.steps.seal()
	}
	if now-j.told >= clockEvery {
		j.steps.clock(now)
		j.told = now
	}
	for i := range j.moves {
		j.steps.moved(&j.moves[i])
	}
	j.moves = j.moves[:0]
}

// move notes what was brought to memory, for the next step.
func (j *journal) move(m *store.Moved) { j.moves = append(j.moves, *m) }

// end ends a step.
func (j *journal) end() ticket {
	if j == nil {
		return 0
	}
	defer j.steps.Unlock()
	j.steps.last++
	return j.steps.last
}

func (j *journal) add(r *request.Request) {
	if j != nil {
		j.steps.add(r)
	}
}

func (j *journal) first(r *request.Request, at int64) {
	if j != nil {
		j.steps.first(r, at)
	}
}

func (j *journal) lower(fp uint64, depth int) {
	if j != nil {
		j.steps.lower(fp, depth)
	}
}

func (j *journal) lease(fp uint64, attempt int, at int64) {
	if j != nil {
		j.steps.lease(fp, attempt, at)
	}
}

func (j *journal) done(v sched.Ended) {
	if j != nil {
		j.steps.done(v)
	}
}

func (j *journal) record(fp uint64, r *sched.Record, addr netip.Addr) {
	if j != nil && r != nil {
		j.steps.record(entryRecord, fp, r, addr)
	}
}

// commit returns when a step has been written and, if every step is to be
// synced, is on the disk.
func (j *journal) commit(t ticket) error {
	err := j.keep(t)
	if err != nil || j.every != 0 {
		return err
	}
	j.writing.Lock()
	log := j.log
	j.writing.Unlock()
	return log.Sync()
}

// keep returns when a step has been written.
func (j *journal) keep(t ticket) error {
	runtime.Gosched() // those who can run may have a step to be written with it
	j.writing.Lock()
	if j.written < t {
		j.write()
	}
	err := j.failed
	full := err == nil && j.log.Size() > j.limit
	j.writing.Unlock()
	if full {
		j.full()
	}
	return err
}

// write writes all steps so far; writing is held.
func (j *journal) write() {
	j.put(j.take())
}

// take returns the records of all steps so far, and the last of these.
func (j *journal) take() ([][]byte, ticket) {
	j.steps.Lock()
	defer j.steps.Unlock()
	j.steps.seal()
	recs := j.steps.sealed
	j.steps.sealed = nil
	return recs, j.steps.last
}

// put writes what take returned; writing has been held since.
func (j *journal) put(recs [][]byte, last ticket) {
	if j.failed == nil && len(recs) > 0 {
		j.failed = j.log.Append(recs...)
	}
	if j.failed != nil {
		return
	}
	j.written = last
	if j.every > 0 && !j.dirty && len(recs) > 0 {
		j.dirty = true
		if j.timer == nil {
			j.timer = time.AfterFunc(j.every, func() { j.syncNow() })
		} else {
			j.timer.Reset(j.every)
		}
	}
}

// syncNow writes and syncs all steps so far. A failure shows in all later
// commits, too.
func (j *journal) syncNow() error {
	j.writing.Lock()
	j.dirty = false
	j.write()
	log, err := j.log, j.failed
	j.writing.Unlock()
	if err != nil {
		return err
	}
	if err = log.Sync(); err != nil {
		j.writing.Lock()
		defer j.writing.Unlock()
		j.failed = cmp.Or(j.failed, err)
	}
	return err
}

// isFull says whether the log is larger than its limit.
func (j *journal) isFull() bool {
	j.writing.Lock()
	defer j.writing.Unlock()
	return j.failed == nil && j.log.Size() > j.limit
}

// setLimit sets the size of the log from which on full is called.
func (j *journal) setLimit(n int64) {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.limit = n
}

// rotate closes the log and goes on in the one that next opens. What cut takes
// from the journal is the end of the old one.
func (j *journal) rotate(cut func() ([][]byte, ticket), next func() (*durable.Log, error)) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.put(cut())
	if j.failed == nil {
		j.failed = j.log.Close()
	}
	if j.failed != nil {
		return j.failed
	}
	log, err := next()
	if err != nil {
		j.failed = err
		return err
	}
	j.log = log
	return nil
}

// close writes what is left and closes the log.
func (j *journal) close() error {
	j.writing.Lock()
	defer j.writing.Unlock()
	if j.timer != nil {
		j.timer.Stop()
	}
	j.write()
	err := j.log.Close()
	if j.failed != nil {
		return j.failed
	}
	return err
}
