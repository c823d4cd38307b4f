package index

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/links"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
)

// Anchors are searched as a field like any other. As they come without their
// documents, the field of a segment is written anew, to a file column-N that
// stands in for it, when documents of the segment have new anchors, or when new
// documents meet anchors that wait for them. When the segment is merged the field
// goes into the new one.

// located says where the anchors of a document are.
type located struct {
	doc   uint32
	file  int
	place uint32 // NoDoc: it has none
}

// join gives a part the anchors that are new for its documents, of all files that
// the commit has.
func (c *pendingCommit) join(ctx context.Context, p *pendingPart, files links.Readers) error {
	of, err := p.locate(ctx, files, c.joined)
	if err != nil {
		return err
	}
	return c.joinLocated(ctx, p, of, files)
}

// locate finds the live documents of a part that have new anchors: of a part that
// is in the last commit, those in files that are not joined.
func (p *pendingPart) locate(ctx context.Context, files links.Readers, joined int) (out []located, err error) {
	oldest := 0
	if p.anchored {
		oldest = joined
	}
	seen := map[uint32]bool{}
	for i := len(files) - 1; i >= oldest; i-- {
		err := eachCommon(ctx, p.File, files[i].File, func(doc, place uint32) {
			if !seen[doc] && !p.deleted.Has(doc) {
				seen[doc] = true
				out = append(out, located{doc, i, place})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b located) int { return cmp.Compare(a.doc, b.doc) })
	return out, nil
}

// eachCommon calls f with the places of each key that is in both.
func eachCommon(ctx context.Context, h, o *commit.File, f func(at, other uint32)) error {
	if h.Seg.Docs > o.Seg.Docs {
		return eachCommon(ctx, o, h, func(other, at uint32) { f(at, other) })
	}
	places, err := h.Seg.Places()
	if err != nil {
		return fault.Damage(h.Name(), err)
	}
	others, err := o.Seg.Places()
	if err != nil {
		return fault.Damage(o.Name(), err)
	}
	keys := h.Seg.Keys.Iter()
	for keys.Next() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		other, ok, err := o.Seg.Keys.Find(keys.Text())
		if err != nil {
			return fault.Damage(o.Name(), err)
		}
		if ok {
			f(places.Doc(uint32(keys.Place())), others.Doc(uint32(other)))
		}
	}
	return fault.Damage(h.Name(), keys.Err())
}

// joinLocated writes the field of a part as it is with the new anchors of some of
// its documents.
func (c *pendingCommit) joinLocated(ctx context.Context, p *pendingPart, of []located, files links.Readers) error {
	if len(of) == 0 {
		return nil
	}
	w := c.w
	number := w.takeNumber()
	out, err := segment.CreateFields(w.ix.place, commit.ColumnName(number), w.ix.files.ID, p.Seg.Docs)
	if err != nil {
		return err
	}
	field := w.anchors.field
	name := w.analyst.schema[field].Name
	from, err := w.invert(ctx, p.part, of, files)
	if err == nil {
		if old, ok := p.columns.Field(p.File, name); ok {
			from = append(from, segment.Moved{Field: old, To: others(of, p.Seg.Docs)})
		}
		err = segment.MergeField(ctx, out, segment.Field{Number: field, Name: name, Positions: true}, from)
	}
	if err != nil {
		return errors.Join(p.columns.Damage(p.File, err), out.Abort())
	}
	if _, err := out.Finish(); err != nil {
		return err
	}
	f, err := commit.OpenColumnFile(w.ix.place, number, pagefile.ID{})
	if err != nil {
		return err
	}
	c.put(p, f, slices.Values([]int{field}))
	for _, l := range of {
		p.linked = append(p.linked, l.doc)
	}
	return nil
}

// others numbers all documents but these as they are.
func others(than []located, docs uint32) []uint32 {
	out := make([]uint32, docs)
	for doc := range out {
		out[doc] = uint32(doc)
	}
	for _, l := range than {
		out[l.doc] = segment.NoDoc
	}
	return out
}

// inverted is how much is gathered before it is inverted, in bytes.
const inverted = 8 << 20

// invert makes fields of the anchors of documents.
func (w *Writer) invert(ctx context.Context, p *part, of []located, files links.Readers) (out []segment.Moved, err error) {
	b, numbers := new(invert.Buffer), []uint32(nil)
	flush := func() error {
		f, err := w.invertBuffer(ctx, b)
		if f != nil {
			out = append(out, segment.Moved{Field: f, To: numbers})
		}
		b, numbers = new(invert.Buffer), nil
		return err
	}
	for _, l := range of {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		key, err := p.Seg.Key(l.doc)
		if err != nil {
			return nil, fault.Damage(p.Name(), err)
		}
		var known links.Entry
		if l.place != segment.NoDoc {
			if known, err = files[l.file].At(key, l.place); err != nil {
				return nil, err
			}
		}
		d, err := w.analyst.anchors(ctx, w.anchors.field, key, known.Anchors, func() (string, error) { return commit.LanguageOf(p.Seg, l.doc) })
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			w.mu.Lock()
			w.counts.AnchorsSkipped++
			w.mu.Unlock()
		}
		place := b.Begin(key)
		if err := b.Fill(place, d, math.MaxInt64); err != nil {
			return nil, err
		}
		b.Keep(place)
		if numbers = append(numbers, l.doc); b.Size() > inverted {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return out, flush()
}

// invertBuffer makes a field, in memory, of a buffer; nil when there are no
// words.
func (w *Writer) invertBuffer(ctx context.Context, b *invert.Buffer) (*segment.FieldReader, error) {
	in, f := store.NewMemory(), b.Freeze(segment.Order{By: segment.AsGiven}) // as numbers are
	defer f.Release()
	out, err := segment.Create(in, "anchors", 0, w.ix.files.Codec)
	if err != nil {
		return nil, err
	}
	if err := f.WriteTo(ctx, out); err != nil {
		return nil, errors.Join(err, out.Abort())
	}
	if _, err := out.Finish(); err != nil {
		return nil, err
	}
	m, err := in.Map("anchors")
	if err != nil {
		return nil, err
	}
	s, err := segment.Open(m.Bytes, w.ix.files.Codec)
	if err != nil || len(s.Fields) == 0 {
		return nil, err
	}
	return s.Fields[0], nil
}

// anchors returns a document that has only anchors: none, with an error, when the
// analyzer panics over them. They are in the language of the document that they lead to.
func (a *analyst) anchors(ctx context.Context, field int, key string, of []links.Anchor, language func() (string, error)) (invert.Doc, error) {
	texts := links.Texts(of)
	t := a.schema[field]
	d := invert.Doc{Key: key}
	err := fault.Guard("analyzer", func() error {
		analyzer := a.analyzers[t.Analyzer]
		if l, ok := analyzer.(analysis.Localizer); ok {
			code, err := language()
			if err != nil {
				return err
			}
			analyzer = l.In(code)
		}
		all := newTokenizer(ctx, analyzer, texts)
		if tokens := all.all(nil); len(tokens) > 0 && all.err == nil {
			d.Fields = []invert.FieldTokens{{Number: field, Name: t.Name, Positions: true, Tokens: tokens}}
		}
		return all.err
	})
	return d, err
}

// joinCommitted joins the anchors of the last commit that were left to a later
// time, see [Options.AnchorsWithin], in a commit of its own: what is not committed
// stays so. Owner is held.
func (w *Writer) joinCommitted(ctx context.Context) error {
	w.mu.Lock()
	w.anchors.stop()
	behind := w.anchors.behind()
	w.mu.Unlock()
	if !behind {
		return nil
	}
	from := time.Now()
	c := w.pending()
	err := fault.Guard("joining", func() error {
		files := links.NewReaders(c.anchors)
		for _, p := range c.parts {
			if err := c.join(ctx, p, files); err != nil {
				return err
			}
		}
		c.joined = len(c.anchors)
		if err := c.mergeAnchors(ctx, 0); err != nil {
			return err
		}
		return c.publish()
	})
	w.mu.Lock()
	w.anchors.took = time.Since(from)
	if err != nil {
		err = w.fail(ctx, err)
		w.mu.Unlock()
		c.undo()
		return err
	}
	c.install()
	w.mu.Unlock()
	w.collect()
	return nil
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
	w.background(func() {
		if w.own(w.ctx) == nil {
			defer w.disown()
			w.joinCommitted(w.ctx)
		}
	})
}

// lateAnchors gives a merged part the anchors that were committed for its sources
// since they were read.
func (c *pendingCommit) lateAnchors(ctx context.Context, j *job, merged *pendingPart, moved [][]uint32) error {
	files := links.NewReaders(c.anchors)
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
		if err := of[i].find(merged.File, files); err != nil {
			return err
		}
	}
	return c.joinLocated(ctx, merged, of, files)
}

// find looks for the anchors of a document of a segment.
func (l *located) find(h *commit.File, files links.Readers) error {
	key, err := h.Seg.Key(l.doc)
	if err != nil {
		return fault.Damage(h.Name(), err)
	}
	l.place = segment.NoDoc
	for i, f := range slices.Backward(files) {
		if l.place, err = f.Seg.Find(key); err != nil {
			return fault.Damage(f.Name(), err)
		}
		if l.file = i; l.place != segment.NoDoc {
			break
		}
	}
	return nil
}
