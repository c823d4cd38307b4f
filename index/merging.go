package index

import (
	"context"
	"errors"
	"slices"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
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
// All of it is guarded by the writer's mutex.
type merging struct {
	w    *Writer
	jobs []*job // under way
	held int    // who wants no merge to start
}

// start starts the merges that are worth it, in the background.
func (m *merging) start() {
	for m.held == 0 && m.w.usable() == nil {
		parts := pick(m.w.parts, m.jobs)
		if len(parts) == 0 {
			return
		}
		j := m.begin(parts)
		ctx, stop := context.WithCancel(m.w.ctx)
		j.stop = stop
		m.w.group.Go(func() {
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
	sets    map[*part]commit.Sets // what was set and committed since it began
	columns []commit.Overlay      // of the parts, when it began
	anchors map[*part][]uint32    // the documents whose anchors were committed since it began
	stop    context.CancelFunc    // nil: of Merge
}

// has reports whether a part is being merged.
func (j *job) has(p *part) bool { return slices.Contains(j.parts, p) }

// begin takes what is to be merged.
func (m *merging) begin(parts []*part) *job {
	j := &job{parts: parts, number: m.w.newNumber(), large: large(parts), sets: map[*part]commit.Sets{}, anchors: map[*part][]uint32{}}
	m.w.state.writing[j.number] = true
	m.jobs = append(m.jobs, j)
	for _, p := range parts {
		p.Retain()
		deleted := p.deleted
		if p.committed {
			deleted = p.base
		}
		p.shared = true
		j.columns = append(j.columns, p.columns.Retain())
		j.sources = append(j.sources, segment.Source{Segment: p.Seg, Deleted: deleted, Columns: p.columns.Sections(), Fields: p.columns.Fields()})
	}
	return j
}

// run merges and puts the result in place.
func (m *merging) run(ctx context.Context, j *job) error {
	var merged *commit.File
	err := fault.Guard("merge", func() (err error) {
		var moved [][]uint32
		if merged, moved, err = m.w.merge(ctx, j); err != nil {
			return err
		}
		if err := m.w.own(ctx); err != nil {
			return err
		}
		defer m.w.disown()
		return m.w.replace(ctx, j, merged, moved)
	})
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	err = m.w.fail(ctx, err)
	if err != nil && merged != nil {
		err = errors.Join(err, merged.Release())
		if m.w.state.failed == nil { // else a commit may have come through that names it
			m.w.ix.place.Remove(merged.Name())
		}
	}
	m.jobs = slices.DeleteFunc(m.jobs, func(o *job) bool { return o == j })
	delete(m.w.state.writing, j.number)
	m.w.news.Broadcast()
	for i, p := range j.parts {
		err = errors.Join(err, j.columns[i].Release(), p.Release())
	}
	return err
}

func (w *Writer) merge(ctx context.Context, j *job) (*commit.File, [][]uint32, error) {
	out, err := segment.Create(w.ix.place, commit.SegmentName(j.number), w.ix.files.ID, w.ix.files.Codec)
	if err != nil {
		return nil, nil, err
	}
	moved, err := segment.Merge(ctx, out, j.sources, w.order())
	if err != nil {
		return nil, nil, errors.Join(j.damage(ctx, err), out.Abort())
	}
	for i, p := range j.parts {
		if err := p.changed(j.columns[i]); err != nil { // what was merged may be anything
			return nil, nil, errors.Join(err, out.Abort())
		}
	}
	if _, err := out.Finish(); err != nil {
		return nil, nil, err
	}
	h, err := commit.OpenSegment(w.ix.place, j.number, pagefile.ID{}, w.ix.files.Codec)
	return h, moved, err
}

// damage finds the segment in which damage was met.
func (j *job) damage(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*pagefile.Damage](err); !ok {
		return err
	}
	for _, p := range j.parts {
		if err := p.Seg.Verify(ctx); err != nil {
			return fault.Damage(p.Name(), err)
		}
		if err := p.columns.Verify(ctx, p.File); err != nil {
			return err
		}
	}
	return err
}

// replace puts the merged segment in the place of its sources. What was
// deleted in them meanwhile is deleted in it. Owner is held.
func (w *Writer) replace(ctx context.Context, j *job, h *commit.File, moved [][]uint32) error {
	merged := &part{File: h, committed: j.parts[0].committed, shared: true}
	if merged.committed {
		merged.base = late(j, h, moved, func(p *part) *bitset.Set { return p.base })
		if err := w.publishMerged(ctx, j, merged, moved); err != nil {
			return err
		}
	}
	w.mu.Lock()
	merged.anchored = !slices.ContainsFunc(j.parts, func(p *part) bool { return !p.anchored })
	merged.deleted = late(j, h, moved, func(p *part) *bitset.Set { return p.deleted })
	for i, p := range j.parts {
		if len(p.sets) > 0 {
			if merged.sets == nil {
				merged.sets = commit.Sets{}
			}
			p.sets.MovedTo(merged.sets, moved[i])
		}
	}
	w.parts = slices.DeleteFunc(w.parts, func(p *part) bool {
		if !j.has(p) {
			return false
		}
		p.drop() // the job has a hold on it too
		return true
	})
	w.parts = append(w.parts, merged)
	w.counts.Merges++
	w.mu.Unlock()
	w.collect()
	return nil
}

// publishMerged commits what is committed already, with the merged segment in the
// place of its sources, and what was set and linked in these since they were read.
func (w *Writer) publishMerged(ctx context.Context, j *job, merged *part, moved [][]uint32) error {
	c := w.pending()
	c.parts = slices.DeleteFunc(c.parts, func(p *pendingPart) bool {
		if j.has(p.part) {
			p.columns.Release()
			return true
		}
		return false
	})
	at := &pendingPart{part: merged, deleted: merged.base, sets: commit.Sets{}}
	for i, p := range j.parts {
		j.sets[p].MovedTo(at.sets, moved[i])
	}
	c.parts = append(c.parts, at)
	err := c.writeSets(ctx, at)
	if err == nil {
		err = c.lateAnchors(ctx, j, at, moved)
	}
	if err == nil {
		err = c.publish()
	}
	if err != nil {
		c.undo()
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c.install()
	return nil
}

// late returns what was deleted from the sources after they were merged, by
// its numbers in the merged segment; nil: nothing.
func late(j *job, h *commit.File, moved [][]uint32, now func(*part) *bitset.Set) *bitset.Set {
	var out *bitset.Set
	for i, p := range j.parts {
		for doc := range now(p).Without(j.sources[i].Deleted) {
			if at := moved[i][doc]; at != segment.NoDoc {
				if out == nil {
					out = bitset.New(h.Seg.Docs)
				}
				out.Add(at)
			}
		}
	}
	return out
}

// Merge commits, and leaves one segment without traces of what was deleted, with
// the columns that were set and the anchors that came late.
// Documents added meanwhile by other goroutines come on top. When the context ends
// the call, what it had to commit may be committed or not.
func (w *Writer) Merge(ctx context.Context) error { return w.do(ctx, w.mergeAll) }

func (w *Writer) mergeAll(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.merging.start() // what it stopped, when it does not come to its end
	parts, err := w.commitUnmerged(ctx)
	if err != nil || len(parts) == 0 || len(parts) == 1 && parts[0].deleted.Len() == 0 && len(parts[0].columns) == 0 && w.order().Is(parts[0].Seg) {
		return err
	}
	j := w.merging.begin(parts)
	w.mu.Unlock()
	defer w.mu.Lock()
	return w.merging.run(ctx, j)
}

// commitUnmerged commits, and ends the merges under way: what they have done so
// far would have to be done again, as a part of merging all. It returns the parts
// that are committed.
func (w *Writer) commitUnmerged(ctx context.Context) ([]*part, error) {
	m := w.merging
	m.held++
	defer func() { m.held-- }()
	if err := w.gathering.flushAll(ctx); err != nil {
		return nil, err
	}
	w.mu.Unlock()
	err := w.commit(ctx, true)
	w.mu.Lock()
	if err != nil {
		return nil, err
	}
	for _, j := range m.jobs {
		if j.stop != nil {
			j.stop()
		}
	}
	err = w.wait(ctx, func() bool { return len(m.jobs) == 0 })
	return slices.DeleteFunc(slices.Clone(w.parts), func(p *part) bool { return !p.committed }), err
}
