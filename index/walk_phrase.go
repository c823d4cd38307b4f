package index

import (
	"slices"

	"github.com/webquarry/quarry/index/internal/segment"
)

// phrasePlan is words that stand in a row.
type phrasePlan struct {
	field   *fieldPlan
	words   []*word
	offsets []int // of the words, from the first
	slop    int
	// Scores do not matter: that it stands in a document at all is enough.
	unscored bool
}

func (p *phrasePlan) open(r *run, view int) walk {
	w := &phraseWalk{run: r, plan: p, view: view, lengths: p.field.lengths[view]}
	first := map[string]int{} // where a word of the same terms is
	for i, word := range p.words {
		entries := word.entries[view]
		if len(entries) == 0 || r.spend(lookUp*len(entries)) {
			return noneWalk{}
		}
		same, ok := first[word.text]
		if ok = ok && slices.Equal(entries, p.words[same].entries[view]); !ok {
			same, first[word.text] = i, i
			w.stands = append(w.stands, newStand(r, p.field.readers[view], entries))
			w.distinct = append(w.distinct, i)
		} else {
			w.stands = append(w.stands, w.stands[same])
		}
		w.order = append(w.order, place{w.stands[i], i, same})
	}
	slices.SortStableFunc(w.order, func(a, b place) int { return a.size() - b.size() })
	w.found = make([][]uint32, len(w.stands))
	return w
}

// place is a word of a phrase, which one it is, and which is the first of the same
// terms: these share a stand, so that a word that is said again and again costs no
// more memory.
type place struct {
	*stand
	at   int
	same int
}

// phraseWalk walks the documents that hold all words, and looks at their
// places in each.
type phraseWalk struct {
	run      *run
	plan     *phrasePlan
	view     int
	lengths  segment.Lengths
	stands   []*stand // of the words
	distinct []int    // those that are not as one before
	order    []place  // the rarest first
	found    [][]uint32
	long     []uint32 // places of one word
	sloppy   *sloppy  // nil: not used yet
	doc      uint32
	freq     uint32    // how often the phrase stands in doc
	gate     *gate     // nil: everything is wanted
	ceilings []ceiling // of the words that bound it; nil: not asked for yet
}

func (w *phraseWalk) advance(target uint32) uint32 {
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
			if w.hopeless(doc) {
				w.run.pruned = true
			} else if w.standsIn(doc) {
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

func (w *phraseWalk) agree(doc uint32) uint32 {
	for _, s := range w.order[1:] {
		if at := s.advance(doc); at != doc {
			return at
		}
	}
	return doc
}

// count counts the phrase in the current document; if scores do not matter, any
// number may stand for it.
func (w *phraseWalk) count() uint32 {
	if w.plan.slop == 0 {
		return w.exact()
	}
	for n, p := range w.order {
		if p.at == p.same {
			w.read(n)
		}
	}
	for _, p := range w.order {
		w.found[p.at] = w.found[p.same]
	}
	if w.sloppy == nil {
		w.sloppy = newSloppy(w.run, w.plan)
	}
	return w.sloppy.count(w.found)
}

// read reads the places of the n-th rarest word in the current document.
func (w *phraseWalk) read(n int) (places []uint32, offset uint32) {
	p := w.order[n]
	places = p.positions(w.found[p.same][:0])
	w.found[p.at], w.found[p.same] = places, places
	return places, uint32(w.plan.offsets[p.at])
}

// holds implements [prober].
func (w *phraseWalk) holds(doc uint32) bool {
	if w.gate != nil && w.gate.pass(doc) != doc {
		return false
	}
	for _, s := range w.order {
		if s.advance(doc) != doc {
			return false
		}
	}
	if w.hopeless(doc) {
		w.run.pruned = true
		return false
	}
	return w.standsIn(doc)
}

// standsIn reports whether the phrase stands in doc, where the lists of all its words
// are.
func (w *phraseWalk) standsIn(doc uint32) bool {
	w.doc, w.freq = doc, w.count()
	return w.freq > 0
}

// score is the sum over the words of what each would score if it stood as
// often as the phrase does.
func (w *phraseWalk) score() float64 {
	w.run.spend(len(w.stands) / 8)
	if w.plan.words[0].byDoc == nil {
		return w.plan.score(w.freq, w.lengths.At(w.doc))
	}
	sum := 0.0
	for _, word := range w.plan.words {
		sum += word.scoreOf(w.view, w.doc, w.freq)
	}
	return sum
}

func (p *phrasePlan) score(freq, length uint32) float64 {
	sum := 0.0
	for _, word := range p.words {
		sum += word.score(freq, length)
	}
	return sum
}

func (w *phraseWalk) size() int { return w.order[0].size() }
