package index

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/links"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
)

// anchoring is the anchors of a writer. What came since the last commit waits in
// memory; a commit, or too little memory, puts it in a file anchors-N.
//
// Such a file is a segment without fields: its keys are targets and sources of links, and its
// records all that is known of one at that time. Of several files the newest that
// has a key counts. The file is what is known of links; what is searched is
// made of it for each segment, see join.go.
//
// All of it is guarded by the writer's mutex; the files change only while owner is
// held, too.
type anchoring struct {
	field     int // number in the schema; -1: there is none
	most      int // anchors of one host
	waiting   map[string][]links.Link
	set       map[string][]string // by sources whose links were set at once: of what they say something now, ascending
	bytes     int64               // that are waiting
	files     []*commit.File      // oldest first
	committed int                 // how many of the files the last commit has
	joined    int                 // how many of these all documents of the last commit have
	due       *time.Timer         // until the others are joined; nil: nothing is to be joined
	took      time.Duration       // the last time that others were joined
}

func newAnchoring(s schema.Fields) *anchoring {
	a := &anchoring{field: s.Anchors(), waiting: map[string][]links.Link{}, set: map[string][]string{}}
	if a.field >= 0 {
		a.most = s[a.field].Anchors
	}
	return a
}

func (a *anchoring) add(links []links.Link) {
	for _, l := range links {
		a.waiting[l.Target] = append(a.waiting[l.Target], l)
		a.bytes += l.Size()
	}
}

// setTargets keeps of which targets a source says something now, and takes back what it said
// of others in links that are waiting. What it said in files is taken back when they are written.
func (a *anchoring) setTargets(source string, targets []string) {
	old, known := a.set[source]
	for _, l := range takenBack(source, old, targets) {
		a.add([]links.Link{l})
	}
	if !known {
		a.bytes += int64(120 + len(source))
	}
	a.set[source] = targets
	for _, t := range targets {
		a.bytes += int64(16 + len(t))
	}
}

// takenBack returns links that take back what a source said of targets which are not among
// those of now.
func takenBack(source string, old, now []string) (back []links.Link) {
	for _, t := range old {
		if _, still := slices.BinarySearch(now, t); !still {
			back = append(back, links.Link{Target: t, Source: source})
		}
	}
	return back
}

// keep begins with the files of the last commit.
func (a *anchoring) keep(files []*commit.File, m []commit.Anchors) {
	a.files, a.committed = commit.RetainAll(files), len(files)
	for a.joined < len(m) && !m[a.joined].Waiting {
		a.joined++
	}
}

// behind reports whether documents of the last commit lack anchors of it.
func (a *anchoring) behind() bool { return a.joined < a.committed }

// spillAnchors puts what is waiting in a file. Keys of which the same is kept as before
// are left out. Owner is held.
func (w *Writer) spillAnchors(ctx context.Context) error {
	a := w.anchors
	w.mu.Lock()
	waiting, set := a.waiting, a.set
	a.waiting, a.set, a.bytes = map[string][]links.Link{}, map[string][]string{}, 0
	w.mu.Unlock()
	if len(waiting) == 0 && len(set) == 0 {
		return nil
	}
	var h *commit.File
	err := errors.New("index: a panic while anchors were written")
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if err != nil {
			a.putBack(waiting, set)
		} else if h != nil {
			a.files = append(a.files, h)
		}
	}()
	h, err = w.writeAnchors(func(out *segment.Writer) error {
		known := links.NewReaders(a.files)
		back, err := takenBackOf(ctx, known, waiting, set)
		if err != nil {
			return err
		}
		for _, key := range keysOfAll(waiting, set, back) {
			of, err := known.Find(key)
			if err != nil {
				return err
			}
			next := of
			for _, some := range [][]links.Link{back[key], waiting[key]} {
				for _, l := range some {
					if ctx.Err() != nil {
						return context.Cause(ctx)
					}
					next.Anchors = links.Fold(next.Anchors, l, a.most)
				}
			}
			if targets, ok := set[key]; ok {
				next.Targets = targets
			}
			if !links.Same(of.Anchors, next.Anchors) || !slices.Equal(of.Targets, next.Targets) {
				small, large := links.Record(next)
				out.Document([]byte(key), small, large)
			}
		}
		return nil
	})
	return err
}

