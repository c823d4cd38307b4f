package index

// constantPlan is a query that scores the same everywhere.
type constantPlan struct {
	of    plan
	score float64
}

func (p constantPlan) open(r *run, view int) walk {
	return constantWalk{p.of.open(r, view), p.score}
}

// constantWalk scores each match of another walk the same.
type constantWalk struct {
	walk
	by float64
}

func (w constantWalk) holds(doc uint32) bool { return holds(w.walk, doc) }

func (w constantWalk) score() float64                 { return w.by }
func (w constantWalk) bound(uint32) (float64, uint32) { return w.by, end }
