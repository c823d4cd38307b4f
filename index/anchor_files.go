package index

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/segment"
)

// anchoring is the anchors of a writer. What came since the last commit waits in
// memory; a commit, or too little memory, puts it in a file anchors-N.
//
// Such a file is a segment without fields: its keys are the targets, and its
// records all anchors of a target at that time. Of several files the newest that
// has a target counts. The file is what is known of links; what is searched is
// made of it for each segment, see join.go.
//
// All of it is guarded by the writer's mutex.
type anchoring struct {
	field     int // number in the schema; -1: there is none
	most      int // anchors of one host
	waiting   map[string][]link
	bytes     int64         // that are waiting
	files     []*handle     // oldest first
	committed int           // how many of the files the last commit has
	joined    int           // how many of these all documents of the last commit have
	due       *time.Timer   // until the others are joined; nil: nothing is to be joined
	took      time.Duration // the last time that others were joined
}

func newAnchoring(s Schema) *anchoring {
	a := &anchoring{field: s.anchors(), waiting: map[string][]link{}}
	if a.field >= 0 {
		a.most = s[a.field].Anchors
	}
	return a
}

func (a *anchoring) add(links []link) {
	for _, l := range links {
		a.waiting[l.target] = append(a.waiting[l.target], l)
		a.bytes += l.size()
	}
}

// keep begins with the files of the last commit.
func (a *anchoring) keep(files []*handle, m []manifestAnchors) {
	a.files, a.committed = retainAll(files), len(files)
	for a.joined < len(m) && !m[a.joined].Waiting {
		a.joined++
	}
}

// behind reports whether documents of the last commit lack anchors of it.
func (a *anchoring) behind() bool { return a.joined < a.committed }

// spillAnchors puts what is waiting in a file. Targets whose anchors stay as they
// are are left out.
func (w *Writer) spillAnchors(ctx context.Context) error {
	a := w.anchors
	if len(a.waiting) == 0 {
		return nil
	}
	known := newAnchorReaders(a.files)
	h, err := w.writeAnchors(func(out *segment.Writer) error {
		for _, target := range slices.Sorted(maps.Keys(a.waiting)) {
			of, err := known.find(target)
			if err != nil {
				return err
			}
			next := of
			for _, l := range a.waiting[target] {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				next = fold(next, l, a.most)
			}
			if !sameAnchors(of, next) {
				small, large := anchorRecord(next)
				out.Document([]byte(target), small, large)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	clear(a.waiting)
	a.bytes = 0
	if h != nil {
		a.files = append(a.files, h)
	}
	return nil
}

// writeAnchors writes a file of anchors; none when fill adds nothing.
func (w *Writer) writeAnchors(fill func(*segment.Writer) error) (*handle, error) {
	number := w.state.next
	w.state.next++
	name := anchorsName(number)
	out, err := segment.Create(w.ix.place, name, w.ix.codec)
	if err != nil {
		return nil, err
	}
	if err := fill(out); err != nil || out.Docs() == 0 {
		return nil, errors.Join(err, out.Abort())
	}
	out.EndDocuments()
	if _, err := out.Finish(); err != nil {
		return nil, err
	}
	return openNamed(w.ix.place, number, name, w.ix.codec)
}

// anchorReaders reads many anchors, quickly when their targets ascend.
type anchorReaders []anchorReader

type anchorReader struct {
	*handle
	records *segment.Walk
}

func newAnchorReaders(files []*handle) (out anchorReaders) {
	for _, h := range files {
		out = append(out, anchorReader{h, h.seg.Walk()})
	}
	return out
}

// find returns the anchors of a target.
func (r anchorReaders) find(target string) ([]Anchor, error) {
	for _, file := range slices.Backward(r) {
		place, err := file.seg.Find(target)
		if err != nil {
			return nil, damage(file.name(), err)
		}
		if place != segment.NoDoc {
			return file.at(target, place)
		}
	}
	return nil, nil
}

func (r anchorReader) at(target string, place uint32) ([]Anchor, error) {
	if place == segment.NoDoc {
		return nil, nil
	}
	values, err := r.records.Values(place, allValues)
	return readAnchors(r.handle, target, values, err)
}

// crowded returns from which file on, but the first ones, they are to be one: each
// file is at least twice as large as all newer ones together, so there are few.
func (a *anchoring) crowded(first int) int {
	from, size := len(a.files), int64(0)
	for i := len(a.files) - 1; i >= first; i-- {
		if size > 0 && a.files[i].bytes >= 2*size {
			break
		}
		from, size = i, size+a.files[i].bytes
	}
	return from
}

// mergeAnchors makes the newest files one, but the first ones, when they are many.
// The files stay as they are; what is returned takes their places from that number
// on.
func (w *Writer) mergeAnchors(ctx context.Context, first int, joined bool) (merged *handle, from int, err error) {
	from = w.anchors.crowded(first)
	of := newAnchorReaders(w.anchors.files[from:])
	if len(of) < 2 {
		return nil, len(w.anchors.files), nil
	}
	slices.Reverse(of) // the newest first
	merged, err = w.writeAnchors(func(out *segment.Writer) error { return of.copyTo(ctx, out, joined && from == 0) })
	return merged, from, err
}

// mergeSpilled makes files that no commit has one, when they are many.
func (w *Writer) mergeSpilled(ctx context.Context) error {
	a := w.anchors
	merged, from, err := w.mergeAnchors(ctx, a.committed, false)
	if merged == nil {
		return err
	}
	for _, h := range a.files[from:] {
		w.dropAnchors(h)
	}
	a.files = append(a.files[:from], merged)
	return nil
}

// copyTo writes what files hold, of which the newest is the first. When they are
// all files, targets without anchors are left out.
func (r anchorReaders) copyTo(ctx context.Context, out *segment.Writer, all bool) (err error) {
	walks := make([]*front.Iter, len(r))
	for i := range r {
		walks[i] = r[i].seg.Keys.Iter()
	}
	wanted := func(int) bool { return err == nil }
	file, mergeErr := front.Merge(walks, wanted, func(i int, first bool) {
		if !first || err != nil {
			return
		}
		if err = context.Cause(ctx); err != nil {
			return
		}
		small, large, recordErr := r[i].records.Record(uint32(walks[i].Place()))
		if err = damage(r[i].name(), recordErr); err == nil && (len(small) > 0 || !all) {
			out.Document(walks[i].Text(), small, large)
		}
	})
	if err == nil && mergeErr != nil {
		err = damage(r[file].name(), mergeErr)
	}
	return err
}

// install puts the result of mergeAnchors in place, when all is committed.
func (a *anchoring) install(merged *handle, from int, joined bool) {
	for _, h := range a.files[from:] {
		h.release() // unmapping has nothing to lose
	}
	a.files = a.files[:from]
	if merged != nil {
		a.files = append(a.files, merged)
	}
	a.committed = len(a.files)
	if joined {
		a.joined = len(a.files)
	}
}

// dropAnchors drops what mergeAnchors made.
func (w *Writer) dropAnchors(merged *handle) {
	if merged != nil {
		merged.release()
		w.ix.place.Remove(merged.name()) // what stays is removed by the next commit
	}
}

// manifest lists the files that are committed.
func (a *anchoring) manifest() (out []manifestAnchors) {
	for i, h := range a.files[:a.committed] {
		out = append(out, manifestAnchors{h.number, h.bytes, h.seg.Docs, i >= a.joined})
	}
	return out
}
