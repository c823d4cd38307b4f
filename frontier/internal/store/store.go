package store

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/internal/durable"
)

// Store is the runs that hold what a schedule does not have in memory. All but the
// files belongs to the lock of the schedule.
type Store struct {
	Dir    *durable.Dir
	Sched  *sched.Schedule
	Note   func(*Moved) // told what was brought to memory
	Tuning Sizes

	Runs    []*Run
	Filling *Writer  // nil: nothing is being shelved
	Number  uint32   // of the last run
	Retired []string // files that the last state may name, but no later one
	Waste   int64    // bytes of them
	readers []Reader
	Ahead   Queue
}

// Sizes is how much of what waits is where. Tests make all of it small.
type Sizes struct {
	Memory int // requests in memory from which on some are shelved
	Keep   int // requests of a queue that stay in memory at least
	Ahead  int // requests that are brought at once
	Block  int // bytes of a block of a run
	Lower  int // depths that are remembered for requests that are not in memory
}

// Usual is what a frontier has.
func Usual() Sizes {
	return Sizes{Memory: 1 << 20, Keep: 1, Ahead: 32, Block: blockBytes, Lower: 1 << 20}
}

// keepMost is how many requests of a queue stay in memory at most.
const keepMost = 64

// Keep is how many requests of each queue stay in memory, when there is not room
// for all.
func (st *Store) Keep() int {
	return max(st.Tuning.Keep, min(st.Tuning.Memory/2/max(st.Sched.Busy, 1), keepMost))
}

// Crowd is how many requests there may be in memory until some are shelved again.
func (st *Store) Crowd() int {
	return max(st.Tuning.Memory, st.Sched.Live.N+st.Tuning.Memory/2)
}

// Bring implements [sched.Source].
func (st *Store) Bring(h uint32, which int) ([]uint32, error) {
	return st.BringUp(h, which, st.AheadOf(st.Sched.Live.N > st.Tuning.Memory))
}

// AheadOf is how many requests are brought at once.
func (st *Store) AheadOf(crowded bool) int {
	if crowded {
		return max(st.Tuning.Ahead/8, 1)
	}
	return st.Tuning.Ahead
}

// BringUp brings so many requests. With none it finds out which is the best.
func (st *Store) BringUp(h uint32, which, want int) ([]uint32, error) {
	p := st.Pick(h, which, true)
	if err := p.Read(&st.readers, want); err != nil {
		return nil, err
	}
	if p.Miscounted() {
		return nil, st.Miscounted()
	}
	return st.Insert(h, &p.Moved)
}

// Each implements [sched.Source].
func (st *Store) Each(h uint32, which int, behind request.Rank, do func(x *request.Stored) bool) error {
	p := st.Pick(h, which, true)
	p.behind(behind)
	rds, err := p.start(&st.readers)
	for err == nil && len(rds) > 0 {
		i := First(rds)
		if !do(&rds[i].Stored) {
			return nil
		}
		rds, err = p.next(rds, i)
	}
	return err
}

// Peek implements [sched.Source].
func (st *Store) Peek(h uint32, which int) error {
	_, err := st.BringUp(h, which, 0)
	return err
}

// Insert makes slots for requests that were read.
func (st *Store) Insert(h uint32, m *Moved) ([]uint32, error) {
	s := st.Sched
	ho := s.Hosts.At(h)
	if m.N == 0 {
		s.Shelf.Lanes.At(ho.Lanes[m.Lane]).Head = m.Head
		return nil, nil
	}
	slots := make([]uint32, m.N)
	var x request.Stored
	d := request.Decoder{B: m.Requests}
	for i := range slots {
		d.Stored(&x)
		fp := s.KeyOf(&x)
		if _, ok := s.Live.Find(fp); ok {
			return nil, st.Miscounted()
		}
		slots[i] = s.BringSlot(fp, h, &x)
	}
	s.Shelf.Brought(ho, m.Lane, m.UpTo, m.Head, len(slots))
	st.Note(m)
	return slots, nil
}

// Miscounted is the error of runs that do not hold what a lane says.
func (st *Store) Miscounted() error {
	file := st.Dir.Path()
	if len(st.Runs) > 0 {
		file = st.Runs[0].path
	}
	return &durable.CorruptError{File: file, Err: errors.New("the runs do not hold what waits")}
}

// level of a run: those of one level are of about the same size.
func (r *Run) level() int { return bits.Len(uint(r.Count)) / 2 }

// fanout is how many runs of a level become one.
const fanout = 4

// Oldest is the smallest stamp of a run.
func (st *Store) Oldest() uint32 {
	stamp := st.Sched.Shelf.Stamp + 1
	for _, r := range st.Runs {
		stamp = min(stamp, r.Stamp)
	}
	return stamp
}

// Choose returns the runs that are to become one. If most of what the runs hold
// was brought to memory, or too much is remembered of single requests, it is all.
func (st *Store) Choose() []*Run {
	held := 0
	count := map[int]int{}
	for _, r := range st.Runs {
		held += r.Count
		count[r.level()]++
	}
	if st.Filling == nil && len(st.Runs) > 0 && (held > 2*st.Sched.Shelf.N || st.Sched.Remembered() > st.Tuning.Lower) {
		return slices.Clone(st.Runs)
	}
	for level := range 32 {
		if count[level] < fanout {
			continue
		}
		return slices.DeleteFunc(slices.Clone(st.Runs), func(r *Run) bool { return r.level() > level })
	}
	return nil
}

// Replace lets one run take the place of others, which the caller closes.
func (st *Store) Replace(old []*Run, merged *Run) {
	st.Ahead.Changes++
	for _, r := range old {
		st.Retired = append(st.Retired, RunFile(r.Number))
		st.Waste += r.Size
	}
	st.Runs = slices.DeleteFunc(st.Runs, func(r *Run) bool { return slices.Contains(old, r) })
	if merged != nil {
		st.Runs = append(st.Runs, merged)
	}
}

// CloseRuns closes runs that nothing is read from any more, but by who reads
// ahead.
func (st *Store) CloseRuns(runs []*Run) error {
	st.Ahead.Reading.Lock()
	defer st.Ahead.Reading.Unlock()
	var errs []error
	for _, r := range runs {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// Close closes all runs.
func (st *Store) Close() error { return st.CloseRuns(st.Runs) }