// takenBackOf returns, by target, links that take back what sources whose links were set said in
// files, and of which they say nothing in those that are waiting.
func takenBackOf(ctx context.Context, known links.Readers, waiting map[string][]links.Link, set map[string][]string) (map[string][]links.Link, error) {
	back := make(map[string][]links.Link)
	for _, source := range slices.Sorted(maps.Keys(set)) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		before, err := known.Find(source)
		if err != nil {
			return nil, err
		}
		for _, l := range takenBack(source, before.Targets, set[source]) {
			if !slices.ContainsFunc(waiting[l.Target], func(o links.Link) bool { return o.Source == source }) {
				back[l.Target] = append(back[l.Target], l)
			}
		}
	}
	return back, nil
}

// keysOfAll returns the keys that something is to be written of, ascending.
func keysOfAll(waiting map[string][]links.Link, set map[string][]string, back map[string][]links.Link) []string {
	keys := slices.Collect(maps.Keys(waiting))
	keys = slices.AppendSeq(slices.AppendSeq(keys, maps.Keys(set)), maps.Keys(back))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// putBack puts links before those that have come since.
func (a *anchoring) putBack(waiting map[string][]links.Link, set map[string][]string) {
	for source, old := range set {
		now, newer := a.set[source]
		if !newer {
			a.setTargets(source, old)
			continue
		}
		for _, l := range takenBack(source, old, now) {
			waiting[l.Target] = append(waiting[l.Target], l)
		}
	}
	for target, of := range waiting {
		a.waiting[target] = append(slices.Clip(of), a.waiting[target]...)
		for _, l := range of {
			a.bytes += l.Size()
		}
	}
}

// writeAnchors writes a file of anchors; none when fill adds nothing.
func (w *Writer) writeAnchors(fill func(*segment.Writer) error) (*commit.File, error) {
	number := w.takeNumber()
	name := commit.AnchorsName(number)
	out, err := segment.Create(w.ix.place, name, w.ix.files.ID, w.ix.files.Codec)
	if err != nil {
		return nil, err
	}
	err = fill(out)
	for _, h := range w.anchors.files { // what was read of them may be anything
		err = cmp.Or(err, h.Changed())
	}
	if err != nil || out.Docs() == 0 {
		return nil, errors.Join(err, out.Abort())
	}
	out.EndDocuments()
	if _, err := out.Finish(); err != nil {
		return nil, err
	}
	return commit.Open(w.ix.place, number, name, pagefile.ID{}, w.ix.files.Codec)
}

// mergeAnchors makes the newest files one, but the first ones, when they are many.
// When these are all files, and all documents have what they hold, keys of which nothing
// is kept are left out.
func (c *pendingCommit) mergeAnchors(ctx context.Context, first int) error {
	from := links.Crowded(c.anchors, first)
	of := links.NewReaders(c.anchors[from:])
	if len(of) == 0 {
		return nil
	}
	slices.Reverse(of) // the newest first
	joined := c.joined == len(c.anchors)
	merged, err := c.w.writeAnchors(func(out *segment.Writer) error { return of.CopyTo(ctx, out, joined && from == 0) })
	if err != nil {
		return err
	}
	c.anchors = slices.Clip(c.anchors[:from])
	if merged != nil {
		c.anchors, c.merged = append(c.anchors, merged), merged
		c.made = append(c.made, merged.Name())
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
		h.Release()                 // unmapping has nothing to lose
		w.ix.place.Remove(h.Name()) // what stays is removed by the next commit
	}
	return nil
}

// manifest lists the files that are committed.
func (a *anchoring) manifest() (out []commit.Anchors) {
	for i, h := range a.files[:a.committed] {
		out = append(out, commit.Anchors{Number: h.Number, ID: h.ID(), Bytes: h.Bytes, Targets: h.Seg.Docs, Waiting: i >= a.joined})
	}
	return out
}
