package index

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/segment"
)

// merging merges segments while the writer goes on. A large merge may take
// long; a small one runs beside it, so that small segments never pile up.
//
// What a merge takes is either all committed or all new, so that a merge never
// commits anything: merged from committed segments, the result takes their
// place in a commit of its own; merged from new ones, it waits for Commit as
// they did.
//
// All but ctx and its goroutines is guarded by the writer's mutex.
type merging struct {
	w      *Writer
	ctx    context.Context
	cancel context.CancelFunc
	group  sync.WaitGroup
	jobs   []*job // under way
	held   int    // who wants no merge to start
}

func newMerging(w *Writer) *merging {
	m := &merging{w: w}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	return m
}

// stop ends merges soon; wait waits for that.
func (m *merging) stop() { m.cancel() }
func (m *merging) wait() { m.group.Wait() }

// start starts the merges that are worth it, in the background.
func (m *merging) start() {
	for m.held == 0 && m.ctx.Err() == nil && m.w.usable() == nil {
		parts := pick(m.w.parts, m.jobs)
		if len(parts) == 0 {
			return
		}
		j := m.begin(parts)
		ctx, stop := context.WithCancel(m.ctx)
		j.stop = stop
		m.group.Go(func() {
			defer stop()
			if m.run(ctx, j) == nil || ctx.Err() != nil { // who stopped it may have given up
				m.w.mu.Lock()
				defer m.w.mu.Unlock()
				m.start()
			}
		})
	}
}

// makeRoom waits while there are very many segments, until a merge has made
// them fewer.
func (m *merging) makeRoom(ctx context.Context) error {
	return m.w.wait(ctx, func() bool { return len(m.w.parts) < mostParts || len(m.jobs) == 0 })
}

// job is a merge.
type job struct {
	parts   []*part
	sources []segment.Source
	number  uint64
	large   bool
	sets    map[*part]sets     // what was set and committed since it began
	columns []overlay          // of the parts, when it began
	anchors map[*part][]uint32 // the documents whose anchors were committed since it began
	stop    context.CancelFunc // nil: of Merge
}

// has reports whether a part is being merged.
func (j *job) has(p *part) bool { return slices.Contains(j.parts, p) }

// begin takes what is to be merged.
func (m *merging) begin(parts []*part) *job {
	j := &job{parts: parts, number: m.w.state.next, large: large(parts), sets: map[*part]sets{}, anchors: map[*part][]uint32{}}
	m.w.state.next++
	m.w.state.writing[j.number] = true
	m.jobs = append(m.jobs, j)
	for _, p := range parts {
		p.retain()
		deleted := p.deleted
		if p.committed {
			deleted = p.base
		}
		p.shared = true
		j.columns = append(j.columns, p.columns.retain())
		j.sources = append(j.sources, segment.Source{Segment: p.seg, Deleted: deleted, Columns: p.columns.sections(), Fields: p.columns.fields()})
	}
	return j
}

// run merges and puts the result in place.
func (m *merging) run(ctx context.Context, j *job) error {
	var merged *handle
	var moved [][]uint32
	err := guarded("merge", func() (err error) {
		merged, moved, err = m.w.merge(ctx, j)
		return err
	})
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	m.jobs = slices.DeleteFunc(m.jobs, func(o *job) bool { return o == j })
	delete(m.w.state.writing, j.number)
	defer m.w.news.Broadcast()
	if err == nil && m.w.usable() == nil {
		err = m.w.replace(ctx, j, merged, moved)
	} else if merged != nil {
		err = errors.Join(err, m.w.usable(), merged.release())
		m.w.ix.place.Remove(merged.name())
	}
	for i, p := range j.parts {
		err = errors.Join(err, j.columns[i].release(), p.release())
	}
	return m.w.fail(ctx, err)
}

