package index

// bestPlan is an Or that scores what the best of its members does, as terms do that
// stand for one word: a document that holds several of them is no better for it.
type bestPlan struct{ of orPlan }

func (p bestPlan) open(r *run, view int) walk {
	return &bestWalk{p.of.open(r, view).(*orWalk)}
}

// bestWalk walks what at least one member matches.
type bestWalk struct{ *orWalk }

func (w *bestWalk) score() float64 {
	best := 0.0
	for _, m := range w.members {
		if m.open && m.at == w.doc {
			best = max(best, m.score())
		}
	}
	return best
}

func (w *bestWalk) bound(from uint32) (float64, uint32) {
	best, until := 0.0, uint32(end)
	for _, m := range w.members {
		most, last := m.bound(from)
		best = max(best, most)
		until = min(until, last)
	}
	return best, until
}
