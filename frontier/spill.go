package frontier

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// When there are too many requests in memory, all but the best of each host are
// shelved: put into a run, in the order of the keys of the hosts, a few hosts at a
// time, and forgotten. From that moment they can be brought back, though the run
// is written later. A crash takes the run back: the log has them still, until a
// state is written that names it.

// spill shelves what there is no room for.
func (d *Disk) spill() error {
	st := &d.store
	w := newRunWriter(st.tuning.block)
	d.mu.Lock()
	keep := st.keep()
	st.number++
	w.run.number, w.run.stamp = st.number, unfinished
	st.filling = w
	d.mu.Unlock()
	defer d.tidyText()
	for order := d.crowdedHosts(keep); len(order) > 0; {
		d.mu.Lock()
		d.sched.text.untidy = true
		if d.stopped != nil {
			d.mu.Unlock()
			return ErrClosed
		}
		before := w.run.count
		for len(order) > 0 && w.run.count-before < st.tuning.step {
			st.shelve(w, order[0], keep)
			order = order[1:]
		}
		w.endBlock()
		d.mu.Unlock()
	}
	r, err := d.writeSpilled(w)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	st.filling = nil
	if r != nil {
		d.sched.shelf.stamp++
		r.stamp = d.sched.shelf.stamp
		st.runs = append(st.runs, r)
	}
	d.journal.crowd = st.crowd()
	return nil
}

// tidyText empties the chunks of which little is left.
func (d *Disk) tidyText() {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := &d.sched.text
	t.untidy = false
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

// numbered is a host and its place in the table.
type numbered struct {
	key uint64
	at  uint32
}

// crowdedHosts returns the hosts with more than so many requests in a queue, in the
// order of their keys.
func (d *Disk) crowdedHosts(keep int) (order []numbered) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := uint32(1); i < d.sched.hosts.end; i++ {
		h := d.sched.hosts.at(i)
		if int(h.queues[dueLane].n) > keep || int(h.queues[laterLane].n) > keep {
			order = append(order, numbered{h.key, i})
		}
		if step := d.store.tuning.step; int(i)%step == step-1 {
			d.mu.Unlock()
			d.mu.Lock()
		}
	}
	slices.SortFunc(order, func(a, b numbered) int { return cmp.Compare(a.key, b.key) })
	return order
}

// shelve puts all but the best requests of a host into a run.
func (st *store) shelve(w *runWriter, n numbered, keep int) {
	s := st.sched
	if n.at >= s.hosts.end || s.hosts.at(n.at).key != n.key {
		return // it was forgotten
	}
	ho := s.hosts.at(n.at)
	for which := range lanes {
		if int(ho.queues[which].n) <= keep {
			continue
		}
		st.sorted = s.appendQueue(st.sorted[:0], ho.queues[which])
		slots := st.sorted
		slices.SortFunc(slots, func(a, b uint32) int {
			x, y := s.slots.at(a).rankIn(which), s.slots.at(b).rankIn(which)
			return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.seq, y.seq))
		})
		out := slots[keep:]
		depth := uint32(0)
		for _, i := range out {
			depth = max(depth, s.slots.at(i).depth)
		}
		s.shelf.put(ho, which, s.slots.at(out[0]).rankIn(which), len(out), depth)
		for _, i := range out {
			w.shelve(s, i, n.key, which)
			s.urls.remove(i)
		}
		ho.queues[which] = queue{}
		for _, i := range slots[:keep] {
			s.enqueue(ho, which, i)
		}
		s.tidySlots(len(out))
	}
}

// shelve adds a slot to the run.
func (w *runWriter) shelve(s *schedule, i uint32, host uint64, which int) {
	x := s.slots.at(i)
	w.next.decode(s.text.get(i))
	w.next.depth, w.next.attempt, w.next.priority = x.depth, x.attempt, math.Float64bits(x.priority)
	w.next.host, w.next.lane, w.next.seq = host, byte(which), x.seq
	w.add(&w.next)
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
