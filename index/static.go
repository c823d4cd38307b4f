package index

import (
	"fmt"
	"math"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/rank"
)

// Static is what a column of numbers or times adds to the score of every match.
// A Time is given to the prior in seconds since 1970. A document without a value
// has nothing added. An index that is mostly searched so answers sooner with
// [ByColumn].
type Static struct {
	Field string
	Prior rank.Prior // nil: rank.Saturation{}
}

// static is a Static of a search.
type static struct {
	column *columnPlan
	prior  rank.Prior
}

// static adds what opt asks for to the scores of a plan.
func (p *planner) static(root plan, asked []Static) (plan, error) {
	if len(asked) == 0 {
		return root, nil
	}
	out := &staticPlan{of: root}
	for _, s := range asked {
		c, err := p.openColumn(s.Field)
		if err == nil && c.Kind == Keyword {
			err = &SchemaError{s.Field, "holds no numbers to add to a score"}
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
	if x := s.prior.Add(asFloat(s.column.Kind, n)); x > 0 && !math.IsInf(x, 1) {
		return x
	}
	return 0
}

// most bounds what values up to n add; see [rank.Prior].
func (s static) most(n int64) float64 { return s.add(n) * (1 + 0x1p-40) }

type staticPlan struct {
	of     plan
	static []static
}

func (p *staticPlan) open(r *run, view int) walk {
	w := &staticWalk{walk: p.of.open(r, view), static: p.static}
	for _, s := range p.static {
		cur := s.column.of[view].Cursor()
		r.columns = append(r.columns, cur)
		w.cursors = append(w.cursors, cur)
	}
	w.blocks = make([]staticBlock, len(w.cursors))
	return w
}

// staticWalk adds to the scores of another walk.
type staticWalk struct {
	walk
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

func (w *staticWalk) advance(target uint32) uint32 {
	w.doc = w.walk.advance(target)
	return w.doc
}

func (w *staticWalk) score() float64 { return w.with(w.doc, w.walk.score()) }

// with adds to the score of a document; nothing if w is nil.
func (w *staticWalk) with(doc uint32, score float64) float64 {
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

// bound adds in the order of score, so that rounding does no harm.
func (w *staticWalk) bound(from uint32) (float64, uint32) {
	most, last := w.walk.bound(from)
	for i := range w.static {
		b := w.block(i, from)
		most += b.most
		last = min(last, b.last)
	}
	return most, last
}

// block bounds what column i adds to the documents around one.
func (w *staticWalk) block(i int, doc uint32) staticBlock {
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

// over bounds what is added to the documents from lo up to, not with, hi.
func (w *staticWalk) over(lo, hi uint32) float64 {
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

// guard lets an And skip what the gate would. Others compare scores without
// what is added.
func (w *staticWalk) guard(g *gate) {
	if and, ok := w.walk.(*andWalk); ok {
		and.guard(g)
	}
}

func (w *staticWalk) explain(doc uint32) rank.Explanation {
	ex := rank.Explanation{Value: w.score(), Text: "the sum of the query and what columns add", Parts: []rank.Explanation{explain(w.walk, doc)}}
	for i, s := range w.static {
		part := rank.Explanation{Text: "no value of " + s.column.Name}
		if n, ok := w.cursors[i].At(doc); ok {
			part.Value = s.add(n)
			part.Text = fmt.Sprintf("%s = %s, by %T", s.column.Name, format(s.column.Kind, n), s.prior)
		}
		ex.Parts = append(ex.Parts, part)
	}
	return ex
}
