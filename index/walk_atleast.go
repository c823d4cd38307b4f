package index

import (
	"slices"

	"github.com/webquarry/quarry/index/query"
)

// atLeast plans an AtLeast.
func (p *planner) atLeast(q query.AtLeast) (plan, error) {
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

func (p *atLeastPlan) open(r *run, view int) walk {
	return &atLeastWalk{orWalk: p.of.open(r, view).(*orWalk), run: r, need: p.need, ats: make([]uint32, len(p.of))}
}

// atLeastWalk walks what at least need members match.
type atLeastWalk struct {
	*orWalk
	run  *run
	need int
	ats  []uint32 // scratch
	gate *gate    // nil: everything is wanted
}

// advance looks where the members are: a document before the need-th of them has
// not enough.
func (w *atLeastWalk) advance(target uint32) uint32 {
	for target != end && !w.run.stop() {
		if w.gate != nil {
			if target = w.gate.pass(target); target == end {
				break
			}
		}
		w.run.spend(len(w.members))
		for i, m := range w.members {
			m.matches(target)
			w.ats[i] = m.at
		}
		slices.Sort(w.ats)
		doc := w.ats[w.need-1]
		if doc == w.ats[0] || doc == end {
			w.doc = doc
			return doc
		}
		target = doc
	}
	w.doc = end
	return end
}

// holds implements [prober].
func (w *atLeastWalk) holds(doc uint32) bool {
	if w.gate != nil && w.gate.pass(doc) != doc {
		return false
	}
	n := 0
	w.run.spend(len(w.members) / 8)
	for _, m := range w.members {
		if m.holds(doc) {
			n++
		}
	}
	w.doc = doc
	return n >= w.need
}

func (w *atLeastWalk) guard(g *gate) { w.gate = g }

// mark is not that of the Or, which one member is enough for.
func (w *atLeastWalk) mark(r *run, lo, n uint32, marks []uint64) { markEach(r, w, lo, n, marks) }

func (w *atLeastWalk) size() int {
	sizes := make([]int, len(w.members))
	for i, m := range w.members {
		sizes[i] = m.size()
	}
	slices.Sort(sizes)
	n := 0
	for _, size := range sizes[:len(sizes)-w.need+1] {
		n += size
	}
	return n
}
