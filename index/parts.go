package index

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/segment"
)

// part is a segment as the writer sees it.
type part struct {
	*handle
	deleted   *bitset.Set // also those not committed
	shared    bool        // deleted is in use elsewhere and must not be changed
	base      *bitset.Set // deleted in the last commit
	committed bool        // it is in the last commit
	columns   overlay     // of the last commit
	sets      sets        // since then
	anchored  bool        // columns have the anchors of the last commit
}

// drop ends the use of a part.
func (p *part) drop() error { return errors.Join(p.columns.release(), p.release()) }

func (p *part) live() int { return int(p.seg.Docs) - p.deleted.Len() }

func (p *part) delete(doc uint32) {
	if p.shared || p.deleted == nil {
		p.deleted, p.shared = p.deleted.Clone(p.seg.Docs), false
	}
	p.deleted.Add(doc)
}

// spot is where a document is.
type spot struct {
	part *part
	doc  uint32
}

// find finds the live documents of keys in the segments.
func (w *Writer) find(ctx context.Context, keys ...string) (spots []spot, err error) {
	for _, key := range keys {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, p := range w.parts {
			doc, err := p.seg.Find(key)
			if err != nil {
				return nil, damage(p.name(), err)
			}
			if doc != segment.NoDoc && !p.deleted.Has(doc) {
				spots = append(spots, spot{p, doc})
			}
		}
	}
	return spots, nil
}

// delete deletes documents from the segments.
func (w *Writer) delete(spots []spot) {
	for _, s := range spots {
		s.part.delete(s.doc)
		w.state.changed = true
	}
}

// commit publishes all parts as they are now, joined with all anchors or only with
// those that it must not leave.
func (w *Writer) commit(ctx context.Context, join bool) error {
	if !w.state.changed {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := w.settle(ctx); err != nil {
		return w.fail(ctx, err)
	}
	if err := w.commitParts(ctx, join); err != nil {
		return w.fail(ctx, err)
	}
	w.parts = slices.DeleteFunc(w.parts, func(p *part) bool {
		if p.live() > 0 {
			return false
		}
		p.drop() // unmapping has nothing to lose
		return true
	})
	if err := w.publish(); err != nil {
		return w.fail(ctx, err)
	}
	w.state.changed = false
	w.joinLater()
	return nil
}

// commitParts writes what the parts need besides to be committed.
func (w *Writer) commitParts(ctx context.Context, join bool) error {
	if err := w.spillAnchors(ctx); err != nil {
		return err
	}
	fields, err := w.joinAnchors(ctx, join)
	if err != nil {
		return err
	}
	first := 0
	if !join {
		first = w.anchors.joined
	}
	merged, from, err := w.mergeAnchors(ctx, first, join)
	if err != nil {
		w.discard(fields)
		return err
	}
	columns, err := w.writeSets(ctx)
	if err != nil {
		w.discard(fields)
		w.dropAnchors(merged)
		return err
	}
	for _, p := range w.parts {
		p.base, p.shared, p.committed = p.deleted, true, true
		p.commitSets(columns[p], w.merging.jobs)
		p.commitAnchors(w.anchors.field, fields[p], w.merging.jobs)
	}
	w.anchors.install(merged, from, join)
	return nil
}

// publish makes what the parts hold, as far as it is committed, the newest
// commit.
func (w *Writer) publish() error {
	m := &manifest{Generation: w.state.generation + 1, Next: w.state.next, Schema: w.analyst.schema, Anchors: w.anchors.manifest()}
	for _, p := range w.parts {
		if p.committed {
			m.Segments = append(m.Segments, manifestSegment{Number: p.number, Bytes: p.bytes, Docs: p.seg.Docs, Columns: p.columns.manifest(), deleted: p.base})
		}
	}
	b, err := m.encode()
	if err != nil {
		return err
	}
	if err := w.ix.place.Publish(commitName(m.Generation), b); err != nil {
		return err
	}
	w.state.generation = m.Generation
	if err := w.install(m); err != nil {
		return err
	}
	w.collect()
	return nil
}

// install shows the readers of this process what was published.
func (w *Writer) install(m *manifest) error {
	w.ix.mu.Lock()
	last := w.ix.current
	w.ix.mu.Unlock()
	var views []*view
	for _, p := range w.parts {
		if !p.committed {
			continue
		}
		p.retain()
		p.columns.retain()
		if v := last.view(p.number); v != nil && v.deleted == p.base && maps.Equal(v.overlay, p.columns) {
			views = append(views, v)
		} else {
			views = append(views, newView(p.handle, p.base, p.columns))
		}
	}
	return w.ix.install(newCommit(m, views, retainAll(w.anchors.files[:w.anchors.committed])))
}

// collect removes the files that neither the newest commit nor the writer
// needs. What cannot be removed now is tried again after the next commit.
func (w *Writer) collect() {
	names, err := w.ix.place.List()
	if err != nil {
		return
	}
	for _, name := range names {
		if !w.needs(name) {
			w.ix.place.Remove(name)
		}
	}
}

// needs reports whether a file is needed, or is not ours.
func (w *Writer) needs(name string) bool {
	unfinished := strings.HasSuffix(name, ".tmp")
	name, _, _ = strings.Cut(name, ".")
	if n, ok := numbered(name, commitPrefix); ok {
		return n == w.state.generation && !unfinished
	}
	if n, ok := numbered(name, segmentPrefix); ok {
		inUse := func(p *part) bool { return p.number == n }
		return w.state.writing[n] || !unfinished && slices.ContainsFunc(w.parts, inUse)
	}
	if n, ok := numbered(name, anchorsPrefix); ok {
		return !unfinished && slices.ContainsFunc(w.anchors.files, func(h *handle) bool { return h.number == n })
	}
	if n, ok := numbered(name, columnPrefix); ok {
		return !unfinished && slices.ContainsFunc(w.parts, func(p *part) bool { return p.columns.find(n) != nil })
	}
	return true
}

// removeNew removes the segments that were never committed.
func (w *Writer) removeNew() {
	for _, p := range w.parts {
		if !p.committed {
			w.ix.place.Remove(p.name()) // what stays is removed by the next writer
		}
	}
	for _, h := range w.anchors.files[w.anchors.committed:] {
		w.ix.place.Remove(h.name())
	}
}

func (w *Writer) releaseParts() error {
	var errs []error
	for _, p := range w.parts {
		errs = append(errs, p.drop())
	}
	errs = append(errs, releaseAll(w.anchors.files))
	w.parts, w.anchors.files = nil, nil
	return errors.Join(errs...)
}
