package invert

import (
	"iter"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/segment"
)

// ColumnValue is what a document has in a column: a number or strings.
type ColumnValue struct {
	Field   int // number in the schema
	Number  int64
	Strings []string // of a column of strings
	IsText  bool
}

// What a value of a column weighs, roughly.
const valueWeight = 24

// columns hold the values of all columns, by field.
type columns map[int]*columnBuffer

// columnBuffer holds the values of a column, in the order they came.
type columnBuffer struct {
	text    bool
	numbers []numbered // the last of a document counts
	ids     map[string]uint32
	terms   []string // by id
	strings column.Strings
}

type numbered struct {
	place  int // in Buffer.docs
	number int64
}

// add adds the values of a document and returns what they weigh.
func (c columns) add(place int, values []ColumnValue) (weight int64) {
	for _, v := range values {
		b := c[v.Field]
		if b == nil {
			b = &columnBuffer{text: v.IsText, ids: map[string]uint32{}}
			c[v.Field] = b
		}
		weight += valueWeight
		if !v.IsText {
			b.numbers = append(b.numbers, numbered{place, v.Number})
			continue
		}
		for _, s := range v.Strings {
			id, ok := b.ids[s]
			if !ok {
				s = strings.Clone(s)
				id = uint32(len(b.terms))
				b.ids[s] = id
				b.terms = append(b.terms, s)
				weight += int64(termWeight + len(s))
			}
			b.strings.Add(uint32(place), id)
			weight += valueWeight
		}
	}
	return weight
}

// writeTo writes all columns. Number gives the documents by place.
func (c columns) writeTo(w *segment.Writer, number []uint32, docs int) {
	fields := make([]int, 0, len(c))
	for f := range c {
		fields = append(fields, f)
	}
	slices.Sort(fields)
	for _, f := range fields {
		if b := c[f]; b.text {
			b.writeStrings(w, f, number)
		} else {
			v := column.NewValues(docs)
			b.valuesTo(v, number)
			w.Numbers(f, v)
		}
	}
}

func (b *columnBuffer) valuesTo(v column.Values, number []uint32) {
	for _, n := range b.numbers {
		if doc := number[n.place]; doc != segment.NoDoc {
			v.Set(int(doc), n.number)
		}
	}
}

func (b *columnBuffer) writeStrings(w *segment.Writer, field int, number []uint32) {
	var live column.Strings
	used := make([]bool, len(b.terms))
	for place, id := range b.strings.All() {
		if number[place] != segment.NoDoc {
			used[id] = true
		}
	}
	var terms []string
	for id, s := range b.terms {
		if used[id] {
			terms = append(terms, s)
		}
	}
	slices.Sort(terms)
	places := make([]uint32, len(b.terms))
	for i, s := range terms {
		places[b.ids[s]] = uint32(i)
	}
	for place, id := range b.strings.All() {
		if doc := number[place]; doc != segment.NoDoc {
			live.Add(doc, places[id])
		}
	}
	w.Strings(field, each(terms), live)
}

func each(terms []string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, s := range terms {
			if !yield([]byte(s)) {
				return
			}
		}
	}
}
