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
	for _, word := range p.words {
		if len(word.entries[view]) == 0 || r.spend(lookUp) {
			return noneWalk{}
		}
		w.stands = append(w.stands, newStand(r, p.field.readers[view], word.entries[view]))
	}
	for i, s := range w.stands {
		w.order = append(w.order, place{s, i})
	}
	slices.SortStableFunc(w.order, func(a, b place) int { return a.size() - b.size() })
	w.found = make([][]uint32, len(w.stands))
	return w
}

// place is a word of a phrase and which one it is.
type place struct {
	*stand
	at int
}

// phraseWalk walks the documents that hold all words, and looks at their
// places in each.
type phraseWalk struct {
	run      *run
	plan     *phrasePlan
	view     int
	lengths  segment.Lengths
	stands   []*stand // of the words
	order    []place  // the rarest first
	found    [][]uint32
	sloppy   *sloppy // nil: not used yet
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
			} else if w.freq = w.count(); w.freq > 0 {
				w.doc = doc
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
	for n := range w.order {
		w.read(n)
	}
	if w.sloppy == nil {
		w.sloppy = newSloppy(w.run, w.plan)
	}
	return w.sloppy.count(w.found)
}

// read reads the places of the n-th rarest word in the current document.
func (w *phraseWalk) read(n int) (places []uint32, offset uint32) {
	p := w.order[n]
	w.found[p.at] = p.positions(w.found[p.at][:0])
	return w.found[p.at], uint32(w.plan.offsets[p.at])
}

// probe returns doc, which never falls, if the phrase stands in it, else the next
// document where it may. No places are read there.
func (w *phraseWalk) probe(doc uint32) uint32 {
	for _, s := range w.order {
		if at := s.advance(doc); at != doc {
			return at
		}
	}
	if w.freq = w.count(); w.freq == 0 {
		return doc + 1
	}
	w.doc = doc
	return doc
}

// score is the sum over the words of what each would score if it stood as
// often as the phrase does.
func (w *phraseWalk) score() float64 {
	return w.plan.score(w.freq, w.lengths.At(w.doc))
}

func (p *phrasePlan) score(freq, length uint32) float64 {
	sum := 0.0
	for _, word := range p.words {
		sum += word.score(freq, length)
	}
	return sum
}

func (w *phraseWalk) size() int { return w.order[0].size() }
