package segment

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/postings"
)

// Source is a segment to merge, without its deleted documents.
type Source struct {
	Segment *Segment
	Deleted *bitset.Set         // nil: none
	Columns map[int]column.File // by field: columns that are not in the segment
	Fields  []*FieldReader      // in the place of those of the segment
}

// field finds a field by its name.
func (s Source) field(name string) (*FieldReader, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return s.Segment.Field(name)
}

var errSameKey = errors.New("two segments hold the same live document")

// checkEvery is how many steps of a loop pass between looks at the context.
const checkEvery = 1024

// Merge writes what the sources hold to w, in an order. It returns, for each
// source, the new numbers of its documents; [NoDoc] of those deleted. It keeps in
// memory a dozen bytes for each document, or two dozen in another order than that
// of keys, four more while a field is merged, and one list of documents.
func Merge(ctx context.Context, w *Writer, sources []Source, o Order) (moved [][]uint32, err error) {
	m := &merger{ctx: ctx, w: w, sources: sources, most: mostGathered}
	return m.merge(o)
}

func (m *merger) merge(o Order) (moved [][]uint32, err error) {
	if err := m.number(o); err != nil {
		return nil, err
	}
	if err := m.records(); err != nil {
		return nil, err
	}
	for _, f := range m.fields() {
		var of []Moved
		for i, s := range m.sources {
			if r, ok := s.field(f.Name); ok {
				of = append(of, Moved{r, m.moved[i]})
			}
		}
		if err := m.field(f, of); err != nil {
			return nil, err
		}
	}
	if err := m.columns(); err != nil {
		return nil, err
	}
	if err := m.vectors(); err != nil {
		return nil, err
	}
	return m.moved, m.w.Err()
}

type merger struct {
	ctx     context.Context
	w       *Writer
	sources []Source
	moved   [][]uint32
	docs    uint32 // in all, without those deleted
	steps   int
	most    int // bytes that are gathered at a time

	scattered bool // documents of some source come in another order than there
}

func (m *merger) check() error {
	if m.steps++; m.steps%checkEvery == 0 && m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	return nil
}

// keys merges the keys, and numbers the documents like these.
func (m *merger) keys(each func(key []byte)) error {
	var walks []*docWalk
	for i, s := range m.sources {
		m.moved = append(m.moved, make([]uint32, s.Segment.Docs))
		places, err := s.Segment.Places()
		if err != nil {
			return err
		}
		d := &docWalk{source: s, places: places, moved: m.moved[i], keys: s.Segment.Keys.Iter()}
		if d.next() {
			walks = append(walks, d)
		} else if err := d.keys.Err(); err != nil {
			return err
		}
	}
	var last []byte
	for len(walks) > 0 {
		if err := m.check(); err != nil {
			return err
		}
		at := 0
		for i := 1; i < len(walks); i++ {
			if bytes.Compare(walks[i].keys.Text(), walks[at].keys.Text()) < 0 {
				at = i
			}
		}
		d := walks[at]
		if m.docs > 0 && bytes.Compare(last, d.keys.Text()) >= 0 {
			return errSameKey
		}
		last = append(last[:0], d.keys.Text()...)
		m.w.Key(last)
		each(last)
		d.moved[d.doc] = m.docs
		m.docs++
		if !d.next() {
			if err := d.keys.Err(); err != nil {
				return err
			}
			walks = append(walks[:at], walks[at+1:]...)
		}
	}
	return m.w.Err()
}

// records copies what is stored.
func (m *merger) records() error {
	for i, s := range m.sources {
		gone := func(doc uint32) bool { return m.moved[i][doc] == NoDoc }
		if err := m.w.large.Copy(m.ctx, s.Segment.large, m.moved[i], gone); err != nil {
			return err
		}
		if err := m.w.small.Copy(m.ctx, s.Segment.small, m.moved[i], gone); err != nil {
			return err
		}
	}
	m.w.EndDocuments()
	return m.w.Err()
}

// docWalk walks the live documents of a source.
type docWalk struct {
	source Source
	places Places
	moved  []uint32
	keys   *front.Iter
	doc    uint32
}

