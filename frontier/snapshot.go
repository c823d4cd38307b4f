package frontier

import (
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/slab"
	"github.com/webquarry/quarry/internal/durable"
)

// snapshot is what a schedule held at some moment. It is taken at once: pages of
// hosts and requests are shared with the schedule, which copies those that it
// looks at meanwhile.
type snapshot struct {
	urls
	shelf   shelf
	hosts   slab.Slab[host]
	groups  slab.Slab[group]
	records slab.Slab[record]
	names   map[uint64]string
	runs    []*run
	number  uint32 // of the last run
	retired []string
	dropped int // URLs
	at      int64
	shares  // the ring alone, from its oldest
}

// snapshot takes one; the lock is held.
func (d *Disk) snapshot() *snapshot {
	s, st := d.sched, &d.store
	s.text.Shared = true
	c := &snapshot{hosts: s.hosts.Freeze(), urls: urls{slots: s.slots.Freeze(), seq: s.seq}}
	c.text = slab.Arena{Chunks: slices.Clone(s.text.Chunks), PlaceOf: c.placeOf}
	c.groups, c.records, c.names = s.groups.Freeze(), s.records.Freeze(), maps.Clone(s.names)
	c.dropped, c.at = s.dropped, d.clock.now()
	c.shares = shares{ring: s.inOrder(), latest: s.latest}
	c.runs, c.number, c.retired = slices.Clone(st.runs), st.number, st.retired
	st.retired, st.waste = nil, 0
	c.lowered = maps.Clone(s.lowered)
	c.shelf = shelf{lanes: s.shelf.lanes.Freeze(), layers: s.shelf.layers.Freeze(), stamp: s.shelf.stamp, gone: maps.Clone(s.shelf.gone)}
	return c
}

// release lets the schedule have its pages for itself; the lock is held.
func (s *schedule) release() {
	s.text.Shared = false
	s.slots.Unfreeze()
	s.hosts.Unfreeze()
	s.groups.Unfreeze()
	s.records.Unfreeze()
	s.shelf.lanes.Unfreeze()
	s.shelf.layers.Unfreeze()
}

// writeState writes a snapshot and returns how many bytes that took.
func (d *Disk) writeState(c *snapshot, name string, generation uint64) (int64, error) {
	log, err := durable.OpenLog(d.dir, name, nil)
	if err != nil {
		return 0, err
	}
	w := &stateWriter{snapshot: c, quit: d.quit, log: log, record: d.store.tuning.record}
	w.e.head(d.sched.seed, generation)
	w.e.clock(c.at)
	for _, r := range c.runs {
		w.e.run(r)
	}
	for h, ho := range c.hosts.All() {
		if ho.domain != 0 && w.err == nil {
			w.host(h, ho)
		}
	}
	w.leased()
	w.lower()
	d.mu.Lock()
	d.sched.release()
	d.mu.Unlock()
	w.e.dropped(c.dropped)
	if len(c.ring) > 0 {
		w.e.shares(c.ring, c.latest)
	}
	w.e.end(w.requests, w.lanes, c.seq, c.number, c.shelf.stamp)
	w.flush(0)
	return log.Size(), errors.Join(w.err, log.Close())
}

// stateWriter writes entries step by step. After an error its methods do nothing.
type stateWriter struct {
	*snapshot
	quit chan struct{}
	log  *durable.Log
	e    entries
	err  error

	record          int // about how many bytes are written at once
	requests, lanes int // written so far
	x               request.Stored
	below           []lower
}

// flush writes the record if it is larger than size.
func (w *stateWriter) flush(size int) {
	if len(w.e.b) <= size || w.err != nil {
		return
	}
	select {
	case <-w.quit:
		w.err = ErrClosed
	default:
		w.err = w.log.Append(w.e.b)
		w.e.reset()
	}
}

// host writes a host and what of it waits.
func (w *stateWriter) host(h uint32, ho *host) {
	w.e.host(ho.key, w.groups.At(ho.domain).key, ho.clock)
	if ho.record != 0 || ho.addr != 0 {
		var rec record
		var g group
		if ho.record != 0 {
			rec = *w.records.At(ho.record)
		}
		if ho.addr != 0 {
			g = *w.groups.At(ho.addr)
		}
		w.e.record(entryKnown, ho.key, &rec, g.addr())
		if name := w.names[ho.key]; name != "" {
			w.e.name(ho.key, name)
		}
	}
	for which, l := range ho.lanes {
		if l != 0 {
			w.lane(which, w.shelf.lanes.At(l))
		}
	}
	for _, q := range ho.queues {
		heap.Walk(byRank{&w.urls}, q.root, func(i uint32) bool {
			w.request(ho, i)
			return w.err == nil
		})
	}
	w.flush(w.record)
}

func (w *stateWriter) lane(which int, l *lane) {
	w.below = w.below[:0]
	for i := l.below; i != 0; {
		b := w.shelf.layers.At(i)
		w.below = append(w.below, *b)
		i = b.below
	}
	w.e.lane(which, l, w.below)
	w.lanes++
}

// request writes a request of a host.
func (w *stateWriter) request(ho *host, i uint32) {
	x := w.slots.At(i)
	w.x.Decode(w.text.Get(i))
	w.x.Host, w.x.Seq, w.x.Depth, w.x.Attempt = ho.key, x.seq, x.depth, x.attempt
	w.x.Priority = math.Float64bits(x.priority)
	w.e.queued(&w.x)
	w.requests++
	w.flush(w.record)
}

// leased writes the requests that are in no queue.
func (w *stateWriter) leased() {
	for i, x := range w.slots.All() {
		if !x.empty() && x.leased && w.err == nil {
			w.request(w.hosts.At(x.host), i)
			w.e.lease(x.fp, int(x.attempt), 0)
		}
	}
}

func (w *stateWriter) lower() {
	for fp, depth := range w.lowered {
		w.e.lower(fp, int(depth))
		w.flush(w.record)
	}
	for seq := range w.shelf.gone {
		w.e.gone(seq)
		w.flush(w.record)
	}
}
