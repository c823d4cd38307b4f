package exec

import "slices"

func (p orPlan) Open(r *Run, view int) Iterator {
	w := &OrIterator{run: r}
	for _, of := range p {
		if r.Spend(LookUp) {
			break // what is found does not count
		}
		w.Members = append(w.Members, &Lagging{Iterator: of.Open(r, view)})
	}
	return w
}

// OrIterator goes over what at least one member matches.
type OrIterator struct {
	run     *Run
	Members []*Lagging // as in the query, which is the order of their scores
	doc     uint32
	marks
}

// Advance implements [Iterator].
func (w *OrIterator) Advance(target uint32) uint32 {
	w.doc = End
	w.run.Spend(len(w.Members) / 8)
	for _, m := range w.Members {
		m.Matches(target)
		w.doc = min(w.doc, m.At)
	}
	return w.doc
}

// Holds implements [prober].
func (w *OrIterator) Holds(doc uint32) bool {
	found := false
	w.run.Spend(len(w.Members) / 8)
	for _, m := range w.Members { // all of them: they make the score
		found = m.Holds(doc) || found
	}
	w.doc = doc
	return found
}

// Score implements [Iterator].
func (w *OrIterator) Score() float64 {
	sum := 0.0
	for _, m := range w.Members {
		if m.Open && m.At == w.doc {
			sum += m.Score()
		}
	}
	return sum
}

// Size implements [Iterator].
func (w *OrIterator) Size() int {
	n := 0
	for _, m := range w.Members {
		n += m.Size()
	}
	return n
}

// All reports whether a member matches everything, so that the others only add
// to the score.
func (w *OrIterator) All() bool {
	return slices.ContainsFunc(w.Members, func(m *Lagging) bool { _, ok := m.Iterator.(*AllIterator); return ok })
}

// bestPlan is an Or that scores what the best of its members does, as terms do that
// stand for one word: a document that holds several of them is no better for it.
type bestPlan struct{ of orPlan }

func (p bestPlan) Open(r *Run, view int) Iterator {
	return &bestIterator{p.of.Open(r, view).(*OrIterator)}
}

// bestIterator goes over what at least one member matches.
type bestIterator struct{ *OrIterator }

func (w *bestIterator) Score() float64 {
	best := 0.0
	for _, m := range w.Members {
		if m.Open && m.At == w.doc {
			best = max(best, m.Score())
		}
	}
	return best
}

func (w *bestIterator) Bound(from uint32) (float64, uint32) {
	best, until := 0.0, uint32(End)
	for _, m := range w.Members {
		most, last := m.Bound(from)
		best = max(best, most)
		until = min(until, last)
	}
	return best, until
}
