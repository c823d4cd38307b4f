package index

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/pagefile"
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
// All of it is guarded by the writer's mutex; the files change only while owner is
// held, too.
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
// are are left out. Owner is held.
func (w *Writer) spillAnchors(ctx context.Context) error {
	a := w.anchors
	w.mu.Lock()
	waiting := a.waiting
	a.waiting, a.bytes = map[string][]link{}, 0
	w.mu.Unlock()
	if len(waiting) == 0 {
		return nil
	}
	var h *handle
	err := errors.New("index: a panic while anchors were written")
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if err != nil {
			a.putBack(waiting)
		} else if h != nil {
			a.files = append(a.files, h)
		}
	}()
	h, err = w.writeAnchors(func(out *segment.Writer) error {
		known := newAnchorReaders(a.files)
		for _, target := range slices.Sorted(maps.Keys(waiting)) {
			of, err := known.find(target)
			if err != nil {
				return err
			}
			next := of
			for _, l := range waiting[target] {
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
	return err
}

// putBack puts links before those that have come since.
func (a *anchoring) putBack(links map[string][]link) {
	for target, of := range links {
		a.waiting[target] = append(slices.Clip(of), a.waiting[target]...)
		for _, l := range of {
			a.bytes += l.size()
		}
	}
}

// writeAnchors writes a file of anchors; none when fill adds nothing.
func (w *Writer) writeAnchors(fill func(*segment.Writer) error) (*handle, error) {
	number := w.takeNumber()
	name := anchorsName(number)
	out, err := segment.Create(w.ix.place, name, w.ix.id, w.ix.codec)
	if err != nil {
		return nil, err
	}
	err = fill(out)
	for _, h := range w.anchors.files { // what was read of them may be anything
		err = cmp.Or(err, h.changed())
	}
	if err != nil || out.Docs() == 0 {
		return nil, errors.Join(err, out.Abort())
	}
	out.EndDocuments()
	if _, err := out.Finish(); err != nil {
		return nil, err
	}
	return openNamed(w.ix.place, number, name, pagefile.ID{}, w.ix.codec)
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
	values, err := r.records.Values(place, allValues)
	return readAnchors(r.handle, target, values, err)
}

// crowded returns from which file on, but the first ones, they are to be one, so
// that each file is at least twice as large as all newer ones together: then there
// are few.
func crowded(files []*handle, first int) int {
	from, newer := len(files), int64(0)
	for i := len(files) - 1; i >= first; i-- {
		if files[i].bytes < 2*newer {
			from = i
		}
		newer += files[i].bytes
	}
	return from
}

// mergeAnchors makes the newest files one, but the first ones, when they are many.
// When these are all files, and all documents have what they hold, targets without
// anchors are left out.
func (c *pendingCommit) mergeAnchors(ctx context.Context, first int) error {
	from := crowded(c.anchors, first)
	of := newAnchorReaders(c.anchors[from:])
	if len(of) == 0 {
		return nil
	}
	slices.Reverse(of) // the newest first
	joined := c.joined == len(c.anchors)
	merged, err := c.w.writeAnchors(func(out *segment.Writer) error { return of.copyTo(ctx, out, joined && from == 0) })
	if err != nil {
		return err
	}
	c.anchors = slices.Clip(c.anchors[:from])
	if merged != nil {
		c.anchors, c.merged = append(c.anchors, merged), merged
		c.made = append(c.made, merged.name())
	}
	if joined {
		c.joined = len(c.anchors)
	}
	return nil
}

// mergeSpilled makes files that no commit has one, when they are many. Owner is
// held.
func (w *Writer) mergeSpilled(ctx context.Context) error {
	a := w.anchors
	c := &pendingCommit{w: w, anchors: slices.Clone(a.files)}
	if err := c.mergeAnchors(ctx, a.committed); err != nil || c.merged == nil {
		return err
	}
	w.mu.Lock()
	old := a.files[len(c.anchors)-1:]
	a.files = c.anchors
	w.mu.Unlock()
	for _, h := range old {
		h.release()                 // unmapping has nothing to lose
		w.ix.place.Remove(h.name()) // what stays is removed by the next commit
	}
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

// manifest lists the files that are committed.
func (a *anchoring) manifest() (out []manifestAnchors) {
	for i, h := range a.files[:a.committed] {
		out = append(out, manifestAnchors{h.number, h.id(), h.bytes, h.seg.Docs, i >= a.joined})
	}
	return out
}
