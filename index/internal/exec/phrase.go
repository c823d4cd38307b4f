package exec

import (
	"slices"

	"github.com/webquarry/quarry/index/internal/segment"
)

// phrasePlan is words that stand in a row.
type phrasePlan struct {
	field   *fieldPlan
	Words   []*word
	offsets []int // of the words, from the first
	Slop    int
	// Scores do not matter: that it stands in a document at all is enough.
	unscored bool
}

func (p *phrasePlan) Open(r *Run, view int) Iterator {
	w := &PhraseIterator{Run: r, Plan: p, view: view, Lengths: p.field.lengths[view]}
	first := map[string]int{} // where a word of the same terms is
	for i, word := range p.Words {
		entries := word.entries[view]
		if len(entries) == 0 || r.Spend(LookUp*len(entries)) {
			return NoneIterator{}
		}
		same, ok := first[word.text]
		if ok = ok && slices.Equal(entries, p.Words[same].entries[view]); !ok {
			same, first[word.text] = i, i
			w.Stands = append(w.Stands, newStand(r, p.field.readers[view], entries))
			w.Distinct = append(w.Distinct, i)
		} else {
			w.Stands = append(w.Stands, w.Stands[same])
		}
		w.order = append(w.order, place{w.Stands[i], i, same})
	}
	slices.SortStableFunc(w.order, func(a, b place) int { return a.Size() - b.Size() })
	w.found = make([][]uint32, len(w.Stands))
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

// PhraseIterator goes over the documents that hold all words, and looks at their
// places in each.
type PhraseIterator struct {
	Run      *Run
	Plan     *phrasePlan
	view     int
	Lengths  segment.Lengths
	Stands   []*stand // of the words
	Distinct []int    // those that are not as one before
	order    []place  // the rarest first
	found    [][]uint32
	long     []uint32 // places of one word
	sloppy   *sloppy  // nil: not used yet
	doc      uint32
	freq     uint32    // how often the phrase stands in doc
	gate     *Gate     // nil: everything is wanted
	ceilings []Ceiling // of the words that bound it; nil: not asked for yet
}

// Advance implements [Iterator].
func (w *PhraseIterator) Advance(target uint32) uint32 {
	doc := w.order[0].Advance(target)
	for doc != End {
		if w.Run.Stop() {
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
			if w.hopeless(doc) {
				w.Run.Pruned = true
			} else if w.standsIn(doc) {
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

func (w *PhraseIterator) agree(doc uint32) uint32 {
	for _, s := range w.order[1:] {
		if at := s.Advance(doc); at != doc {
			return at
		}
	}
	return doc
}

// Count counts the phrase in the current document; if scores do not matter, any
// number may stand for it.
func (w *PhraseIterator) Count() uint32 {
	if w.Plan.Slop == 0 {
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
		w.sloppy = newSloppy(w.Run, w.Plan)
	}
	return w.sloppy.count(w.found)
}

// read reads the places of the n-th rarest word in the current document.
func (w *PhraseIterator) read(n int) (places []uint32, offset uint32) {
	p := w.order[n]
	places = p.positions(w.found[p.same][:0])
	w.found[p.at], w.found[p.same] = places, places
	return places, uint32(w.Plan.offsets[p.at])
}

// Holds implements [prober].
func (w *PhraseIterator) Holds(doc uint32) bool {
	if w.gate != nil && w.gate.Pass(doc) != doc {
		return false
	}
	for _, s := range w.order {
		if s.Advance(doc) != doc {
			return false
		}
	}
	if w.hopeless(doc) {
		w.Run.Pruned = true
		return false
	}
	return w.standsIn(doc)
}

// standsIn reports whether the phrase stands in doc, where the lists of all its words
// are.
func (w *PhraseIterator) standsIn(doc uint32) bool {
	w.doc, w.freq = doc, w.Count()
	return w.freq > 0
}

// Score is the sum over the words of what each would score if it stood as
// often as the phrase does.
func (w *PhraseIterator) Score() float64 {
	w.Run.Spend(len(w.Stands) / 8)
	if w.Plan.Words[0].byDoc == nil {
		return w.Plan.Score(w.freq, w.Lengths.At(w.doc))
	}
	sum := 0.0
	for _, word := range w.Plan.Words {
		sum += word.scoreOf(w.view, w.doc, w.freq)
	}
	return sum
}

func (p *phrasePlan) Score(freq, length uint32) float64 {
	sum := 0.0
	for _, word := range p.Words {
		sum += word.Score(freq, length)
	}
	return sum
}

// Size implements [Iterator].
func (w *PhraseIterator) Size() int { return w.order[0].Size() }
