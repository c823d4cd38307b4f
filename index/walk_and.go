package index

import "slices"

func (p andPlan) open(r *run, view int) walk {
	w := &andWalk{run: r, members: make([]walk, 0, len(p))}
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
	w.order = make([]lookup, 0, len(w.members))
	for _, m := range w.members {
		phrase, ok := m.(*phraseWalk)
		if !ok {
			w.order = append(w.order, m)
			continue
		}
		w.phrases = append(w.phrases, phrase)
		for _, word := range phrase.order {
			if word.at == word.same {
				w.order = append(w.order, word.stand)
			}
		}
	}
	slices.SortStableFunc(w.order, func(a, b lookup) int { return a.size() - b.size() })
	return w
}

// lookup is where documents are looked up: a walk, or the list of a word of a phrase.
type lookup interface {
	advance(target uint32) uint32
	size() int
}

// andWalk walks what all members match: the rarest leads, the others skip to where it
// is. Of phrases only the documents of the words take part in that: where these stand
// is read in documents that match all else.
type andWalk struct {
	run     *run
	members []walk   // as in the query, which is the order of their scores
	order   []lookup // the smallest first
	without []*lagging
	phrases []*phraseWalk // those of members
	gate    *gate         // nil: everything is wanted
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
			if !w.excluded(doc) && w.phrased(doc) {
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

// agree returns doc if it is in all lists, else the next document that may be.
func (w *andWalk) agree(doc uint32) uint32 {
	for _, m := range w.order[1:] {
		if at := m.advance(doc); at != doc {
			return at
		}
	}
	return doc
}

// phrased reports whether the phrases stand in doc, which holds all their words.
func (w *andWalk) phrased(doc uint32) bool {
	for _, p := range w.phrases {
		if !p.standsIn(doc) {
			return false
		}
	}
	return true
}

// holds implements [prober].
func (w *andWalk) holds(doc uint32) bool {
	if w.gate != nil && w.gate.pass(doc) != doc {
		return false
	}
	for _, m := range w.order {
		if m.advance(doc) != doc {
			return false
		}
	}
	return !w.excluded(doc) && w.phrased(doc)
}

func (w *andWalk) excluded(doc uint32) bool {
	for _, m := range w.without {
		if m.holds(doc) {
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

// holds is matches where the documents behind doc do not matter: at stays behind where
// doc is no match.
func (l *lagging) holds(doc uint32) bool {
	if l.open && l.at >= doc {
		return l.at == doc
	}
	if !holds(l.walk, doc) {
		return false
	}
	l.at, l.open = doc, true
	return true
}

// prober is a walk that can be asked for a document without looking for the next match
// where it is none: to find that may take as long as a search of its own.
type prober interface {
	// holds goes to doc, which never falls, and reports whether it is a match.
	holds(doc uint32) bool
}

// holds goes to doc, which never falls, and reports whether it is a match of w.
func holds(w walk, doc uint32) bool {
	if p, ok := w.(prober); ok {
		return p.holds(doc)
	}
	return w.advance(doc) == doc
}
