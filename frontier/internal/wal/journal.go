package wal

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

// RecordBytes is about how large a record grows before the next is begun.
const RecordBytes = 1 << 20

// Ticket numbers the steps of a journal. A step is safe when all up to its
// ticket are.
type Ticket uint64

// Journal writes down what a schedule decides, in the same order. Steps are
// collected in memory while the lock of the schedule is held; after that, the
// first that needs its step on disk writes all that came together meanwhile, and
// so the cost of a write and of a sync is shared. A nil journal does nothing.
type Journal struct {
	Every time.Duration // as frontier.Options.SyncEvery
	Full  func()        // called when the log is larger than Limit; must not wait

	crowding // under the lock of the schedule
	steps    steps
	told     int64 // time that was last written by itself

	writing sync.Mutex // guards what follows; taken before steps
	Log     *durable.Log
	Copy    Copy
	Limit   int64
	written Ticket
	timer   *time.Timer // of a sync to come
	dirty   bool        // the timer is running
	failed  error
}

// crowding is what memory has to do with the journal.
type crowding struct {
	Crowd  int           // requests in memory from which on Full is called, too
	Relief chan struct{} // closed when there may be room again; nil: nobody waits
	moves  []store.Moved // brought to memory since the last step

	Litter  int  // things remembered of single requests in runs from which on Full is called, too
	Merging bool // of all runs, after which they need not be remembered
}

// steps are those that have not been written.
type steps struct {
	sync.Mutex          // held from Begin to End of a step
	Entries             // the record that is being filled
	sealed     [][]byte // records before it
	last       Ticket
}

func (s *steps) seal() {
	if len(s.B) > 0 {
		s.sealed = append(s.sealed, s.B)
		s.Entries = Entries{}
	}
}

// clockEvery is how much time may pass between two steps without the second saying so.
const clockEvery = int64(time.Second)

