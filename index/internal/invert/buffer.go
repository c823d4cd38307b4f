// Package invert gathers documents in memory until they are worth a segment.
// They cannot be searched meanwhile.
//
// Where to look:
//
//	buffer.go   adding and deleting documents
//	field.go    the tokens of a field
//	terms.go    numbers for terms
//	records.go  what is stored of documents
//	columns.go  the values of columns; vectors.go: vectors
//	flush.go    turning all of it into a segment
//	order.go    numbering its documents
//	sort.go     from tokens by document to documents by term
package invert

import (
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/webquarry/quarry/index/internal/segment"
)

// Doc is an analysed document.
type Doc struct {
	Key          string
	Small, Large []byte // its records, see package segment
	Fields       []FieldTokens
	Columns      []ColumnValue
	Vectors      []VectorValue
}

// FieldTokens are the tokens of one field of a document.
type FieldTokens struct {
	Number    int // in the schema
	Name      string
	Positions bool
	Tokens    []Token // positions never fall
	// Many yields the tokens some at a time, in the place of Tokens, when there are so
	// many that they should not be in memory all at once.
	Many iter.Seq[[]Token]
}

// Token is a term and where it stands.
type Token struct {
	Term string
	Pos  uint32
}

// What things weigh, roughly, with what they need while they are flushed.
const (
	docWeight   = 120
	runWeight   = 24
	tokenWeight = 8
	termWeight  = 40
)

// Buffer holds documents. The zero value is empty and ready.
//
// Begin, Keep, Kill, Freeze, Thaw, Len and Size take turns, under a lock of the
// caller. Fill may run beside Kill. A document is begun, filled, and then kept, or
// left behind when something was wrong with it.
type Buffer struct {
	keys    terms
	places  []int32 // by the number of the key: its live document in docs; -1: none
	docs    []doc
	dead    []bool // by place: replaced or deleted
	live    int
	records records
	fields  []*field // those that documents have, in the order of their numbers
	columns
	vectors map[int]*vectorBuffer // by field
	size    int64
	frozen  bool
	late    []uint32 // places that were killed since Freeze
}

type doc struct {
	key uint32 // its number
	record
}

// Size is about how many bytes of memory the buffer takes; far more when it is
// full for other reasons.
func (b *Buffer) Size() int64 {
	full := len(b.docs) > segment.MaxDocs/2 || len(b.keys.records) > math.MaxInt32
	for _, f := range b.fields {
		full = full || f.used > math.MaxInt32 || len(f.terms.records) > math.MaxInt32
	}
	if full {
		return math.MaxInt64 / 1024
	}
	return b.size
}

// Len is the number of documents.
func (b *Buffer) Len() int { return b.live }

// Has reports whether there is a document of a key.
func (b *Buffer) Has(key string) bool {
	n, ok := b.keys.find(key)
	return ok && b.places[n] >= 0
}

// Begin starts a document and returns its place.
func (b *Buffer) Begin(key string) (place int) {
	n := b.keys.add(key)
	for int(n) >= len(b.places) {
		b.places = append(b.places, -1)
	}
	b.docs = append(b.docs, doc{key: n})
	b.dead = append(b.dead, true)
	return len(b.docs) - 1
}

// Keep makes the document of a place that of its key, in place of an earlier one.
func (b *Buffer) Keep(place int) {
	n := b.docs[place].key
	if old := b.places[n]; old >= 0 {
		b.dead[old] = true
		b.live--
	}
	b.places[n] = int32(place)
	b.dead[place] = false
	b.live++
}

// ErrTooLarge is the error of a document that takes too much.
var ErrTooLarge = errors.New("the document is too large")

// Fill takes up the document of a place; d is not used any more afterwards. When it
// takes more than limit, about, that is an error, and the document must not be kept.
func (b *Buffer) Fill(place int, d Doc, limit int64) error {
	before := b.size
	b.docs[place].record = b.records.add(d.Small, d.Large)
	b.size += int64(docWeight+len(d.Key)) + recordWeight(len(d.Small)+len(d.Large))
	if b.columns == nil {
		b.columns = columns{}
	}
	b.size += b.columns.add(place, d.Columns)
	b.size += b.addVectors(place, d.Vectors)
	for _, f := range d.Fields {
		b.size += b.field(f).add(place, f, limit-(b.size-before))
		if b.size-before > limit {
			return ErrTooLarge
		}
	}
	return nil
}

// field returns the field that tokens belong to.
func (b *Buffer) field(t FieldTokens) *field {
	i, ok := slices.BinarySearchFunc(b.fields, t.Number, func(f *field, number int) int { return f.number - number })
	if !ok {
		b.fields = slices.Insert(b.fields, i, &field{number: t.Number, name: t.Name, positions: t.Positions})
	}
	return b.fields[i]
}

// Kill removes a document and reports whether it was there.
func (b *Buffer) Kill(key string) bool {
	n, ok := b.keys.find(key)
	if !ok || b.places[n] < 0 {
		return false
	}
	place := b.places[n]
	b.dead[place] = true
	b.places[n] = -1
	b.live--
	if b.frozen {
		b.late = append(b.late, uint32(place))
	}
	return true
}

// Freeze fixes what is to be flushed, in an order; no document may be begun until
// Thaw.
func (b *Buffer) Freeze(o segment.Order) *Frozen {
	b.frozen, b.late = true, nil
	f := &Frozen{b: b, order: o, numbers: make([]uint32, len(b.docs)), places: make([]uint32, 0, b.live)}
	for place, dead := range b.dead {
		if !dead {
			f.places = append(f.places, uint32(place))
		}
	}
	return f
}

// Thaw ends what Freeze began, when the buffer is not flushed after all.
func (b *Buffer) Thaw() { b.frozen, b.late = false, nil }
