package frontier

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/slab"
	"github.com/webquarry/quarry/frontier/internal/store"
)

// When there are too many requests in memory, all but the best of each host are
// shelved: put into a run, in the order of the keys of the hosts, and forgotten.
// That is done for some at a time: they are listed, coded without the lock, and
// forgotten, but for those that have changed meanwhile, which stay in memory. From
// that moment they can be brought back, though the run is written later. A crash
// takes the run back: the log has them still, until a state is written that names
// it.

// spilling is the shelving of what there is no room for.
type spilling struct {
	disk *Disk
	keep int
	w    *store.Writer
	text slab.Arena // as it was when the batch was listed
	next request.Stored

	touched uint64 // so that what is touched is read
}

// bundle is requests of a lane that are shelved together, best first.
type bundle struct {
	host store.Numbered
	lane int
	out  []outgoing
}

// outgoing is a request that is shelved, as it was when it was listed.
type outgoing struct {
	request.Rank
	slot           uint32
	depth, attempt uint32
	priority       float64
	text           slab.Place
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
	st.Filling = nil
	if r != nil {
		d.sched.Shelf.Stamp++
		r.Stamp = d.sched.Shelf.Stamp
		st.Runs = append(st.Runs, r)
	}
	d.journal.Crowd = st.Crowd()
	d.relieve() // a state may be written next, for which nobody need wait
	return nil
}

// shelve fills a run.
func (d *Disk) shelve() (*store.Writer, error) {
	x := &spilling{disk: d}
	st := &d.store
	d.mu.Lock()
	st.Number++
	x.w = store.NewWriter(st.Tuning.Block)
	x.w.Run.Number, x.w.Run.Stamp = st.Number, store.Unfinished
	st.Filling = x.w
	st.Ahead.Changes++
	d.sched.Shelf.Oldest = st.Oldest()
	x.keep = st.Keep()
	d.sched.Text.Untidy, d.sched.Text.Shared = true, true
	d.mu.Unlock()
	defer d.tidyText()
	for order := d.crowdedHosts(x.keep); len(order) > 0; {
		var batch []bundle
		if batch, order = x.list(order, d.sizes.step); len(batch) == 0 {
			continue
		}
		if err := x.shelve(batch); err != nil {
			return nil, err
		}
	}
	return x.w, nil
}

// crowdedHosts returns the hosts with more than so many requests in a queue, in the
// order of their keys.
func (d *Disk) crowdedHosts(keep int) (order []store.Numbered) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := uint32(1); i < d.sched.Hosts.End; i++ {
		h := d.sched.Hosts.At(i)
		if int(max(h.Queues[request.DueLane].N, h.Queues[request.LaterLane].N)) > keep {
			order = append(order, store.Numbered{Key: h.Key, At: i})
		}
		if step := d.sizes.step; int(i)%step == step-1 {
			d.mu.Unlock()
			d.mu.Lock()
		}
	}
	slices.SortFunc(order, func(a, b store.Numbered) int { return cmp.Compare(a.Key, b.Key) })
	return order
}

// list takes hosts off an order until it has so many requests of them, and sorts
// these.
func (x *spilling) list(order []store.Numbered, most int) ([]bundle, []store.Numbered) {
	batch := x.gather(&order, most)
	for i := range batch {
		b := &batch[i]
		slices.SortFunc(b.out, func(p, q outgoing) int {
			return cmp.Or(cmp.Compare(p.Key, q.Key), cmp.Compare(p.Seq, q.Seq))
		})
		b.out = b.out[x.keep:]
	}
	return batch, order
}

// gather lists the lanes with more than is kept, with the lock held.
func (x *spilling) gather(order *[]store.Numbered, most int) (batch []bundle) {
	d := x.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sched
	x.text.Chunks = append(x.text.Chunks[:0], s.Text.Chunks...)
	seen := 0
	for n := 0; len(*order) > 0 && n < most; *order = (*order)[1:] {
		if seen%touchAhead == 0 {
			x.touchHosts((*order)[:min(touchAhead, len(*order))])
		}
		seen++
		at := (*order)[0]
		if at.At >= s.Hosts.End || s.Hosts.At(at.At).Key != at.Key {
			continue // it was forgotten
		}
		for which, q := range s.Hosts.At(at.At).Queues {
			if int(q.N) <= x.keep {
				continue
			}
			b := bundle{host: at, lane: which, out: make([]outgoing, 0, q.N)}
			heap.Walk(sched.ByRank{URLs: s.URLs}, q.Root, func(i uint32) bool {
				y := s.Slots.At(i)
				b.out = append(b.out, outgoing{y.RankIn(which), i, y.Depth, y.Attempt, y.Priority, y.Text})
				return true
			})
			batch = append(batch, b)
			n += len(b.out)
		}
	}
	return batch
}

