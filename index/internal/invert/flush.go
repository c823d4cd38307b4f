package invert

import (
	"bytes"
	"context"
	"slices"

	"github.com/webquarry/quarry/index/internal/segment"
)

// checkEvery is how many steps of a loop pass between looks at the context.
const checkEvery = 1024

// Frozen is the documents of a buffer that are to be flushed.
type Frozen struct {
	b       *Buffer
	order   segment.Order
	places  []uint32 // of the documents, in the order of keys once sorted
	numbers []uint32 // in the segment, by place
	ordered []uint32 // numbers by key; nil: they ascend
	sorted  bool
}

// Keys returns the keys of the documents in ascending order.
func (f *Frozen) Keys() []string {
	f.sort()
	keys := make([]string, len(f.places))
	for i, place := range f.places {
		keys[i] = string(f.key(place))
	}
	return keys
}

// Number returns the number in the segment of the i-th key.
func (f *Frozen) Number(i int) uint32 { return f.numbers[f.places[i]] }

func (f *Frozen) key(place uint32) []byte { return f.b.keys.term(f.b.docs[place].key) }

// Late returns the numbers of documents that were killed since Freeze. The
// lock must be held.
func (f *Frozen) Late() (docs []uint32) {
	for _, place := range f.b.late {
		docs = append(docs, f.numbers[place])
	}
	return docs
}

// Release gives the memory of what was flushed back.
func (f *Frozen) Release() {
	for _, field := range f.b.fields {
		field.release()
	}
	f.b.records.release()
	f.b.vectors = nil
}

func (f *Frozen) sort() {
	if f.sorted {
		return
	}
	f.sorted = true
	slices.SortFunc(f.places, func(i, j uint32) int { return bytes.Compare(f.key(i), f.key(j)) })
	for i := range f.numbers {
		f.numbers[i] = segment.NoDoc
	}
	for i, place := range f.places {
		f.numbers[place] = uint32(i)
	}
	f.number()
}

// WriteTo writes the documents to a segment. It does not finish it.
func (f *Frozen) WriteTo(ctx context.Context, w *segment.Writer) error {
	f.sort()
	for _, place := range f.places {
		w.Key(f.key(place))
	}
	w.Order(f.order, f.ordered)
	for doc, place := range f.byNumber() {
		small, large := f.b.records.of(f.b.docs[place].record)
		w.Record(uint32(doc), small, large)
		if doc%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	w.EndDocuments()
	for _, field := range f.b.fields {
		if err := f.writeField(ctx, field, w); err != nil {
			return err
		}
	}
	f.b.columns.writeTo(w, f.numbers, len(f.places))
	return f.writeVectors(ctx, w)
}

func (f *Frozen) writeField(ctx context.Context, field *field, w *segment.Writer) error {
	runs, lengths := field.byDocument(f.numbers, len(f.places))
	fw := w.Field(segment.Field{Number: field.number, Name: field.name, Positions: field.positions}, lengths)
	steps := 0
	var at []uint32
	for term, found := range newSorter(field, runs).terms {
		if steps++; steps%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for len(found) > 0 {
			doc, n := found[0].doc, 0
			at = at[:0]
			for n < len(found) && found[n].doc == doc {
				at = append(at, found[n].pos)
				n++
			}
			fw.Add(doc, uint32(n), at)
			found = found[n:]
		}
		fw.Term(field.terms.term(term))
	}
	fw.End()
	return w.Err()
}
