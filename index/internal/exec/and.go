package exec

import "slices"

func (p andPlan) Open(r *Run, view int) Iterator {
	w := &AndIterator{run: r, Members: make([]Iterator, 0, len(p))}
	for _, of := range p {
		if r.Spend(LookUp) {
			return NoneIterator{}
		}
		if not, ok := of.(notPlan); ok {
			w.Without = append(w.Without, &Lagging{Iterator: not.of.Open(r, view)})
			continue
		}
		w.Members = append(w.Members, of.Open(r, view))
	}
	if len(w.Members) == 0 { // only Nots
		w.Members = append(w.Members, allPlan{p[0].(notPlan).Collection}.Open(r, view))
	}
	w.order = make([]lookup, 0, len(w.Members))
	for _, m := range w.Members {
		phrase, ok := m.(*PhraseIterator)
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
	slices.SortStableFunc(w.order, func(a, b lookup) int { return a.Size() - b.Size() })
	return w
}

// lookup is where documents are looked up: an iterator, or the list of a word of a phrase.
type lookup interface {
	Advance(target uint32) uint32
	Size() int
}

// AndIterator goes over what all members match: the rarest leads, the others skip to where it
// is. Of phrases only the documents of the words take part in that: where these stand
// is read in documents that match all else.
type AndIterator struct {
	run     *Run
	Members []Iterator // as in the query, which is the order of their scores
	order   []lookup   // the smallest first
	Without []*Lagging
	phrases []*PhraseIterator // those of members
	gate    *Gate             // nil: everything is wanted
	marks
}

// Advance implements [Iterator].
func (w *AndIterator) Advance(target uint32) uint32 {
	doc := w.order[0].Advance(target)
	for doc != End {
		if w.run.Stop() {
			return End
		}
		if w.gate != nil {
			if next := w.gate.Pass(doc); next == End {
				return End
			} else if next != doc {
				doc = w.order[0].Advance(next)
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
		if next == End {
			return End
		}
		doc = w.order[0].Advance(next)
	}
	return End
}

// agree returns doc if it is in all lists, else the next document that may be.
func (w *AndIterator) agree(doc uint32) uint32 {
	for _, m := range w.order[1:] {
		if at := m.Advance(doc); at != doc {
			return at
		}
	}
	return doc
}

// phrased reports whether the phrases stand in doc, which holds all their words.
func (w *AndIterator) phrased(doc uint32) bool {
	for _, p := range w.phrases {
		if !p.standsIn(doc) {
			return false
		}
	}
	return true
}

// Holds implements [prober].
func (w *AndIterator) Holds(doc uint32) bool {
	if w.gate != nil && w.gate.Pass(doc) != doc {
		return false
	}
	for _, m := range w.order {
		if m.Advance(doc) != doc {
			return false
		}
	}
	return !w.excluded(doc) && w.phrased(doc)
}

func (w *AndIterator) excluded(doc uint32) bool {
	for _, m := range w.Without {
		if m.Holds(doc) {
			return true
		}
	}
	return false
}

// Score implements [Iterator].
func (w *AndIterator) Score() float64 {
	sum := 0.0
	for _, m := range w.Members {
		sum += m.Score()
	}
	return sum
}

// Size implements [Iterator].
func (w *AndIterator) Size() int { return w.order[0].Size() }

// Lagging is an iterator that is asked for some documents only.
type Lagging struct {
	Iterator
	At   uint32
	Open bool
}

// Matches reports whether doc, which never falls, is a match.
func (l *Lagging) Matches(doc uint32) bool {
	if !l.Open || l.At < doc {
		l.At, l.Open = l.Advance(doc), true
	}
	return l.At == doc
}

// Holds is Matches where the documents behind doc do not matter: At stays behind where
// doc is no match.
func (l *Lagging) Holds(doc uint32) bool {
	if l.Open && l.At >= doc {
		return l.At == doc
	}
	if !holds(l.Iterator, doc) {
		return false
	}
	l.At, l.Open = doc, true
	return true
}

// prober is an iterator that can be asked for a document without looking for the next match
// where it is none: to find that may take as long as a search of its own.
type prober interface {
	// Holds goes to doc, which never falls, and reports whether it is a match.
	Holds(doc uint32) bool
}

// holds goes to doc, which never falls, and reports whether it is a match of w.
func holds(w Iterator, doc uint32) bool {
	if p, ok := w.(prober); ok {
		return p.Holds(doc)
	}
	return w.Advance(doc) == doc
}
