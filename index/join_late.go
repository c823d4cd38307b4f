package index

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/webquarry/quarry/index/internal/segment"
)

// joinCommitted joins the anchors of the last commit that were left to a later
// time, see [Options.AnchorsWithin], in a commit of its own: what is not committed
// stays so.
func (w *Writer) joinCommitted(ctx context.Context) error {
	a := w.anchors
	a.stop()
	if !a.behind() {
		return nil
	}
	defer func(from time.Time) { a.took = time.Since(from) }(time.Now())
	files := newAnchorReaders(a.files[:a.committed])
	out := map[*part]joined{}
	for _, p := range w.parts {
		if !p.committed {
			continue
		}
		of, err := p.locate(ctx, files, a.joined, p.base)
		var f *columnFile
		if err == nil && len(of) > 0 {
			f, err = w.join(ctx, p, of, files)
		}
		if err != nil {
			w.discard(out)
			return err
		}
		if f != nil {
			out[p] = joined{f, docsOf(of)}
		}
	}
	for p, f := range out {
		p.commitAnchors(a.field, f, w.merging.jobs)
	}
	a.joined = a.committed
	return w.publish()
}

// stop forgets what is due.
func (a *anchoring) stop() {
	if a.due != nil {
		a.due.Stop()
		a.due = nil
	}
}

// rest is how many times as long as joining took there is none: it is written anew
// for whole segments, however little is new, and takes a tenth of the time at most.
const rest = 9

// joinLater sees to it that what a commit has left is joined.
func (w *Writer) joinLater() {
	if a, d := w.anchors, w.ix.opt.AnchorsWithin; d > 0 && a.behind() && a.due == nil {
		a.due = time.AfterFunc(max(d, rest*a.took), w.joinDue)
	}
}

// joinDue joins. What goes wrong is told to whoever calls the writer next.
func (w *Writer) joinDue() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.anchors.due = nil
	if w.usable() == nil {
		w.fail(w.merging.ctx, w.joinCommitted(w.merging.ctx))
	}
}

// lateAnchors gives a merged part the anchors that were committed for its sources
// since.
func (w *Writer) lateAnchors(ctx context.Context, j *job, merged *part, moved [][]uint32) error {
	files := newAnchorReaders(w.anchors.files[:w.anchors.committed])
	var of []located
	for i, p := range j.parts {
		for _, doc := range j.anchors[p] {
			if at := moved[i][doc]; at != segment.NoDoc {
				of = append(of, located{doc: at})
			}
		}
	}
	slices.SortFunc(of, func(a, b located) int { return cmp.Compare(a.doc, b.doc) })
	of = slices.Compact(of)
	for i := range of {
		if err := of[i].find(merged.handle, files); err != nil {
			return err
		}
	}
	if len(of) == 0 {
		return nil
	}
	f, err := w.join(ctx, merged, of, files)
	if err == nil {
		merged.commitAnchors(w.anchors.field, joined{columnFile: f}, nil)
	}
	return err
}

// find looks for the anchors of a document of a segment.
func (l *located) find(h *handle, files anchorReaders) error {
	key, err := h.seg.Key(l.doc)
	if err != nil {
		return damage(h.name(), err)
	}
	l.place = segment.NoDoc
	for i, f := range slices.Backward(files) {
		if l.place, err = f.seg.Find(key); err != nil {
			return damage(f.name(), err)
		}
		if l.file = i; l.place != segment.NoDoc {
			break
		}
	}
	return nil
}
