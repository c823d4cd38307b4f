package wal

import (
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/webquarry/quarry/frontier/internal/heap"
	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/slab"
	"github.com/webquarry/quarry/frontier/internal/store"
	"github.com/webquarry/quarry/internal/durable"
)

// Snapshot is what a schedule held at some moment. It is taken at once: pages of
// hosts and requests are shared with the schedule, which copies those that it
// looks at meanwhile.
type Snapshot struct {
	sched.URLs
	shelf        sched.Shelf
	hosts        slab.Slab[sched.Host]
	groups       slab.Slab[sched.Group]
	records      slab.Slab[sched.Record]
	names        map[uint64]string
	runs         []*store.Run
	number       uint32 // of the last run
	Retired      []string
	dropped      int // URLs
	seed         uint64
	at           int64
	sched.Shares // the ring alone, from its oldest
}

// Freeze takes a snapshot. The lock of the schedule is held.
func Freeze(s *sched.Schedule, st *store.Store, now int64) *Snapshot {
	s.Text.Shared = true
	c := &Snapshot{seed: s.Seed, hosts: s.Hosts.Freeze(), URLs: sched.URLs{Slots: s.Slots.Freeze(), Seq: s.Seq}}
	c.Text = slab.Arena{Chunks: slices.Clone(s.Text.Chunks), PlaceOf: c.PlaceOf}
	c.groups, c.records, c.names = s.Groups.Freeze(), s.Records.Freeze(), maps.Clone(s.Names)
	c.dropped, c.at = s.Dropped, now
	c.Shares = sched.Shares{Ring: s.InOrder(), Latest: s.Latest}
	c.runs, c.number, c.Retired = slices.Clone(st.Runs), st.Number, st.Retired
	st.Retired, st.Waste = nil, 0
	c.Lowered = maps.Clone(s.Lowered)
	c.shelf = sched.Shelf{Lanes: s.Shelf.Lanes.Freeze(), Layers: s.Shelf.Layers.Freeze(), Stamp: s.Shelf.Stamp, Gone: maps.Clone(s.Shelf.Gone)}
	return c
}

// Runs returns the numbers of the runs that it names.
func (c *Snapshot) Runs() (numbers []uint32) {
	for _, r := range c.runs {
		numbers = append(numbers, r.Number)
	}
	return numbers
}

// Write writes a snapshot in records of about so many bytes and returns how many bytes that
// took. It calls read when it is over with what it shares with the schedule, and ends with
// ErrQuit when quit is closed.
func (c *Snapshot) Write(dir *durable.Dir, name string, generation uint64, record int, quit <-chan struct{}, read func()) (int64, error) {
	log, err := durable.OpenLog(dir, name, nil)
	if err != nil {
		return 0, err
	}
	w := &stateWriter{Snapshot: c, quit: quit, log: log, record: record}
	w.e.head(c.seed, generation)
	w.e.clock(c.at)
	for _, r := range c.runs {
		w.e.run(r)
	}
	for h, ho := range c.hosts.All() {
		if ho.Domain != 0 && w.err == nil {
			w.host(h, ho)
		}
	}
	w.leased()
	w.lower()
	read()
	w.e.dropped(c.dropped)
	if len(c.Ring) > 0 {
		w.e.shares(c.Ring, c.Latest)
	}
	w.e.end(w.requests, w.lanes, c.Seq, c.number, c.shelf.Stamp)
	w.flush(0)
	return log.Size(), errors.Join(w.err, log.Close())
}

// stateWriter writes entries step by step. After an error its methods do nothing.
type stateWriter struct {
	*Snapshot
	quit <-chan struct{}
	log  *durable.Log
	e    Entries
	err  error

	record          int // about how many bytes are written at once
	requests, lanes int // written so far
	x               request.Stored
	below           []sched.Below
}

// flush writes the record if it is larger than size.
func (w *stateWriter) flush(size int) {
	if len(w.e.B) <= size || w.err != nil {
		return
	}
	select {
	case <-w.quit:
		w.err = ErrQuit
	default:
		w.err = w.log.Append(w.e.B)
		w.e.reset()
	}
}

// host writes a host and what of it waits.
func (w *stateWriter) host(h uint32, ho *sched.Host) {
	w.e.host(ho.Key, w.groups.At(ho.Domain).Key, ho.Clock)
	if ho.Record != 0 || ho.Addr != 0 {
		var rec sched.Record
		var g sched.Group
		if ho.Record != 0 {
			rec = *w.records.At(ho.Record)
		}
		if ho.Addr != 0 {
			g = *w.groups.At(ho.Addr)
		}
		w.e.record(entryKnown, ho.Key, &rec, g.Addr())
		if name := w.names[ho.Key]; name != "" {
			w.e.name(ho.Key, name)
		}
	}
	for which, l := range ho.Lanes {
		if l != 0 {
			w.lane(which, w.shelf.Lanes.At(l))
		}
	}
	for _, q := range ho.Queues {
		heap.Walk(sched.ByRank{URLs: &w.URLs}, q.Root, func(i uint32) bool {
			w.request(ho, i)
			return w.err == nil
		})
	}
	w.flush(w.record)
}

func (w *stateWriter) lane(which int, l *sched.Lane) {
	w.below = w.below[:0]
	for i := l.Below; i != 0; {
		b := w.shelf.Layers.At(i)
		w.below = append(w.below, *b)
		i = b.Below
	}
	w.e.lane(which, l, w.below)
	w.lanes++
}

// request writes a request of a host.
func (w *stateWriter) request(ho *sched.Host, i uint32) {
	x := w.Slots.At(i)
	w.x.Decode(w.Text.Get(i))
	w.x.Host, w.x.Seq, w.x.Depth, w.x.Attempt = ho.Key, x.Seq, x.Depth, x.Attempt
	w.x.Priority = math.Float64bits(x.Priority)
	w.e.queued(&w.x)
	w.requests++
	w.flush(w.record)
}

// leased writes the requests that are in no queue.
func (w *stateWriter) leased() {
	for i, x := range w.Slots.All() {
		if !x.Empty() && x.Leased && w.err == nil {
			w.request(w.hosts.At(x.Host), i)
			w.e.lease(x.FP, int(x.Attempt), 0)
		}
	}
}

func (w *stateWriter) lower() {
	for fp, depth := range w.Lowered {
		w.e.lower(fp, int(depth))
		w.flush(w.record)
	}
	for seq := range w.shelf.Gone {
		w.e.gone(seq)
		w.flush(w.record)
	}
}

// ErrQuit says that a snapshot was not written to its end.
var ErrQuit = errors.New("frontier: closed while a state was written")