func (w *Writer) merge(ctx context.Context, j *job) (*handle, [][]uint32, error) {
	out, err := segment.Create(w.ix.place, segmentName(j.number), w.ix.codec)
	if err != nil {
		return nil, nil, err
	}
	moved, err := segment.Merge(ctx, out, j.sources, w.order())
	if err != nil {
		return nil, nil, errors.Join(j.damage(ctx, err), out.Abort())
	}
	if _, err := out.Finish(); err != nil {
		return nil, nil, err
	}
	h, err := openHandle(w.ix.place, j.number, w.ix.codec)
	return h, moved, err
}

// damage finds the segment in which damage was met.
func (j *job) damage(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*pagefile.Damage](err); !ok {
		return err
	}
	for _, p := range j.parts {
		if err := p.seg.Verify(ctx); err != nil {
			return damage(p.name(), err)
		}
		if err := p.columns.verify(ctx, p.handle); err != nil {
			return err
		}
	}
	return err
}

// replace puts the merged segment in the place of its sources. What was
// deleted in them meanwhile is deleted in it.
func (w *Writer) replace(ctx context.Context, j *job, h *handle, moved [][]uint32) error {
	merged := &part{handle: h, committed: j.parts[0].committed, shared: true}
	merged.base = late(j, h, moved, func(p *part) *bitset.Set { return p.base })
	merged.deleted = late(j, h, moved, func(p *part) *bitset.Set { return p.deleted })
	err := w.lateSets(ctx, j, merged, moved)
	if err == nil {
		err = w.lateAnchors(ctx, j, merged, moved)
	}
	if err != nil {
		return errors.Join(err, merged.drop())
	}
	merged.anchored = !slices.ContainsFunc(j.parts, func(p *part) bool { return !p.anchored })
	w.parts = slices.DeleteFunc(w.parts, func(p *part) bool {
		if !j.has(p) {
			return false
		}
		p.drop() // the job has a hold on it too
		return true
	})
	w.parts = append(w.parts, merged)
	w.counts.Merges++
	if !merged.committed {
		w.state.changed = true
		w.collect()
		return nil
	}
	return w.publish()
}

// late returns what was deleted from the sources after they were merged, by
// its numbers in the merged segment; nil: nothing.
func late(j *job, h *handle, moved [][]uint32, now func(*part) *bitset.Set) *bitset.Set {
	var out *bitset.Set
	for i, p := range j.parts {
		for doc := range now(p).All() {
			if at := moved[i][doc]; at != segment.NoDoc {
				if out == nil {
					out = bitset.New(h.seg.Docs)
				}
				out.Add(at)
			}
		}
	}
	return out
}

// Merge commits, and leaves one segment without traces of what was deleted, with
// the columns that were set and the anchors that came late.
// Documents added meanwhile by other goroutines come on top.
func (w *Writer) Merge(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	defer w.merging.start() // what it stopped, when it does not come to its end
	if err := w.commitUnmerged(ctx); err != nil {
		return err
	}
	parts := slices.DeleteFunc(slices.Clone(w.parts), func(p *part) bool { return !p.committed })
	if len(parts) == 0 || len(parts) == 1 && parts[0].deleted.Len() == 0 && len(parts[0].columns) == 0 && w.order().Is(parts[0].seg) {
		return nil
	}
	j := w.merging.begin(parts)
	w.merging.group.Add(1) // Close waits
	defer w.merging.group.Done()
	w.mu.Unlock()
	defer w.mu.Lock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.merging.ctx, func() { cancel(ErrClosed) })()
	return w.merging.run(ctx, j)
}

// commitUnmerged commits, and ends the merges under way: what they have done so
// far would have to be done again, as a part of merging all.
func (w *Writer) commitUnmerged(ctx context.Context) error {
	m := w.merging
	m.held++
	defer func() { m.held-- }()
	if err := w.gathering.flushAll(ctx); err != nil {
		return err
	}
	w.state.changed = w.state.changed || w.anchors.behind()
	if err := w.commit(ctx, true); err != nil {
		return err
	}
	for _, j := range m.jobs {
		if j.stop != nil {
			j.stop()
		}
	}
	return w.wait(ctx, func() bool { return len(m.jobs) == 0 })
}
