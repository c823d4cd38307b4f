package exec

import (
	"slices"

	"github.com/webquarry/quarry/index/query"
)

// atLeast plans an AtLeast.
func (p *Planner) atLeast(q query.AtLeast) (Plan, error) {
	if len(q.Of) == 0 {
		return nonePlan{}, nil
	}
	_, plans, err := p.members(q.Of)
	if err != nil || len(plans) == 0 {
		return nil, err
	}
	switch n := min(q.N, len(plans)); {
	case len(plans) == 1:
		return plans[0], nil
	case n <= 1:
		return orPlan(plans), nil
	case n == len(plans):
		return andPlan(plans), nil
	default:
		return &atLeastPlan{orPlan(plans), n}, nil
	}
}

type atLeastPlan struct {
	of   orPlan
	need int
}

func (p *atLeastPlan) Open(r *Run, view int) Iterator {
	return &atLeastIterator{OrIterator: p.of.Open(r, view).(*OrIterator), run: r, need: p.need, ats: make([]uint32, len(p.of))}
}

// atLeastIterator goes over what at least need members match.
type atLeastIterator struct {
	*OrIterator
	run  *Run
	need int
	ats  []uint32 // scratch
	gate *Gate    // nil: everything is wanted
}

// Advance looks where the members are: a document before the need-th of them has
// not enough.
func (w *atLeastIterator) Advance(target uint32) uint32 {
	for target != End && !w.run.Stop() {
		if w.gate != nil {
			if target = w.gate.Pass(target); target == End {
				break
			}
		}
		w.run.Spend(len(w.Members))
		for i, m := range w.Members {
			m.Matches(target)
			w.ats[i] = m.At
		}
		slices.Sort(w.ats)
		doc := w.ats[w.need-1]
		if doc == w.ats[0] || doc == End {
			w.doc = doc
			return doc
		}
		target = doc
	}
	w.doc = End
	return End
}

// Holds implements [prober].
func (w *atLeastIterator) Holds(doc uint32) bool {
	if w.gate != nil && w.gate.Pass(doc) != doc {
		return false
	}
	n := 0
	w.run.Spend(len(w.Members) / 8)
	for _, m := range w.Members {
		if m.Holds(doc) {
			n++
		}
	}
	w.doc = doc
	return n >= w.need
}

func (w *atLeastIterator) Guard(g *Gate) { w.gate = g }

// mark is not that of the Or, which one member is enough for.
func (w *atLeastIterator) mark(r *Run, lo, n uint32, marks []uint64) { markEach(r, w, lo, n, marks) }

func (w *atLeastIterator) Size() int {
	sizes := make([]int, len(w.Members))
	for i, m := range w.Members {
		sizes[i] = m.Size()
	}
	slices.Sort(sizes)
	n := 0
	for _, size := range sizes[:len(sizes)-w.need+1] {
		n += size
	}
	return n
}
