package index

import (
	"context"
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/vector"
)

// contentField is the number of the column that keeps a hash of what each
// document holds, see [Options.KeepUnchanged]. No field has it.
const contentField = segment.MaxField

// content returns a hash of a document without its columns of numbers and
// times, which can be set by themselves.
func (a *analyst) content(d Document) int64 {
	h := xxh3.New()
	var size [binary.MaxVarintLen64]byte
	add := func(s string) {
		h.Write(binary.AppendUvarint(size[:0], uint64(len(s))))
		h.WriteString(s)
	}
	add(d.Language)
	for _, f := range d.Fields {
		if a.schema[a.numbers[f.Name]].Kind >= schema.Integer {
			continue
		}
		add(f.Name)
		kind := byte(0)
		if _, ok := f.Value.([]string); ok {
			kind = 1
		}
		h.Write([]byte{1, kind})
		for s := range f.values() {
			add(s)
		}
		if v, ok := f.Value.([]float32); ok {
			add(string(vector.AppendFloats(nil, v)))
		}
		h.Write([]byte{0})
	}
	return int64(h.Sum64())
}

// keepUnchanged reports whether a document is there already as it is. It has
// its columns of numbers and times set then, where they differ.
func (w *Writer) keepUnchanged(ctx context.Context, d Document, content int64) (same bool, err error) {
	if w.gathering.newest(d.Key) != nil {
		return false, nil
	}
	spots, err := w.find(d.Key)
	if err != nil || len(spots) != 1 {
		return false, w.fail(ctx, err)
	}
	at := spots[0]
	if n, ok, err := at.column(contentField); err != nil || !ok || n != content {
		return false, w.fail(ctx, err)
	}
	changed := map[int]commit.Value{}
	for field, t := range w.analyst.schema {
		if t.Kind < schema.Integer {
			continue
		}
		next := commit.Value{}
		for _, f := range d.Fields {
			if f.Name == t.Name {
				next.Number, next.OK, _ = schema.ToNumber(t.Kind, f.Value) // it was checked
			}
		}
		n, ok, err := at.column(field)
		if err != nil {
			return false, w.fail(ctx, err)
		}
		if ok != next.OK || n != next.Number {
			changed[field] = next
		}
	}
	w.counts.Unchanged++
	if len(changed) > 0 {
		at.part.set(at.doc, changed)
		w.state.changed = true
		w.touch()
	}
	return true, nil
}

// column returns what a document has in a column of numbers, as the next commit
// will have it.
func (s spot) column(field int) (n int64, ok bool, err error) {
	for _, of := range []commit.Sets{s.part.sets, s.part.committing} {
		if v, set := of[field][s.doc]; set {
			return v.Number, v.OK, nil
		}
	}
	err = fault.Guard("reading a column", func() error {
		c, err := s.part.columns.Open(s.part.File, field)
		if err != nil || c == nil {
			return err
		}
		cursor := c.Cursor()
		n, ok = cursor.At(s.doc)
		return fault.Damage(s.part.columns.Name(s.part.File, field), cursor.Err())
	})
	return n, ok, err
}

// contentColumn is what a document has in the column of hashes.
func contentColumn(content int64) invert.ColumnValue {
	return invert.ColumnValue{Field: contentField, Number: content}
}