func (d *docWalk) next() bool {
	for d.keys.Next() {
		d.doc = d.places.Doc(uint32(d.keys.Place()))
		if !d.source.Deleted.Has(d.doc) {
			return true
		}
		d.moved[d.doc] = NoDoc
	}
	return false
}

// fields returns the fields of all sources, by number.
func (m *merger) fields() []Field {
	var out []Field
	for _, s := range m.sources {
		for _, f := range slices.Concat(s.Segment.Fields, s.Fields) {
			i := 0
			for i < len(out) && out[i].Number < f.Number {
				i++
			}
			if i == len(out) || out[i].Number != f.Number {
				out = append(out[:i], append([]Field{f.Field}, out[i:]...)...)
			}
		}
	}
	return out
}

// field merges the lists of a field.
func (m *merger) field(f Field, sources []Moved) error {
	lengths := make([]uint32, m.docs)
	var terms []*termWalk
	for _, s := range sources {
		of, err := s.Field.Lengths()
		if err != nil {
			return err
		}
		for old, doc := range s.To {
			if doc != NoDoc {
				lengths[doc] = of.At(uint32(old))
			}
		}
		t := &termWalk{field: s.Field, moved: s.To, terms: s.Field.Dict.Iter()}
		if t.terms.Next() {
			terms = append(terms, t)
		} else if err := t.terms.Err(); err != nil {
			return err
		}
	}
	return m.terms(m.w.Field(f, lengths), terms)
}

// terms merges dictionaries.
func (m *merger) terms(fw *FieldWriter, walks []*termWalk) error {
	var same []*termWalk // those at the least term
	lists := m.lists
	if m.scattered {
		lists = (&scatter{merger: m}).lists
	}
	for len(walks) > 0 {
		same = append(same[:0], walks[0])
		for _, t := range walks[1:] {
			switch c := bytes.Compare(t.terms.Term(), same[0].terms.Term()); {
			case c < 0:
				same = append(same[:0], t)
			case c == 0:
				same = append(same, t)
			}
		}
		term := bytes.Clone(same[0].terms.Term())
		if err := lists(fw, same); err != nil {
			return err
		}
		fw.Term(term)
		for _, t := range same {
			if t.terms.Next() {
				continue
			}
			if err := t.terms.Err(); err != nil {
				return err
			}
			walks = remove(walks, t)
		}
	}
	fw.End()
	return m.w.Err()
}

func remove(walks []*termWalk, t *termWalk) []*termWalk {
	for i := range walks {
		if walks[i] == t {
			return append(walks[:i], walks[i+1:]...)
		}
	}
	return walks
}

// lists merges the lists of one term.
func (m *merger) lists(fw *FieldWriter, walks []*termWalk) error {
	for _, t := range walks {
		if err := t.open(); err != nil {
			return err
		}
	}
	for {
		var least *termWalk
		for _, t := range walks {
			if t.doc != NoDoc && (least == nil || t.doc < least.doc) {
				least = t
			}
		}
		if least == nil {
			return nil
		}
		if err := m.check(); err != nil {
			return err
		}
		fw.Copy(least.doc, &least.cursor)
		if err := least.cursor.Err(); err != nil {
			return err
		}
		if err := least.next(); err != nil {
			return err
		}
	}
}

// termWalk walks the dictionary of a source and the list of its term.
type termWalk struct {
	field  *FieldReader
	moved  []uint32
	terms  *postings.Terms
	cursor postings.Cursor
	doc    uint32 // by its new number; NoDoc at the end of the list
}

func (t *termWalk) open() error {
	e, err := t.terms.Entry()
	if err != nil {
		return err
	}
	t.field.Lists.Reset(&t.cursor, e)
	return t.next()
}

func (t *termWalk) next() error {
	for {
		old := t.cursor.Next()
		if old == postings.End {
			t.doc = NoDoc
			return t.cursor.Err()
		}
		if t.doc = t.moved[old]; t.doc != NoDoc {
			return nil
		}
	}
}
