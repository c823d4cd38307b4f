package invert

import (
	"context"
	"maps"
	"slices"

	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/vector"
)

// VectorValue is a vector of a document.
type VectorValue struct {
	Field   int // number in the schema
	Options vector.Options
	Vector  []float32
}

// vectorBuffer holds the vectors of a field, in the order they came.
type vectorBuffer struct {
	options vector.Options
	places  []int  // in Buffer.docs
	rows    []byte // as they are written
}

// addVectors adds the vectors of a document and returns what they weigh.
func (b *Buffer) addVectors(place int, values []VectorValue) (weight int64) {
	for _, v := range values {
		of := b.vectors[v.Field]
		if of == nil {
			if b.vectors == nil {
				b.vectors = map[int]*vectorBuffer{}
			}
			of = &vectorBuffer{options: v.Options}
			b.vectors[v.Field] = of
		}
		of.places = append(of.places, place)
		of.rows = vector.AppendFloats(of.rows, v.Vector)
		weight += valueWeight + v.Options.Memory()
	}
	return weight
}

// writeVectors writes the vectors of all fields.
func (f *Frozen) writeVectors(ctx context.Context, w *segment.Writer) error {
	for _, field := range slices.Sorted(maps.Keys(f.b.vectors)) {
		of := f.b.vectors[field]
		size := len(of.rows) / max(1, len(of.places))
		rows := make([][]byte, len(f.places)) // by document
		some := false
		for i, place := range of.places {
			if doc := f.numbers[place]; doc != segment.NoDoc {
				rows[doc], some = of.rows[i*size:(i+1)*size], true
			}
		}
		if !some {
			continue
		}
		each := func(yield func(uint32, []byte) bool) {
			for doc, row := range rows {
				if row != nil && !yield(uint32(doc), row) {
					return
				}
			}
		}
		w.Vectors(ctx, field, of.options, each, nil)
	}
	return w.Err()
}
