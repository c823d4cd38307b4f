package exec

import (
	"fmt"
	"math"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/rank"
)

// Added is what a column adds to scores, see index.Static.
type Added struct {
	Field string
	Prior rank.Prior // nil: rank.Saturation{}
}

// static is what a column of a search adds.
type static struct {
	column *ColumnPlan
	prior  rank.Prior
}

// static adds what opt asks for to the scores of a plan.
func (p *Planner) static(root Plan, all []Added) (Plan, error) {
	if len(all) == 0 {
		return root, nil
	}
	out := &staticPlan{of: root}
	for _, s := range all {
		c, err := p.OpenColumn(s.Field)
		if err == nil && c.Kind == schema.Keyword {
			err = &schema.Error{Field: s.Field, Msg: "holds no numbers to add to a score"}
		}
		if err != nil {
			return nil, err
		}
		if s.Prior == nil {
			s.Prior = rank.Saturation{}
		}
		out.static = append(out.static, static{c, s.Prior})
	}
	return out, nil
}

// add is what a value of the column adds. Priors are not ours: what is no
// number adds nothing.
func (s static) add(n int64) float64 {
	if x := s.prior.Add(schema.AsFloat(s.column.Kind, n)); x > 0 && !math.IsInf(x, 1) {
		return x
	}
	return 0
}

// most bounds what values up to n add; see [rank.Prior].
func (s static) most(n int64) float64 { return s.add(n) * (1 + 0x1p-40) }

type staticPlan struct {
	of     Plan
	static []static
}

func (p *staticPlan) Open(r *Run, view int) Iterator {
	w := &StaticIterator{Iterator: p.of.Open(r, view), static: p.static}
	for _, s := range p.static {
		cur := s.column.Of[view].Cursor()
		r.Columns = append(r.Columns, cur)
		w.cursors = append(w.cursors, cur)
	}
	w.blocks = make([]staticBlock, len(w.cursors))
	return w
}

// StaticIterator adds to the scores of another iterator.
type StaticIterator struct {
	Iterator
	static  []static
	cursors []*column.Cursor
	blocks  []staticBlock
	doc     uint32
}

// staticBlock is what the documents of a block have added at most.
type staticBlock struct {
	known bool
	from  uint32
	last  uint32
	most  float64
}

// Advance implements [Iterator].
func (w *StaticIterator) Advance(target uint32) uint32 {
	w.doc = w.Iterator.Advance(target)
	return w.doc
}

// Score implements [Iterator].
func (w *StaticIterator) Score() float64 { return w.With(w.doc, w.Iterator.Score()) }

// With adds to the score of a document; nothing if w is nil.
func (w *StaticIterator) With(doc uint32, score float64) float64 {
	if w == nil {
		return score
	}
	for i, s := range w.static {
		if n, ok := w.cursors[i].At(doc); ok {
			score += s.add(n)
		}
	}
	return score
}

// Bound adds in the order of score, so that rounding does no harm.
func (w *StaticIterator) Bound(from uint32) (float64, uint32) {
	most, last := w.Iterator.Bound(from)
	for i := range w.static {
		b := w.block(i, from)
		most += b.most
		last = min(last, b.last)
	}
	return most, last
}

// block bounds what column i adds to the documents around one.
func (w *StaticIterator) block(i int, doc uint32) staticBlock {
	b := &w.blocks[i]
	if !b.known || doc > b.last || doc < b.from {
		span, _ := w.cursors[i].Span(doc)
		*b = staticBlock{from: span.First, last: span.Last, known: true}
		if span.Present > 0 {
			b.most = w.static[i].most(span.Max)
		}
	}
	return *b
}

// Over bounds what is added to the documents from lo up to, not with, hi.
func (w *StaticIterator) Over(lo, hi uint32) float64 {
	sum := 0.0
	for i := range w.static {
		most := 0.0
		for doc := lo; doc < hi; {
			b := w.block(i, doc)
			most = max(most, b.most)
			if b.last >= hi {
				break
			}
			doc = b.last + 1
		}
		sum += most
	}
	return sum
}

// Guard lets an And skip what the gate would. Others compare scores without
// what is added.
func (w *StaticIterator) Guard(g *Gate) {
	if and, ok := w.Iterator.(*AndIterator); ok {
		and.Guard(g)
	}
}

func (w *StaticIterator) explain(doc uint32) rank.Explanation {
	ex := rank.Explanation{Value: w.Score(), Text: "the sum of the query and what columns add", Parts: []rank.Explanation{Explain(w.Iterator, doc)}}
	for i, s := range w.static {
		part := rank.Explanation{Text: "no value of " + s.column.Name}
		if n, ok := w.cursors[i].At(doc); ok {
			part.Value = s.add(n)
			part.Text = fmt.Sprintf("%s = %s, by %T", s.column.Name, schema.Format(s.column.Kind, n), s.prior)
		}
		ex.Parts = append(ex.Parts, part)
	}
	return ex
}
