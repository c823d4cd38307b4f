package frontier

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/webquarry/quarry/internal/durable"
)

// store is the runs that hold what a schedule has not in memory. All but the
// files belongs to the lock of the schedule.
type store struct {
	dir     *durable.Dir
	sched   *schedule
	journal *journal
	tuning  tuning

	runs    []*run
	filling *runWriter // nil: nothing is being shelved
	number  uint32     // of the last run
	retired []string   // files that the last state may name, but no later one
	waste   int64      // bytes of them
	readers []reader
	sorted  []uint32 // slots of a queue
}

// tuning is how much is where, and how much is done at once. Tests make all of it
// small.
type tuning struct {
	log    int64 // size of the log from which on a state is written, unless the last state was larger
	record int   // about how many bytes of a state are written at once
	step   int   // how many hosts or requests are looked at under one hold of the lock
	memory int   // requests in memory from which on some are shelved
	keep   int   // requests of a queue that stay in memory at least
	ahead  int   // requests that are brought at once
	block  int   // bytes of a block of a run
	lower  int   // depths that are remembered for requests that are not in memory
}

func usual() tuning {
	return tuning{
		log: 64 << 20, record: recordBytes, step: 1024,
		memory: 1 << 20, keep: 1, ahead: 32, block: blockBytes, lower: 1 << 20,
	}
}

// keepMost is how many requests of a queue stay in memory at most.
const keepMost = 64

// keep is how many requests of each queue stay in memory, when there is not room
// for all.
func (st *store) keep() int {
	return max(st.tuning.keep, min(st.tuning.memory/2/max(st.sched.busy, 1), keepMost))
}

// crowd is how many requests there may be in memory until some are shelved again.
func (st *store) crowd() int {
	return max(st.tuning.memory, st.sched.live.n+st.tuning.memory/2)
}

// bring implements [source].
func (st *store) bring(h uint32, which int) ([]uint32, error) {
	want := st.tuning.ahead
	if st.sched.live.n > st.tuning.memory {
		want = max(want/8, 1)
	}
	return st.bringUp(h, which, want)
}

// bringUp brings so many requests. With none it finds out which is the best.
func (st *store) bringUp(h uint32, which, want int) ([]uint32, error) {
	s := st.sched
	ho := s.hosts.at(h)
	m := moved{host: ho.key, lane: which}
	l := &s.shelf.lanes[ho.lanes[which]]
	rds, err := st.read(l, ho.key, which, rank{})
	if err != nil {
		return nil, err
	}
	for len(rds) > 0 {
		i := first(rds)
		m.head = rds[i].rank()
		if len(m.requests) == want {
			break
		}
		m.upTo = m.head
		m.requests = append(m.requests, queued{rds[i].seq, rds[i].request()})
		if ok, err := st.inLane(rds[i], ho.key, which)(rds[i].read()); err != nil {
			return nil, err
		} else if !ok {
			rds = slices.Delete(rds, i, i+1)
		}
	}
	if left := int(l.n) - len(m.requests); left < 0 || left == 0 != (len(rds) == 0) {
		return nil, st.miscounted(ho.key)
	}
	return st.insert(h, &m)
}

// each implements [source].
func (st *store) each(h uint32, which int, behind rank, do func(x *shelved) bool) error {
	ho := st.sched.hosts.at(h)
	rds, err := st.read(&st.sched.shelf.lanes[ho.lanes[which]], ho.key, which, behind)
	if err != nil {
		return err
	}
	for len(rds) > 0 {
		i := first(rds)
		if !do(&rds[i].shelved) {
			return nil
		}
		if ok, err := st.inLane(rds[i], ho.key, which)(rds[i].read()); err != nil {
			return err
		} else if !ok {
			rds = slices.Delete(rds, i, i+1)
		}
	}
	return nil
}

