package index

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/links"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/segment"
)

// part is a segment as the writer sees it.
type part struct {
	*commit.File
	deleted *bitset.Set // also those not committed
	shared  bool        // deleted is in use elsewhere and must not be changed
	sets    commit.Sets // values given since the last commit

	// What is in the last commit changes only while owner is held, too.
	base       *bitset.Set    // deleted there
	committed  bool           // it is there
	columns    commit.Overlay // set after the segment was written
	committing commit.Sets    // values that a commit under way takes up
	anchored   bool           // columns have the anchors
}

// drop ends the use of a part.
func (p *part) drop() error { return errors.Join(p.columns.Release(), p.Release()) }

func (p *part) live() int { return int(p.Seg.Docs) - p.deleted.Len() }

func (p *part) delete(doc uint32) {
	if p.shared || p.deleted == nil {
		p.deleted, p.shared = p.deleted.Clone(p.Seg.Docs), false
	}
	p.deleted.Add(doc)
}

// spot is where a document is.
type spot struct {
	part *part
	doc  uint32
}

// find finds the live documents of a key in the segments.
func (w *Writer) find(key string) (spots []spot, err error) {
	err = fault.Guard("finding a key", func() error {
		for _, p := range w.parts {
			doc, err := p.Seg.Find(key)
			if err != nil {
				return fault.Damage(p.Name(), err)
			}
			if doc != segment.NoDoc && !p.deleted.Has(doc) {
				spots = append(spots, spot{p, doc})
			}
		}
		return nil
	})
	return spots, err
}

// delete deletes documents from the segments.
func (w *Writer) delete(spots []spot) {
	for _, s := range spots {
		s.part.delete(s.doc)
		w.state.changed = true
	}
}

// newNumber returns a number for a new file.
func (w *Writer) newNumber() uint64 {
	w.state.next++
	return w.state.next - 1
}

func (w *Writer) takeNumber() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.newNumber()
}

// pendingCommit is a commit that is being made. Until it is published the writer is
// as if there were none. Owner is held meanwhile.
type pendingCommit struct {
	w         *Writer
	parts     []*pendingPart
	empty     []*part        // without live documents: the commit leaves them out
	anchors   []*commit.File // the files of anchors that the commit has, oldest first
	joined    int            // how many of these all documents have
	covered   int            // how many files of the writer these are or stand for
	merged    *commit.File   // the one of them that was made of others; nil: none
	made      []string       // files that were written for it
	published bool           // or may be
}

// pendingPart is a part as a commit will have it.
type pendingPart struct {
	*part
	deleted *bitset.Set
	columns commit.Overlay
	sets    commit.Sets // new in columns
	linked  []uint32    // documents whose anchors are new in columns
}

// pending begins a commit of what is committed already.
func (w *Writer) pending() *pendingCommit {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.anchors
	c := &pendingCommit{w: w, anchors: slices.Clone(a.files[:a.committed]), joined: a.joined, covered: a.committed}
	for _, p := range w.parts {
		if p.committed {
			c.parts = append(c.parts, &pendingPart{part: p, deleted: p.base, columns: p.columns.Retain()})
		}
	}
	return c
}

// takeChanges begins a commit of everything; nil: there is nothing to commit. No
// merge starts until the commit is installed or given up.
func (w *Writer) takeChanges(join bool) *pendingCommit {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.state.changed && !(join && w.anchors.behind()) {
		return nil
	}
	w.state.changed = false
	w.merging.held++
	c := &pendingCommit{w: w}
	for _, p := range w.parts {
		if p.live() == 0 {
			c.empty = append(c.empty, p)
			continue
		}
		p.shared = true
		p.committing, p.sets = p.sets, nil
		c.parts = append(c.parts, &pendingPart{part: p, deleted: p.deleted, columns: p.columns.Retain(), sets: p.committing})
	}
	return c
}

