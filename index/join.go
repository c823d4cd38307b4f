package index

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
)

// Anchors are searched as a field like any other. As they come without their
// documents, the field of a segment is written anew, to a file column-N that
// stands in for it, when documents of the segment have new anchors, or when new
// documents meet anchors that wait for them. When the segment is merged the field
// goes into the new one.

// joined is a field of anchors that was written for a part.
type joined struct {
	*columnFile
	docs []uint32 // whose anchors are new
}

// located says where the anchors of a document are.
type located struct {
	doc   uint32
	file  int
	place uint32 // NoDoc: it has none
}

// joinAnchors writes the fields of all parts that have documents with new
// anchors; unless all, only of those that no commit has. The parts stay as they
// are.
func (w *Writer) joinAnchors(ctx context.Context, all bool) (map[*part]joined, error) {
	out := map[*part]joined{}
	files := newAnchorReaders(w.anchors.files)
	for _, p := range w.parts {
		if len(files) == 0 || p.live() == 0 || p.anchored && !all {
			continue
		}
		of, err := p.locate(ctx, files, w.anchors.joined, p.deleted)
		if err == nil && len(of) > 0 {
			var f *columnFile
			if f, err = w.join(ctx, p, of, files); err == nil {
				out[p] = joined{f, docsOf(of)}
			}
		}
		if err != nil {
			w.discard(out)
			return nil, err
		}
	}
	return out, nil
}

func docsOf(of []located) (docs []uint32) {
	for _, l := range of {
		docs = append(docs, l.doc)
	}
	return docs
}

func (w *Writer) discard(files map[*part]joined) {
	for _, f := range files {
		f.release()
		w.ix.place.Remove(f.name()) // what stays is removed by the next commit
	}
}

// locate finds the live documents of a part that have new anchors: of a part that
// is in the last commit, those in files that are not joined.
func (p *part) locate(ctx context.Context, files anchorReaders, joined int, deleted *bitset.Set) (out []located, err error) {
	oldest := 0
	if p.anchored {
		oldest = joined
	}
	seen := map[uint32]bool{}
	for i := len(files) - 1; i >= oldest; i-- {
		err := p.eachCommon(ctx, files[i].handle, func(doc, place uint32) {
			if !seen[doc] && !deleted.Has(doc) {
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
func (h *handle) eachCommon(ctx context.Context, o *handle, f func(at, other uint32)) error {
	if h.seg.Docs > o.seg.Docs {
		return o.eachCommon(ctx, h, func(other, at uint32) { f(at, other) })
	}
	places, err := h.seg.Places()
	if err != nil {
		return damage(h.name(), err)
	}
	others, err := o.seg.Places()
	if err != nil {
		return damage(o.name(), err)
	}
	keys := h.seg.Keys.Iter()
	for keys.Next() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		other, ok, err := o.seg.Keys.Find(keys.Text())
		if err != nil {
			return damage(o.name(), err)
		}
		if ok {
			f(places.Doc(uint32(keys.Place())), others.Doc(uint32(other)))
		}
	}
	return damage(h.name(), keys.Err())
}

// join writes the field of a part as it is with the new anchors of some of its
// documents.
func (w *Writer) join(ctx context.Context, p *part, of []located, files anchorReaders) (*columnFile, error) {
	number := w.state.next
	w.state.next++
	out, err := segment.CreateFields(w.ix.place, columnName(number), p.seg.Docs)
	if err != nil {
		return nil, err
	}
	name := w.analyst.schema[w.anchors.field].Name
	from, err := w.invert(ctx, p, of, files)
	if err == nil {
		if old, ok := p.columns.field(p.handle, name); ok {
			from = append(from, segment.Moved{Field: old, To: others(of, p.seg.Docs)})
		}
		err = segment.MergeField(ctx, out, segment.Field{Number: w.anchors.field, Name: name, Positions: true}, from)
	}
	if err != nil {
		return nil, errors.Join(p.columns.damage(p.handle, err), out.Abort())
	}
	if _, err := out.Finish(); err != nil {
		return nil, err
	}
	return openColumnFile(w.ix.place, number)
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
func (w *Writer) invert(ctx context.Context, p *part, of []located, files anchorReaders) (out []segment.Moved, err error) {
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
		key, err := p.seg.Key(l.doc)
		if err != nil {
			return nil, damage(p.name(), err)
		}
		anchors, err := files[l.file].at(key, l.place)
		if err != nil {
			return nil, err
		}
		var d invert.Doc
		err = guarded("analyzer", func() error { d = w.analyst.anchors(w.anchors.field, key, anchors); return nil })
		if err != nil {
			return nil, err
		}
		b.Fill(b.Begin(key), d)
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
	out, err := segment.Create(in, "anchors", w.ix.codec)
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
	s, err := segment.Open(m.Bytes, w.ix.codec)
	if err != nil || len(s.Fields) == 0 {
		return nil, err
	}
	return s.Fields[0], nil
}

// anchors returns a document that has only anchors.
func (a *analyst) anchors(field int, key string, of []Anchor) invert.Doc {
	texts := make([]string, len(of))
	for i, a := range of {
		texts[i] = a.Text
	}
	t := a.schema[field]
	language := speech{doc: Document{Fields: []Field{{t.Name, texts}}}}
	d := invert.Doc{Key: key}
	if tokens, _ := words(nil, language.of(a.analyzers[t.Analyzer]), texts); len(tokens) > 0 {
		d.Fields = []invert.FieldTokens{{Number: field, Name: t.Name, Positions: true, Tokens: tokens}}
	}
	return d
}

// commitAnchors makes a field that was written that of a part. A merge under way
// has not seen it.
func (p *part) commitAnchors(field int, f joined, jobs []*job) {
	p.anchored = true
	if f.columnFile == nil {
		return
	}
	p.columns = p.columns.with(f.columnFile, slices.Values([]int{field}))
	for _, j := range jobs {
		if j.has(p) {
			j.anchors[p] = append(j.anchors[p], f.docs...)
		}
	}
}
