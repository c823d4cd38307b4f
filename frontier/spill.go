package frontier

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// When there are too many requests in memory, all but the best of each host are
// shelved: put into a run, in the order of the keys of the hosts, and forgotten.
// They are read from a snapshot and coded without the lock, some at a time; what
// has changed since the snapshot stays in memory. From the moment that requests are
// forgotten they can be brought back, though the run is written later. A crash
// takes the run back: the log has them still, until a state is written that names
// it.

// spilling is the shelving of what there is no room for.
type spilling struct {
	disk *Disk
	from *snapshot // of queues
	keep int
	w    *runWriter
	next shelved
}

// bundle is requests of a lane that are shelved together, best first.
type bundle struct {
	host  numbered
	lane  int
	slots []uint32
}

// numbered is a host and its place in the table.
type numbered struct {
	key uint64
	at  uint32
}

// spill shelves what there is no room for.
func (d *Disk) spill() error {
	w, err := d.shelve()
	if err != nil {
		return err
	}
	r, err := d.writeSpilled(w)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	st := &d.store
	st.filling = nil
	if r != nil {
		d.sched.shelf.stamp++
		r.stamp = d.sched.shelf.stamp
		st.runs = append(st.runs, r)
	}
	d.journal.crowd = st.crowd()
	return nil
}

// shelve fills a run.
func (d *Disk) shelve() (*runWriter, error) {
	x := &spilling{disk: d}
	st := &d.store
	d.mu.Lock()
	st.number++
	x.w = newRunWriter(st.tuning.block)
	x.w.run.number, x.w.run.stamp = st.number, unfinished
	st.filling = x.w
	x.from, x.keep = d.sched.snapshot(), st.keep()
	d.sched.text.untidy = true
	d.mu.Unlock()
	defer d.tidyText()
	for order := x.crowded(); len(order) > 0; {
		var batch []bundle
		for n := 0; len(order) > 0 && n < st.tuning.step; order = order[1:] {
			for which := range lanes {
				if b := x.bundle(order[0], which); len(b.slots) > 0 {
					batch = append(batch, b)
					n += len(b.slots)
				}
			}
		}
		if err := x.shelve(batch); err != nil {
			return nil, err
		}
	}
	return x.w, nil
}

// crowded returns the hosts with more than is kept in a queue, in the order of
// their keys.
func (x *spilling) crowded() (order []numbered) {
	for i, h := range x.from.hosts.all() {
		if int(max(h.queues[dueLane].n, h.queues[laterLane].n)) > x.keep {
			order = append(order, numbered{h.key, i})
		}
	}
	slices.SortFunc(order, func(a, b numbered) int { return cmp.Compare(a.key, b.key) })
	return order
}

// bundle is all but the best of a lane.
func (x *spilling) bundle(n numbered, which int) bundle {
	b := bundle{host: n, lane: which}
	q := x.from.hosts.at(n.at).queues[which]
	if int(q.n) <= x.keep {
		return b
	}
	b.slots = make([]uint32, 0, q.n)
	walk(byRank{&x.from.urls}, q.root, func(i uint32) bool {
		b.slots = append(b.slots, i)
		return true
	})
	at := &x.from.slots
	slices.SortFunc(b.slots, func(i, j uint32) int {
		p, q := at.at(i).rankIn(which), at.at(j).rankIn(which)
		return cmp.Or(cmp.Compare(p.key, q.key), cmp.Compare(p.seq, q.seq))
	})
	b.slots = b.slots[x.keep:]
	return b
}

// shelve puts a batch into the run. What has changed is left out, and the rest
// coded once more, without the lock while there is hope.
func (x *spilling) shelve(batch []bundle) error {
	d := x.disk
	for tries := 0; ; tries++ {
		coded := x.code(batch)
		d.mu.Lock()
		if d.stopped != nil {
			d.mu.Unlock()
			return ErrClosed
		}
		changed := x.leaveOut(batch)
		if changed && tries < 3 {
			d.mu.Unlock()
			continue
		}
		if changed {
			coded = x.code(batch)
		}
		x.w.take(coded)
		for i := range batch {
			x.forget(&batch[i])
		}
		d.mu.Unlock()
		return nil
	}
}

// code returns a part of the run that holds a batch.
func (x *spilling) code(batch []bundle) *runWriter {
	w := newRunWriter(x.w.limit)
	w.run.number, w.run.size = x.w.run.number, x.w.run.size
	for i := range batch {
		b := &batch[i]
		for _, i := range b.slots {
			s := x.from.slots.at(i)
			x.next.decode(x.from.text.get(i))
			x.next.depth, x.next.attempt, x.next.priority = s.depth, s.attempt, math.Float64bits(s.priority)
			x.next.host, x.next.lane, x.next.seq = b.host.key, byte(b.lane), s.seq
			w.add(&x.next)
		}
	}
	w.endBlock()
	return w
}

// leaveOut takes from a batch what is not as it was, and says whether anything was.
// The lock is held.
func (x *spilling) leaveOut(batch []bundle) (changed bool) {
	s := x.disk.sched
	for i := range batch {
		b := &batch[i]
		n := len(b.slots)
		b.slots = slices.DeleteFunc(b.slots, func(i uint32) bool {
			if i >= s.slots.end {
				return true
			}
			was, is := x.from.slots.at(i), s.slots.at(i)
			return is.empty() || is.leased || is.seq != was.seq || is.depth != was.depth || is.later != (b.lane == laterLane)
		})
		changed = changed || len(b.slots) < n
	}
	return changed
}

// forget takes requests that are in the run out of memory. The lock is held.
func (x *spilling) forget(b *bundle) {
	if len(b.slots) == 0 {
		return
	}
	s := x.disk.sched
	ho := s.hosts.at(b.host.at)
	depth := uint32(0)
	for _, i := range b.slots {
		depth = max(depth, s.slots.at(i).depth)
	}
	s.shelf.put(ho, b.lane, s.slots.at(b.slots[0]).rankIn(b.lane), len(b.slots), depth)
	for _, i := range slices.Backward(b.slots) { // the worst has none below it
		s.dequeue(ho, b.lane, i)
		s.urls.remove(i)
	}
}

// tidyText gives the snapshot up, and empties the chunks of text of which little is
// left.
func (d *Disk) tidyText() {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := &d.sched.text
	d.sched.release()
	t.untidy = false
	for d.sched.slots.loose() {
		d.sched.tidySlots(1024)
		d.mu.Unlock()
		d.mu.Lock()
	}
	for i := 0; i < len(t.chunks); i++ {
		if uint32(i) != t.current {
			t.tidy(uint32(i))
		}
		if i%16 == 15 {
			d.mu.Unlock()
			d.mu.Lock()
		}
	}
}

// writeSpilled writes the run to its file, if there is anything in it.
func (d *Disk) writeSpilled(w *runWriter) (*run, error) {
	if w.run.count == 0 {
		return nil, nil
	}
	if err := w.create(d.dir); err != nil {
		return nil, err
	}
	return w.finish(d.dir)
}

// mergeSoon merges runs in the background unless that is going on.
func (d *Disk) mergeSoon() {
	if !d.merging.TryLock() {
		return
	}
	d.mu.Lock()
	todo := d.stopped == nil && d.store.choose() != nil
	if todo {
		d.running.Add(1)
	}
	d.mu.Unlock()
	if !todo {
		d.merging.Unlock()
		return
	}
	go func() {
		defer d.running.Done()
		defer d.merging.Unlock()
		if err := d.mergeAll(); err != nil && !errors.Is(err, ErrClosed) {
			d.stop(diskError(err))
		}
	}()
}