// touchAhead is how many places in memory are touched before they are looked at, so
// that they are waited for together.
const touchAhead = 32

// touchHosts reads where the queues of hosts begin, see sched.Schedule.Touch.
func (x *spilling) touchHosts(order []store.Numbered) {
	s := x.disk.sched
	for pass := range 2 {
		for _, at := range order {
			if at.At >= s.Hosts.End {
				continue
			}
			for _, q := range s.Hosts.At(at.At).Queues {
				if x.touched += uint64(q.Root); pass > 0 && q.Root != 0 {
					x.touched += s.Slots.At(q.Root).Seq
				}
			}
		}
	}
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
		x.w.Take(coded)
		for i := range batch {
			x.forget(&batch[i])
		}
		d.mu.Unlock()
		return nil
	}
}

// code returns a part of the run that holds a batch.
func (x *spilling) code(batch []bundle) *store.Writer {
	w := store.NewWriter(x.w.Limit)
	w.Run.Number, w.Run.Size = x.w.Run.Number, x.w.Run.Size
	for i := range batch {
		for _, o := range batch[i].out {
			x.touched += x.text.Touch(o.text)
		}
	}
	for i := range batch {
		b := &batch[i]
		for i := range b.out {
			o := &b.out[i]
			x.next.Decode(x.text.At(o.text))
			x.next.Depth, x.next.Attempt, x.next.Priority = o.depth, o.attempt, math.Float64bits(o.priority)
			x.next.Host, x.next.Lane, x.next.Seq = b.host.Key, byte(b.lane), o.Seq
			w.Add(&x.next)
		}
	}
	w.EndBlock()
	return w
}

// leaveOut takes from a batch what is not as it was, and says whether anything was.
// The lock is held.
func (x *spilling) leaveOut(batch []bundle) (changed bool) {
	s := x.disk.sched
	for i := range batch {
		b := &batch[i]
		n := len(b.out)
		b.out = slices.DeleteFunc(b.out, func(o outgoing) bool {
			if o.slot >= s.Slots.End {
				return true
			}
			y := s.Slots.At(o.slot)
			x.touched += s.Live.Touch(y.FP) // it will be removed
			return y.Empty() || y.Leased || y.Seq != o.Seq || y.Depth != o.depth || y.Attempt != o.attempt || y.Later != (b.lane == request.LaterLane)
		})
		changed = changed || len(b.out) < n
	}
	return changed
}

// forget takes requests that are in the run out of memory. The lock is held.
func (x *spilling) forget(b *bundle) {
	if len(b.out) == 0 {
		return
	}
	s := x.disk.sched
	ho := s.Hosts.At(b.host.At)
	depth := uint32(0)
	for i := range b.out {
		depth = max(depth, b.out[i].depth)
	}
	s.Shelf.Put(ho, b.lane, b.out[0].Rank, len(b.out), depth)
	for _, o := range slices.Backward(b.out) { // the worst has none below it
		s.Dequeue(ho, b.lane, o.slot)
		s.URLs.Remove(o.slot)
	}
}

// tidyText lets texts be moved again, and empties the chunks of which little is left.
func (d *Disk) tidyText() {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := &d.sched.Text
	t.Untidy, t.Shared = false, false
	for d.sched.Slots.Loose() {
		d.sched.TidySlots(1024)
		d.mu.Unlock()
		d.mu.Lock()
	}
	for i := 0; i < len(t.Chunks); i++ {
		if !t.IsTail(uint32(i)) {
			t.Tidy(uint32(i))
		}
		if i%16 == 15 {
			d.mu.Unlock()
			d.mu.Lock()
		}
	}
}

// writeSpilled writes the run to its file, if there is anything in it.
func (d *Disk) writeSpilled(w *store.Writer) (*store.Run, error) {
	if w.Run.Count == 0 {
		return nil, nil
	}
	if err := w.Create(d.dir); err != nil {
		return nil, err
	}
	return w.Finish(d.dir)
}

// mergeSoon merges runs in the background unless that is going on.
func (d *Disk) mergeSoon() {
	if !d.merging.TryLock() {
		return
	}
	d.mu.Lock()
	todo := d.stopped == nil && d.store.Choose() != nil
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
