package frontier

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/internal/durable"
)

// store is the runs that hold what a schedule has not in memory. All but the
// files belongs to the lock of the schedule.
type store struct {
	dir     *durable.Dir
	sched   *sched.Schedule
	journal *journal
	tuning  tuning

	runs    []*run
	filling *runWriter // nil: nothing is being shelved
	number  uint32     // of the last run
	retired []string   // files that the last state may name, but no later one
	waste   int64      // bytes of them
	readers []reader
	ahead   ahead
}

// tuning is how much is where, and how much is done at once. Tests make all of it
// small.
type tuning struct {
	log    int64 // size of the log from which on a state is written, see limit
	long   int64 // the same where the state is large
	record int   // about how many bytes of a state are written at once
	step   int   // how many hosts or requests are looked at under one hold of the lock
	memory int   // requests in memory from which on some are shelved
	keep   int   // requests of a queue that stay in memory at least
	ahead  int   // requests that are brought at once
	block  int   // bytes of a block of a run
	lower  int   // depths that are remembered for requests that are not in memory
	look   lookSteps
	seed   uint64 // of fingerprints in a new folder; 0: a random one
}

func usual() tuning {
	return tuning{
		log: 4 << 20, long: 48 << 20, record: recordBytes, step: 1024,
		memory: 1 << 20, keep: 1, ahead: 32, block: blockBytes, lower: 1 << 20, look: usualSteps(),
	}
}

// limit is how large the log grows, behind a state of some size, before the next state is
// written: twice as large as the state, so that what is written of states is a part of what
// is written of decisions, and what is read when the folder is opened follows what waits in
// memory. It is never less than log, and beyond long no more than half of the state.
func (t tuning) limit(state int64) int64 {
	return max(t.log, min(2*state, t.long), state/2)
}

// keepMost is how many requests of a queue stay in memory at most.
const keepMost = 64

// keep is how many requests of each queue stay in memory, when there is not room
// for all.
func (st *store) keep() int {
	return max(st.tuning.keep, min(st.tuning.memory/2/max(st.sched.Busy, 1), keepMost))
}

// crowd is how many requests there may be in memory until some are shelved again.
func (st *store) crowd() int {
	return max(st.tuning.memory, st.sched.Live.N+st.tuning.memory/2)
}

// Bring implements [source].
func (st *store) Bring(h uint32, which int) ([]uint32, error) {
	return st.bringUp(h, which, st.aheadOf(st.sched.Live.N > st.tuning.memory))
}

// aheadOf is how many requests are brought at once.
func (st *store) aheadOf(crowded bool) int {
	if crowded {
		return max(st.tuning.ahead/8, 1)
	}
	return st.tuning.ahead
}

// bringUp brings so many requests. With none it finds out which is the best.
func (st *store) bringUp(h uint32, which, want int) ([]uint32, error) {
	p := st.pick(h, which, true)
	if err := p.read(&st.readers, want); err != nil {
		return nil, err
	}
	if p.miscounted() {
		return nil, st.miscounted()
	}
	return st.insert(h, &p.moved)
}

// Each implements [source].
func (st *store) Each(h uint32, which int, behind request.Rank, do func(x *request.Stored) bool) error {
	p := st.pick(h, which, true)
	p.behind(behind)
	rds, err := p.start(&st.readers)
	for err == nil && len(rds) > 0 {
		i := first(rds)
		if !do(&rds[i].Stored) {
			return nil
		}
		rds, err = p.next(rds, i)
	}
	return err
}

// Peek implements [source].
func (st *store) Peek(h uint32, which int) error {
	_, err := st.bringUp(h, which, 0)
	return err
}

// insert makes slots for requests that were read.
func (st *store) insert(h uint32, m *moved) ([]uint32, error) {
	s := st.sched
	ho := s.Hosts.At(h)
	if m.n == 0 {
		s.Shelf.Lanes.At(ho.Lanes[m.lane]).Head = m.head
		return nil, nil
	}
	slots := make([]uint32, m.n)
	var x request.Stored
	d := request.Decoder{B: m.requests}
	for i := range slots {
		d.Stored(&x)
		fp := s.KeyOf(&x)
		if _, ok := s.Live.Find(fp); ok {
			return nil, st.miscounted()
		}
		slots[i] = s.BringSlot(fp, h, &x)
	}
	s.Shelf.Brought(ho, m.lane, m.upTo, m.head, len(slots))
	st.journal.move(m)
	return slots, nil
}

func (st *store) miscounted() error {
	file := st.dir.Path()
	if len(st.runs) > 0 {
		file = st.runs[0].path
	}
	return &durable.CorruptError{File: file, Err: errors.New("the runs do not hold what waits")}
}

// level of a run: those of one level are of about the same size.
func (r *run) level() int { return bits.Len(uint(r.count)) / 2 }

// fanout is how many runs of a level become one.
const fanout = 4

// oldest is the smallest stamp of a run.
func (st *store) oldest() uint32 {
	stamp := st.sched.Shelf.Stamp + 1
	for _, r := range st.runs {
		stamp = min(stamp, r.stamp)
	}
	return stamp
}

// choose returns the runs that are to become one. If most of what the runs hold
// was brought to memory, or too much is remembered of single requests, it is all.
func (st *store) choose() []*run {
	held := 0
	count := map[int]int{}
	for _, r := range st.runs {
		held += r.count
		count[r.level()]++
	}
	if st.filling == nil && len(st.runs) > 0 && (held > 2*st.sched.Shelf.N || st.sched.Remembered() > st.tuning.lower) {
		return slices.Clone(st.runs)
	}
	for level := range 32 {
		if count[level] < fanout {
			continue
		}
		return slices.DeleteFunc(slices.Clone(st.runs), func(r *run) bool { return r.level() > level })
	}
	return nil
}

// replace lets one run take the place of others, which the caller closes.
func (st *store) replace(old []*run, merged *run) {
	st.ahead.changes++
	for _, r := range old {
		st.retired = append(st.retired, runFile(r.number))
		st.waste += r.size
	}
	st.runs = slices.DeleteFunc(st.runs, func(r *run) bool { return slices.Contains(old, r) })
	if merged != nil {
		st.runs = append(st.runs, merged)
	}
}

// closeRuns closes runs that nothing is read from any more, but by who reads
// ahead.
func (st *store) closeRuns(runs []*run) error {
	st.ahead.reading.Lock()
	defer st.ahead.reading.Unlock()
	var errs []error
	for _, r := range runs {
		errs = append(errs, r.close())
	}
	return errors.Join(errs...)
}

func (st *store) close() error { return st.closeRuns(st.runs) }