// write writes what the parts need besides to be committed.
func (c *pendingCommit) write(ctx context.Context, join bool) error {
	a := c.w.anchors
	if err := c.w.spillAnchors(ctx); err != nil {
		return err
	}
	c.anchors, c.joined, c.covered = slices.Clone(a.files), a.joined, len(a.files)
	files := links.NewReaders(c.anchors)
	for _, p := range c.parts {
		if len(files) == 0 || p.anchored && !join {
			continue
		}
		if err := c.join(ctx, p, files); err != nil {
			return err
		}
	}
	first := a.joined
	if join {
		first, c.joined = 0, len(c.anchors)
	}
	if err := c.mergeAnchors(ctx, first); err != nil {
		return err
	}
	for _, p := range c.parts {
		if err := c.writeSets(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// put gives a part a file, which it takes over, for some fields.
func (c *pendingCommit) put(p *pendingPart, f *commit.ColumnFile, fields iter.Seq[int]) {
	p.columns = p.columns.With(f, fields)
	c.made = append(c.made, f.Name())
}

// undo gives up the commit.
func (c *pendingCommit) undo() {
	for _, p := range c.parts {
		p.columns.Release() // unmapping has nothing to lose
	}
	if c.merged != nil {
		c.merged.Release()
	}
	if !c.published {
		for _, name := range c.made {
			c.w.ix.place.Remove(name) // what stays is removed by the next commit
		}
	}
}

// changed reports a file of the commit that is not the one any more that was opened:
// what was made of it may be wrong.
func (c *pendingCommit) changed() error {
	for _, h := range c.anchors {
		if err := h.Changed(); err != nil {
			return err
		}
	}
	for _, p := range c.parts {
		if err := cmp.Or(p.changed(p.part.columns), p.changed(p.columns)); err != nil {
			return err
		}
	}
	return nil
}

// changed reports that a file of a part is not the one any more that was opened.
func (p *part) changed(columns commit.Overlay) error {
	for _, f := range columns.Files() {
		if err := f.Changed(); err != nil {
			return err
		}
	}
	return p.File.Changed()
}

// changed reports a file that the writer reads and that is not the one any more that
// was opened. The mutex is held.
func (w *Writer) changed() error {
	return fault.Reading(func() error {
		for _, h := range w.anchors.files {
			if err := h.Changed(); err != nil {
				return err
			}
		}
		parts := slices.Clone(w.parts)
		for _, j := range w.merging.jobs {
			parts = append(parts, j.parts...)
		}
		for _, p := range parts {
			if err := p.changed(p.columns); err != nil {
				return err
			}
		}
		return nil
	})
}

// publish makes the commit the newest one. The writer does not know of it yet.
func (c *pendingCommit) publish() error {
	w := c.w
	if err := c.changed(); err != nil {
		return err
	}
	w.mu.Lock()
	m := &commit.Manifest{ID: pagefile.ID{Index: w.ix.files.ID}, Generation: w.state.generation + 1, Next: w.state.next, Schema: w.analyst.schema, Scorer: w.state.scorer}
	w.mu.Unlock()
	for i, h := range c.anchors {
		m.Anchors = append(m.Anchors, commit.Anchors{Number: h.Number, ID: h.ID(), Bytes: h.Bytes, Targets: h.Seg.Docs, Waiting: i >= c.joined})
	}
	for _, p := range c.parts {
		m.Segments = append(m.Segments, commit.Segment{Number: p.Number, ID: p.ID(), Bytes: p.Bytes, Docs: p.Seg.Docs, Columns: p.columns.Manifest(), DeletedDocs: p.deleted})
	}
	b, err := m.Encode()
	if err != nil {
		return err
	}
	c.published = true
	if err := w.ix.place.Publish(commit.Name(m.Generation), b); err != nil {
		return err
	}
	w.ix.mu.Lock()
	last := w.ix.current
	w.ix.mu.Unlock()
	var views []*commit.View
	for _, p := range c.parts {
		p.Retain()
		p.columns.Retain()
		if v := last.View(p.Number, p.ID()); v != nil && v.Deleted == p.deleted && maps.Equal(v.Overlay, p.columns) {
			views = append(views, v)
		} else {
			views = append(views, commit.NewView(p.File, p.deleted, p.columns))
		}
	}
	return w.ix.install(exec.NewCollection(commit.New(m, views, commit.RetainAll(c.anchors))))
}

// install tells the writer of the commit that was published. The mutex is held.
func (c *pendingCommit) install() {
	c.w.state.generation++
	for _, p := range c.parts {
		p.part.base, p.committed = p.deleted, true
		p.part.columns.Release() // unmapping has nothing to lose
		p.part.columns = p.columns
		tellSets(p.sets, p.part, c.w.merging.jobs)
		for _, j := range c.w.merging.jobs {
			if j.has(p.part) {
				j.anchors[p.part] = append(j.anchors[p.part], p.linked...)
			}
		}
	}
	a := c.w.anchors
	for _, h := range a.files[:c.covered] {
		if !slices.Contains(c.anchors, h) {
			h.Release()
		}
	}
	a.files, a.committed, a.joined = slices.Concat(c.anchors, a.files[c.covered:]), len(c.anchors), c.joined
}

// commit publishes all parts as they are now, joined with all anchors or only with
// those that it must not leave.
func (w *Writer) commit(ctx context.Context, join bool) error {
	if err := w.own(ctx); err != nil {
		return err
	}
	defer w.disown()
	c := w.takeChanges(join)
	if c == nil {
		return nil
	}
	err := fault.Guard("commit", func() error {
		if err := c.write(ctx, join); err != nil {
			return err
		}
		return c.publish()
	})
	w.mu.Lock()
	w.merging.held--
	for _, p := range w.parts {
		if err != nil && len(p.committing) > 0 {
			p.committing.Add(p.sets)
			p.sets = p.committing
		}
		p.committing = nil
	}
	if err != nil {
		w.state.changed = true
		err = w.fail(ctx, err)
		w.merging.start()
		w.mu.Unlock()
		c.undo()
		return err
	}
	c.install()
	for _, p := range c.parts {
		p.anchored = true
	}
	for _, p := range c.empty {
		p.base, p.committed = p.deleted, true // a merge under way may have a hold on it
	}
	w.parts = slices.DeleteFunc(w.parts, func(p *part) bool {
		if !slices.Contains(c.empty, p) {
			return false
		}
		p.drop() // unmapping has nothing to lose
		return true
	})
	w.joinLater()
	w.merging.start()
	w.mu.Unlock()
	w.collect()
	return nil
}

// collect removes the files that neither the newest commit nor the writer
// needs. What cannot be removed now is tried again after the next commit. Commits are
// removed in ascending order, which tells readers that there is none newer, see
// [Index.isNewest]. Owner is held, so that only flushes and merges write files meanwhile.
func (w *Writer) collect() {
	names, err := w.ix.place.List()
	if err != nil {
		return
	}
	w.mu.Lock()
	names = slices.DeleteFunc(names, w.needs)
	w.mu.Unlock()
	var commits []uint64
	for _, name := range names {
		if n, ok := commit.Numbered(name, commit.Prefix); ok {
			commits = append(commits, n)
		} else {
			w.ix.place.Remove(name)
		}
	}
	slices.Sort(commits)
	for _, n := range commits {
		if w.ix.place.Remove(commit.Name(n)) != nil {
			break
		}
	}
}

// needs reports whether a file is needed, or is not ours.
func (w *Writer) needs(name string) bool {
	unfinished := strings.HasSuffix(name, ".tmp")
	name, _, _ = strings.Cut(name, ".")
	if n, ok := commit.Numbered(name, commit.Prefix); ok {
		return n == w.state.generation && !unfinished
	}
	if n, ok := commit.Numbered(name, commit.SegmentPrefix); ok {
		inUse := func(p *part) bool { return p.Number == n }
		return w.state.writing[n] || !unfinished && slices.ContainsFunc(w.parts, inUse)
	}
	if n, ok := commit.Numbered(name, commit.AnchorsPrefix); ok {
		return !unfinished && slices.ContainsFunc(w.anchors.files, func(h *commit.File) bool { return h.Number == n })
	}
	if n, ok := commit.Numbered(name, commit.ColumnPrefix); ok {
		return !unfinished && slices.ContainsFunc(w.parts, func(p *part) bool { return p.columns.Has(n) })
	}
	return true
}

// removeNew removes the segments that were never committed.
func (w *Writer) removeNew() {
	for _, p := range w.parts {
		if !p.committed {
			w.ix.place.Remove(p.Name()) // what stays is removed by the next writer
		}
	}
	for _, h := range w.anchors.files[w.anchors.committed:] {
		w.ix.place.Remove(h.Name())
	}
}

func (w *Writer) releaseParts() error {
	var errs []error
	for _, p := range w.parts {
		errs = append(errs, p.drop())
	}
	errs = append(errs, commit.ReleaseAll(w.anchors.files))
	w.parts, w.anchors.files = nil, nil
	return errors.Join(errs...)
}
