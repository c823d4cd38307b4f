package index

import "slices"

func (p andPlan) open(r *run, view int) walk {
	w := &andWalk{run: r}
	for _, of := range p {
		if r.spend(lookUp) {
			return noneWalk{}
		}
		if not, ok := of.(notPlan); ok {
			w.without = append(w.without, &lagging{walk: not.of.open(r, view)})
			continue
		}
		w.members = append(w.members, of.open(r, view))
	}
	if len(w.members) == 0 { // only Nots
		w.members = append(w.members, allPlan{p[0].(notPlan).commit}.open(r, view))
	}
	w.order = slices.Clone(w.members)
	slices.SortStableFunc(w.order, func(a, b walk) int { return a.size() - b.size() })
	return w
}

// andWalk walks what all members match: the rarest member leads, the others
// skip to where it is.
type andWalk struct {
	run     *run
	members []walk // as in the query, which is the order of their scores
	order   []walk // the smallest first
	without []*lagging
	gate    *gate // nil: everything is wanted
	marks
}

func (w *andWalk) advance(target uint32) uint32 {
	doc := w.order[0].advance(target)
	for doc != end {
		if w.run.stop() {
			return end
		}
		if w.gate != nil {
			if next := w.gate.pass(doc); next == end {
				return end
			} else if next != doc {
				doc = w.order[0].advance(next)
				continue
			}
		}
		next := w.agree(doc)
		if next == doc {
			if !w.excluded(doc) {
				return doc
			}
			next++
		}
		if next == end {
			return end
		}
		doc = w.order[0].advance(next)
	}
	return end
}

// agree returns doc if all members match it, else the next document that may
// match.
func (w *andWalk) agree(doc uint32) uint32 {
	for _, m := range w.order[1:] {
		var at uint32
		if p, ok := m.(*phraseWalk); ok {
			at = p.probe(doc)
		} else {
			at = m.advance(doc)
		}
		if at != doc {
			return at
		}
	}
	return doc
}

func (w *andWalk) excluded(doc uint32) bool {
	for _, m := range w.without {
		if m.matches(doc) {
			return true
		}
	}
	return false
}

func (w *andWalk) score() float64 {
	sum := 0.0
	for _, m := range w.members {
		sum += m.score()
	}
	return sum
}

func (w *andWalk) size() int { return w.order[0].size() }

// lagging is a walk that is asked for some documents only.
type lagging struct {
	walk
	at   uint32
	open bool
}

// matches reports whether doc, which never falls, is a match.
func (l *lagging) matches(doc uint32) bool {
	if !l.open || l.at < doc {
		l.at, l.open = l.advance(doc), true
	}
	return l.at == doc
}
