package exec

import (
	"math"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/segment"
)

// rangePlan is a range of the values of a column, by view.
type rangePlan struct {
	column *ColumnPlan
	commit *Collection
	lo, hi []int64
}

func (p *rangePlan) Open(r *Run, view int) Iterator {
	of := p.column.Of[view]
	if of == nil || p.lo[view] > p.hi[view] {
		return NoneIterator{}
	}
	w := &RangeIterator{run: r, docs: of.Docs, cursor: of.Cursor(), lo: p.lo[view], hi: p.hi[view], several: !of.Single(), about: -1}
	r.Columns = append(r.Columns, w.cursor)
	return w
}

// RangeIterator goes over the documents with a value from lo to hi; score 0. Blocks
// whose values are all within or all without it does not look into.
type RangeIterator struct {
	run     *Run
	docs    uint32
	cursor  *column.Cursor
	lo, hi  int64
	several bool // values a document
	values  []int64
	about   int // see size; -1: not known yet
}

// Advance implements [Iterator].
func (w *RangeIterator) Advance(target uint32) uint32 {
	for doc := target; doc < w.docs && !w.run.Stop(); {
		if w.several {
			if w.within(doc) {
				return doc
			}
			doc++
			continue
		}
		s, _ := w.cursor.Span(doc)
		switch {
		case s.Present == 0 || s.Min > w.hi || s.Max < w.lo:
		case s.All() && s.Min >= w.lo && s.Max <= w.hi:
			return doc
		default:
			if doc = w.cursor.Within(doc, s.Last, w.lo, w.hi); doc <= s.Last {
				return doc
			}
		}
		doc = s.Last + 1
	}
	return End
}

func (w *RangeIterator) within(doc uint32) bool {
	w.values = w.cursor.Values(w.values[:0], doc)
	for _, v := range w.values {
		if v >= w.lo && v <= w.hi {
			return true
		}
	}
	return false
}

func (w *RangeIterator) mark(r *Run, lo, n uint32, out []uint64) {
	if w.several {
		markEach(r, w, lo, n, out)
		return
	}
	for doc, until := lo, min(lo+n, w.docs); doc < until; {
		s, _ := w.cursor.Span(doc)
		last := min(s.Last, until-1)
		if r.Spend(1 + int(last-doc)/markCost) {
			return
		}
		switch {
		case s.Present == 0 || s.Min > w.hi || s.Max < w.lo:
		case s.All() && s.Min >= w.lo && s.Max <= w.hi:
			for i := doc - lo; i <= last-lo; i++ {
				out[i/64] |= 1 << (i % 64)
			}
		default:
			w.cursor.Mark(doc, last, w.lo, w.hi, out, lo)
		}
		doc = last + 1
	}
}

// Score implements [Iterator].
func (w *RangeIterator) Score() float64 { return 0 }

// Bound implements [Iterator].
func (w *RangeIterator) Bound(uint32) (float64, uint32) { return 0, End }

// Size assumes that the values of a block lie evenly.
func (w *RangeIterator) Size() int {
	switch {
	case w.several:
		return int(w.docs)
	case w.about >= 0:
		return w.about
	}
	n := 0.0
	for doc := uint32(0); doc < w.docs; {
		s, _ := w.cursor.Span(doc)
		lo, hi := max(w.lo, s.Min), min(w.hi, s.Max)
		switch {
		case lo > hi:
		case s.Min == s.Max:
			n += float64(s.Present)
		default:
			part := (float64(hi) - float64(lo)) / (float64(s.Max) - float64(s.Min))
			n += max(1, part*float64(s.Present))
		}
		doc = s.Last + 1
	}
	w.about = int(n)
	return w.about
}

// filledPlan is the documents with a word in a field.
type filledPlan struct{ field *fieldPlan }

func (p filledPlan) Open(r *Run, view int) Iterator {
	if p.field.readers[view] == nil {
		return NoneIterator{}
	}
	f := p.field.readers[view]
	return &FilledIterator{run: r, lengths: p.field.lengths[view], docs: f.Lists.Docs, tokens: f.Tokens}
}

// FilledIterator goes over the documents whose length is not 0; score 0.
type FilledIterator struct {
	run     *Run
	lengths segment.Lengths
	docs    uint32
	tokens  uint64
}

// Advance implements [Iterator].
func (w *FilledIterator) Advance(target uint32) uint32 {
	for ; target < w.docs && !w.run.Stop(); target++ {
		if w.lengths.At(target) > 0 {
			return target
		}
	}
	return End
}

// Score implements [Iterator].
func (w *FilledIterator) Score() float64 { return 0 }

// Bound implements [Iterator].
func (w *FilledIterator) Bound(uint32) (float64, uint32) { return 0, End }

// Size implements [Iterator].
func (w *FilledIterator) Size() int {
	return int(min(uint64(w.docs), w.tokens, math.MaxInt32))
}