// insert makes slots for requests that were read.
func (st *store) insert(h uint32, m *moved) ([]uint32, error) {
	s := st.sched
	ho := s.hosts.at(h)
	if len(m.requests) == 0 {
		s.shelf.lanes[ho.lanes[m.lane]].head = m.head
		return nil, nil
	}
	slots := make([]uint32, len(m.requests))
	for i := range m.requests {
		r := &m.requests[i].Request
		fp := fingerprint(r.URL, s.seed)
		if _, ok := s.live.find(fp); ok {
			return nil, st.miscounted(ho.key)
		}
		if depth, ok := s.lowered[fp]; ok {
			r.Depth = min(r.Depth, int(depth))
			delete(s.lowered, fp)
		}
		slots[i] = s.slot(fp, h)
		s.fillAt(slots[i], r, m.requests[i].seq)
	}
	s.shelf.brought(ho, m.lane, m.upTo, m.head, len(slots))
	st.journal.move(m)
	return slots, nil
}

func (st *store) miscounted(host uint64) error {
	file := st.dir.Path()
	if len(st.runs) > 0 {
		file = st.runs[0].path
	}
	return &durable.CorruptError{File: file, Err: errors.New("the runs do not hold what waits")}
}

// read returns a reader at the best request behind a rank of each run that has
// some of a lane.
func (st *store) read(l *lane, host uint64, which int, behind rank) ([]*reader, error) {
	runs := st.runs
	if st.filling != nil {
		runs = append(slices.Clip(runs), st.filling.run)
	}
	for len(st.readers) < len(runs) {
		st.readers = append(st.readers, reader{})
	}
	var rds []*reader
	for i, r := range runs {
		upTo, ok := st.sched.shelf.upTo(l, r.stamp)
		if !ok {
			continue
		}
		if upTo.before(behind) {
			upTo = behind
		}
		rd := &st.readers[i]
		ok, err := st.inLane(rd, host, which)(rd.seek(r, spot{host, byte(which), upTo}))
		if err != nil {
			return nil, err
		}
		if ok {
			rds = append(rds, rd)
		}
	}
	return rds, nil
}

// inLane reads on, after a read, to what was not taken out, and says whether that
// is of a lane.
func (st *store) inLane(rd *reader, host uint64, which int) func(bool, error) (bool, error) {
	return func(ok bool, err error) (bool, error) {
		for ok && err == nil && !st.sched.shelf.left(rd.seq) {
			ok, err = rd.read()
		}
		return ok && err == nil && rd.host == host && rd.lane == byte(which), err
	}
}

// peek implements [source].
func (st *store) peek(h uint32, which int) error {
	_, err := st.bringUp(h, which, 0)
	return err
}

// first is the reader with the first request.
func first(rds []*reader) (best int) {
	for i := 1; i < len(rds); i++ {
		if rds[i].spot().before(rds[best].spot()) {
			best = i
		}
	}
	return best
}

// level of a run: those of one level are of about the same size.
func (r *run) level() int { return bits.Len(uint(r.count)) / 2 }

// fanout is how many runs of a level become one.
const fanout = 4

// choose returns the runs that are to become one. If most of what the runs hold
// was brought to memory, or too much is remembered of single requests, it is all.
func (st *store) choose() []*run {
	held := 0
	count := map[int]int{}
	for _, r := range st.runs {
		held += r.count
		count[r.level()]++
	}
	if st.filling == nil && len(st.runs) > 0 && (held > 2*st.sched.shelf.n || len(st.sched.lowered) > st.tuning.lower || len(st.sched.shelf.gone) > st.tuning.lower) {
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

// replace lets one run take the place of others.
func (st *store) replace(old []*run, merged *run) error {
	var errs []error
	for _, r := range old {
		errs = append(errs, r.close())
		st.retired = append(st.retired, runFile(r.number))
		st.waste += r.size
	}
	st.runs = slices.DeleteFunc(st.runs, func(r *run) bool { return slices.Contains(old, r) })
	if merged != nil {
		st.runs = append(st.runs, merged)
	}
	return errors.Join(errs...)
}

func (st *store) close() error {
	var errs []error
	for _, r := range st.runs {
		errs = append(errs, r.close())
	}
	return errors.Join(errs...)
}
