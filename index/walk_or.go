package index

func (p orPlan) open(r *run, view int) walk {
	w := &orWalk{run: r}
	for _, of := range p {
		if r.spend(lookUp) {
			break // what is found does not count
		}
		w.members = append(w.members, &lagging{walk: of.open(r, view)})
	}
	return w
}

// orWalk walks what at least one member matches.
type orWalk struct {
	run     *run
	members []*lagging // as in the query, which is the order of their scores
	doc     uint32
	marks
}

func (w *orWalk) advance(target uint32) uint32 {
	w.doc = end
	w.run.spend(len(w.members) / 8)
	for _, m := range w.members {
		m.matches(target)
		w.doc = min(w.doc, m.at)
	}
	return w.doc
}

// holds implements [prober].
func (w *orWalk) holds(doc uint32) bool {
	found := false
	w.run.spend(len(w.members) / 8)
	for _, m := range w.members { // all of them: they make the score
		found = m.holds(doc) || found
	}
	w.doc = doc
	return found
}

func (w *orWalk) score() float64 {
	sum := 0.0
	for _, m := range w.members {
		if m.open && m.at == w.doc {
			sum += m.score()
		}
	}
	return sum
}

func (w *orWalk) size() int {
	n := 0
	for _, m := range w.members {
		n += m.size()
	}
	return n
}
