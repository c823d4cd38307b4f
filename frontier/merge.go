package frontier

import (
	"errors"
	"maps"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/store"
)

// merge is the making of one run out of several. What was brought to memory is
// left out. What is brought while it goes on is left out or not: its stamp is
// from the beginning, and what the lanes say of runs with such a stamp holds for
// the old runs and for the new one.
type merge struct {
	disk    *Disk
	from    []*store.Run
	w       *store.Writer
	lowered map[uint64]uint32 // depths that are forgotten in the end
	lower   bool              // some depths may be lower
	gone    sched.Gone        // what was taken out
	all     bool              // no other run is left

	host uint64 // of the lane that is being written
	lane byte
	upTo []request.Rank // for each of from
	none []bool         // nothing waits in it
}

// mergeAll merges until nothing is left to merge.
func (d *Disk) mergeAll() error {
	for {
		m := d.newMerge()
		if m == nil {
			return nil
		}
		r, err := m.run()
		if err != nil {
			return err
		}
		if err := d.adopt(m, r); err != nil {
			return err
		}
	}
}

// adopt puts the run that a merge made in the place of the others, and closes these.
func (d *Disk) adopt(m *merge, r *store.Run) error {
	d.mu.Lock()
	if d.stopped != nil {
		d.mu.Unlock()
		return errors.Join(ErrClosed, r.Close())
	}
	d.store.Replace(m.from, r)
	d.journal.Merging = false
	for fp, depth := range m.lowered {
		if d.sched.Lowered[fp] == depth {
			delete(d.sched.Lowered, fp)
		}
	}
	for seq := range m.gone {
		if m.all {
			delete(d.sched.Shelf.Gone, seq)
		}
	}
	d.mu.Unlock()
	return d.store.CloseRuns(m.from)
}

// newMerge is nil if there is nothing to merge.
func (d *Disk) newMerge() *merge {
	d.mu.Lock()
	defer d.mu.Unlock()
	st := &d.store
	from := st.Choose()
	if from == nil || d.stopped != nil {
		return nil
	}
	st.Number++
	d.sched.Shelf.Stamp++
	m := &merge{disk: d, from: from, w: store.NewWriter(st.Tuning.Block), lower: len(d.sched.Lowered) > 0}
	m.w.Run.Number, m.w.Run.Stamp = st.Number, d.sched.Shelf.Stamp
	m.upTo, m.none = make([]request.Rank, len(from)), make([]bool, len(from))
	m.gone = maps.Clone(d.sched.Shelf.Gone)
	if m.all = len(from) == len(st.Runs) && st.Filling == nil; m.all {
		m.lowered = maps.Clone(d.sched.Lowered)
		d.journal.Merging = true
	}
	return m
}

// run writes the new run, or returns nil if nothing waits.
func (m *merge) run() (*store.Run, error) {
	if err := m.w.Create(m.disk.dir); err != nil {
		return nil, err
	}
	err := m.write()
	if err == nil && m.w.Run.Count > 0 {
		stamp := m.w.Run.Stamp
		r, err := m.w.Finish(m.disk.dir)
		if err == nil {
			r.Stamp = stamp
		}
		return r, err
	}
	err = errors.Join(err, m.w.File.Close())
	if errors.Is(err, ErrClosed) || err == nil {
		err = errors.Join(err, m.disk.dir.Remove(store.RunFile(m.w.Run.Number)))
	}
	return nil, err
}

func (m *merge) write() error {
	rds := make([]*store.Reader, 0, len(m.from))
	source := map[*store.Reader]int{}
	for i, r := range m.from {
		rd := &store.Reader{}
		rd.Start(r)
		if ok, err := rd.Read(); err != nil {
			return err
		} else if ok {
			rds = append(rds, rd)
			source[rd] = i
		}
	}
	for at, fresh := 0, true; len(rds) > 0; fresh = false {
		at = store.First(rds)
		rd := rds[at]
		if fresh || rd.Host != m.host || rd.Lane != m.lane {
			if err := m.enter(rd); err != nil {
				return err
			}
		}
		if i := source[rd]; !m.none[i] && m.upTo[i].Before(rd.Rank()) && !m.gone.Has(rd.Seq) {
			m.keep(&rd.Stored)
		}
		if len(m.w.Run.Mem) > store.WriteBytes {
			if err := m.w.Flush(true); err != nil {
				return err
			}
		}
		if ok, err := rd.Read(); err != nil {
			return err
		} else if !ok {
			rds = append(rds[:at], rds[at+1:]...)
		}
	}
	return nil
}

// enter asks how much of a lane was brought to memory.
func (m *merge) enter(rd *store.Reader) error {
	m.host, m.lane = rd.Host, rd.Lane
	d := m.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped != nil {
		return ErrClosed
	}
	var l uint32
	if h, ok := d.sched.Hosts.Find(m.host); ok {
		l = d.sched.Hosts.At(h).Lanes[m.lane]
	}
	for i, r := range m.from {
		if m.none[i] = l == 0; l != 0 {
			upTo, ok := d.sched.Shelf.UpTo(d.sched.Shelf.Lanes.At(l), r.Stamp)
			m.upTo[i], m.none[i] = upTo, !ok
		}
	}
	return nil
}

// keep writes a request, with the depth that is remembered for it.
func (m *merge) keep(x *request.Stored) {
	before := x.Depth
	if m.lower {
		d := m.disk
		fp := d.sched.KeyOf(x)
		d.mu.Lock()
		if depth, ok := d.sched.Lowered[fp]; ok {
			x.Depth = min(x.Depth, depth)
		}
		d.mu.Unlock()
	}
	m.w.Add(x)
	x.Depth = before // the next one is written after it
}