// Begin starts a step.
func (j *Journal) Begin(now int64) {
	if j == nil {
		return
	}
	j.steps.Lock()
	if len(j.steps.B) > RecordBytes {
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

// Move notes what was brought to memory, for the next step.
func (j *Journal) Move(m *store.Moved) { j.moves = append(j.moves, *m) }

// End ends a step.
func (j *Journal) End() Ticket {
	if j == nil {
		return 0
	}
	defer j.steps.Unlock()
	j.steps.last++
	return j.steps.last
}

// Add notes that a request was queued.
func (j *Journal) Add(r *request.Request) {
	if j != nil {
		j.steps.add(r)
	}
}

// First notes that a request was queued, of whose host nothing was known.
func (j *Journal) First(r *request.Request, at int64) {
	if j != nil {
		j.steps.first(r, at)
	}
}

// Lower notes a smaller depth of a request that waits.
func (j *Journal) Lower(fp uint64, depth int) {
	if j != nil {
		j.steps.lower(fp, depth)
	}
}

// Lease notes that a visit begins.
func (j *Journal) Lease(fp uint64, attempt int, at int64) {
	if j != nil {
		j.steps.lease(fp, attempt, at)
	}
}

// Done notes that a visit has ended.
func (j *Journal) Done(v sched.Ended) {
	if j != nil {
		j.steps.done(v)
	}
}

// Record notes what is remembered of the host of a URL.
func (j *Journal) Record(fp uint64, r *sched.Record, addr netip.Addr) {
	if j != nil && r != nil {
		j.steps.record(entryRecord, fp, r, addr)
	}
}

// Expired notes that a lease has ended by itself.
func (j *Journal) Expired(fp uint64) {
	if j != nil {
		j.steps.expired(fp)
	}
}

// Located notes the address of a host.
func (j *Journal) Located(host uint64, addr netip.Addr) {
	if j != nil {
		j.steps.located(host, addr)
	}
}

// Reprice notes another priority of a request in memory.
func (j *Journal) Reprice(fp uint64, priority float64) {
	if j != nil {
		j.steps.reprice(fp, priority)
	}
}

// Taken notes another priority of a request that was in a run.
func (j *Journal) Taken(x *sched.Outlier) {
	if j != nil {
		j.steps.taken(x)
	}
}

// Commit returns when a step has been written and, if every step is to be
// synced, is on the disk.
func (j *Journal) Commit(t Ticket) error {
	err := j.Keep(t)
	if err != nil || j.Every != 0 {
		return err
	}
	j.writing.Lock()
	log := j.Log
	j.writing.Unlock()
	return log.Sync()
}

// Keep returns when a step has been written.
func (j *Journal) Keep(t Ticket) error {
	runtime.Gosched() // those who can run may have a step to be written with it
	j.writing.Lock()
	if j.written < t {
		j.write()
	}
	err := j.failed
	full := err == nil && j.Log.Size() > j.Limit
	j.writing.Unlock()
	if full {
		j.Full()
	}
	return err
}

// write writes all steps so far; writing is held.
func (j *Journal) write() {
	j.put(j.Take())
}

// Take returns the records of all steps so far, and the last of these.
func (j *Journal) Take() ([][]byte, Ticket) {
	j.steps.Lock()
	defer j.steps.Unlock()
	j.steps.seal()
	recs := j.steps.sealed
	j.steps.sealed = nil
	return recs, j.steps.last
}

// put writes what Take returned; writing has been held since.
func (j *Journal) put(recs [][]byte, last Ticket) {
	if j.failed == nil && len(recs) > 0 {
		j.failed = j.append(recs...)
	}
	if j.failed != nil {
		return
	}
	j.written = last
	if j.Every > 0 && !j.dirty && len(recs) > 0 {
		j.dirty = true
		if j.timer == nil {
			j.timer = time.AfterFunc(j.Every, func() { j.syncNow() })
		} else {
			j.timer.Reset(j.Every)
		}
	}
}

// syncNow writes and syncs all steps so far. A failure shows in all later
// commits, too.
func (j *Journal) syncNow() error {
	j.writing.Lock()
	j.dirty = false
	j.write()
	log, err := j.Log, j.failed
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

// IsFull says whether the log is larger than its limit.
func (j *Journal) IsFull() bool {
	j.writing.Lock()
	defer j.writing.Unlock()
	return j.failed == nil && j.Log.Size() > j.Limit
}

// SetLimit sets the size of the log from which on Full is called.
func (j *Journal) SetLimit(n int64) {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.Limit = n
}

// Rotate closes the log and goes on in the one that next opens. What cut takes
// from the journal is the end of the old one.
func (j *Journal) Rotate(cut func() ([][]byte, Ticket), next func() (log *durable.Log, head []byte, err error)) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.put(cut())
	if j.failed == nil {
		j.failed = j.Log.Close()
	}
	if j.failed != nil {
		return j.failed
	}
	log, head, err := next()
	if err != nil {
		j.failed = err
		return err
	}
	j.Log = log
	j.Copy.Generation++
	j.Copy.Prior, j.Copy.Records = j.Copy.Records, 0
	j.failed = j.Copy.send(head)
	return j.failed
}

// append writes records and sends them to the copy; writing is held.
func (j *Journal) append(recs ...[]byte) error {
	if err := j.Log.Append(recs...); err != nil {
		return err
	}
	return j.Copy.send(recs...)
}

// Begun sends the head of a log that is new, nil for one that is not.
func (j *Journal) Begun(head []byte) error {
	if head == nil {
		return nil
	}
	return j.Copy.send(head)
}

// Write writes and syncs a record by itself, before there are any steps.
func (j *Journal) Write(rec []byte) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	if j.failed = j.append(rec); j.failed == nil {
		j.failed = j.Log.Sync()
	}
	return j.failed
}

// Last is the ticket of the step that ended last.
func (j *Journal) Last() Ticket {
	j.steps.Lock()
	defer j.steps.Unlock()
	return j.steps.last
}

// Size is how many bytes of the log have been written.
func (j *Journal) Size() int64 {
	j.writing.Lock()
	defer j.writing.Unlock()
	return j.Log.Size()
}

// Close writes what is left and closes the log.
func (j *Journal) Close() error {
	j.writing.Lock()
	defer j.writing.Unlock()
	if j.timer != nil {
		j.timer.Stop()
	}
	j.write()
	err := j.Log.Close()
	if j.failed != nil {
		return j.failed
	}
	return err
}
