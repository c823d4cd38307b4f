package index

import "math"

// refusals remembers what scored too little: with the same tf, a document that
// is as long or longer does too (see [rank.Score]), for as long as the search
// goes on, since the score that is needed only rises.
type refusals [256]uint32 // by tf, the least length

func newRefusals() *refusals {
	r := new(refusals)
	for i := range r {
		r[i] = math.MaxUint32
	}
	return r
}

func (r *refusals) has(tf, length uint32) bool { return tf < uint32(len(r)) && length >= r[tf] }

func (r *refusals) add(tf, length uint32) {
	if tf < uint32(len(r)) {
		r[tf] = min(r[tf], length)
	}
}

// collectTerm takes up the wanted matches of a single word from the current one
// on: block by block, and in a block without a score where one as short was
// refused.
func (c *collector) collectTerm(w *termWalk, g *gate) {
	list, refused := w.cursor, newRefusals()
	for doc := list.Doc(); doc != end && !c.run.stop(); {
		next := g.pass(doc)
		if next == end {
			return
		}
		for doc = list.Advance(next); doc <= g.last && doc != end; doc = list.Next() {
			tf, length := list.TF(), w.lengths.At(doc)
			if refused.has(tf, length) {
				continue
			}
			if w.word.score(tf, length) < c.run.least {
				c.run.pruned = true
				refused.add(tf, length)
			} else if !c.of.deleted.Has(doc) {
				c.take(doc, w)
			}
		}
	}
}
