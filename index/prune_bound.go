package index

import (
	"math"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/rank"
)

// ceiling bounds the scores of the documents of a list, by its blocks.
type ceiling struct {
	blocks  postings.Ceiling
	score   rank.Score
	lengths segment.Lengths
	again   func() *postings.Cursor // opens the list
	block   int                     // that most is of; -1: none
	most    float64
	impacts []postings.Impact
}

func newCeiling(c *postings.Cursor, again func() *postings.Cursor, lengths segment.Lengths, score rank.Score) *ceiling {
	return &ceiling{blocks: c.Ceiling(), score: score, lengths: lengths, again: again, block: -1}
}

func (c *ceiling) bound(from uint32) (float64, uint32) {
	block, last := c.blocks.Seek(from)
	if block == c.block {
		return c.most, last
	}
	c.block, c.most = block, 0
	if block == c.blocks.Tail() {
		c.most = c.tail()
		return c.most, last
	}
	c.impacts = c.blocks.Impacts(c.impacts[:0], block)
	for _, p := range c.impacts {
		c.most = max(c.most, c.score(p.TF, p.Len))
	}
	return c.most, last
}

// tail returns the greatest score of the tail of the list.
func (c *ceiling) tail() float64 {
	list, most := c.again(), 0.0
	for doc := list.Advance(c.blocks.Start()); doc != end; doc = list.Next() {
		most = max(most, c.score(list.TF(), c.lengths.At(doc)))
	}
	return most
}

func (w *termWalk) bound(from uint32) (float64, uint32) {
	if w.ceiling == nil {
		w.ceiling = newCeiling(w.cursor, w.again, w.lengths, w.word.score)
	}
	return w.ceiling.bound(from)
}

// bounding returns those words whose tf is not less than how often the phrase
// stands in a document: each occurrence takes a place of its own of every word;
// where there is slop, of the first one.
func (w *phraseWalk) bounding() []*stand {
	if w.plan.slop > 0 {
		return w.stands[:1]
	}
	return w.stands
}

// bound is the least of what the words allow.
func (w *phraseWalk) bound(from uint32) (float64, uint32) {
	if w.ceilings == nil {
		w.ceilings = []*ceiling{}
		for i, s := range w.bounding() {
			if len(s.cursors) > 1 {
				continue // the tfs of several terms add up
			}
			again := func() *postings.Cursor {
				return w.run.cursor(w.plan.field.readers[w.view], w.plan.words[i].entries[w.view][0])
			}
			w.ceilings = append(w.ceilings, newCeiling(s.cursors[0], again, w.lengths, w.plan.score))
		}
	}
	most, until := math.Inf(1), uint32(end)
	for _, c := range w.ceilings {
		m, last := c.bound(from)
		most, until = min(most, m), min(until, last)
	}
	return most, until
}

// hopeless reports whether doc, which holds all words, is not wanted however
// often the phrase stands in it.
func (w *phraseWalk) hopeless(doc uint32) bool {
	if w.gate == nil || w.run.least <= 0 {
		return false
	}
	freq := uint32(math.MaxUint32)
	for _, s := range w.bounding() {
		if len(s.cursors) == 1 {
			freq = min(freq, s.cursors[0].TF())
		}
	}
	return w.plan.score(freq, w.lengths.At(doc)) < w.run.least
}
