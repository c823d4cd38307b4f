package index

import (
	"math"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// ceiling bounds the scores of the documents of a list, by its blocks.
type ceiling struct {
	blocks  postings.Ceiling
	ratings *ratings
	block   int // that most is of; -1: none
	last    uint32
	most    float64
}

// newCeiling bounds a list that a cursor is on. A list without blocks is read
// here: the cursor must not have moved, and does not.
func newCeiling(c *postings.Cursor, r *ratings, lengths segment.Lengths) ceiling {
	out := ceiling{blocks: c.Ceiling(), ratings: r, block: -1}
	if docs, tfs := c.Short(); docs != nil {
		out.block, out.last = 0, end
		for i, doc := range docs {
			out.most = max(out.most, r.at(tfs[i], lengths.Codes()[doc]))
		}
	}
	return out
}

func (c *ceiling) bound(from uint32) (float64, uint32) {
	if c.block >= 0 && from <= c.last {
		return c.most, c.last
	}
	c.block, c.last = c.blocks.Seek(from)
	c.most = c.ratings.most(c.blocks.Impacts(c.block))
	return c.most, c.last
}

// boundAll bounds all blocks, in a memory that no other ceiling is in.
func (c *ceiling) boundAll(all *byBound) *byBound {
	all.bounds = all.bounds[:0]
	for block := range c.blocks.Len() {
		all.bounds = append(all.bounds, c.ratings.most(c.blocks.Impacts(block)))
	}
	tail := c.most // of a list without blocks
	if n := c.blocks.Len(); n > 0 {
		tail = c.ratings.most(c.blocks.Impacts(n))
	}
	all.bounds = append(all.bounds, tail)
	return all
}

// least returns a tf that a document of the block needs to be rated bar.
func (c *ceiling) least(bar float64) uint32 {
	return c.ratings.least(c.blocks.Impacts(c.block), bar)
}

// over bounds the documents from lo up to hi, hi not included. Where that is many
// blocks, it takes the impacts of groups of them. The ceiling stays at lo.
func (c *ceiling) over(lo, hi uint32) float64 {
	most, last := c.bound(lo)
	if last >= hi-1 {
		return most
	}
	return c.rest(last+1, hi, most)
}

// rest is over for the blocks behind the one that the ceiling is at, of which most is
// the bound.
func (c ceiling) rest(lo, hi uint32, most float64) float64 {
	for {
		m, last := c.bound(lo)
		most = max(most, m)
		next := c.block + 1
		for last < hi-1 {
			end, impacts, ok := c.blocks.Group(next)
			if !ok || end >= hi-1 {
				break
			}
			most, last, next = max(most, c.ratings.most(impacts)), end, next+postings.GroupLen
		}
		if last >= hi-1 {
			return most
		}
		lo = last + 1
	}
}

func (w *termWalk) bound(from uint32) (float64, uint32) {
	if w.ceiling == nil {
		c := newCeiling(w.run.cursor(w.word.field.readers[w.view], w.word.entries[w.view][0]), newRatings(w.run, 1, w.word), w.lengths)
		w.ceiling = &c
	}
	return w.ceiling.bound(from)
}

// bounding returns those of the distinct words whose tf is not less than how often the phrase
// stands in a document: each occurrence takes a place of its own of every word;
// where there is slop, of the first one.
func (w *phraseWalk) bounding() []int {
	if w.plan.slop > 0 {
		return w.distinct[:1]
	}
	return w.distinct
}

// bound is the least of what the words allow.
func (w *phraseWalk) bound(from uint32) (float64, uint32) {
	if w.ceilings == nil {
		r := newRatings(w.run, 1, w.plan.words...)
		w.ceilings = []ceiling{}
		for _, i := range w.bounding() {
			if len(w.stands[i].cursors) > 1 {
				continue // the tfs of several terms add up
			}
			list := w.run.cursor(w.plan.field.readers[w.view], w.plan.words[i].entries[w.view][0])
			w.ceilings = append(w.ceilings, newCeiling(list, r, w.lengths))
		}
	}
	most, until := math.Inf(1), uint32(end)
	for i := range w.ceilings {
		m, last := w.ceilings[i].bound(from)
		most, until = min(most, m), min(until, last)
	}
	return most, until
}

// hopeless reports whether doc, which holds all words, is not wanted however
// often the phrase stands in it.
func (w *phraseWalk) hopeless(doc uint32) bool {
	if w.gate == nil {
		return false
	}
	needs := w.gate.needs(doc)
	if !(needs > 0) || w.run.spend(len(w.stands)/8) {
		return false
	}
	freq := uint32(math.MaxUint32)
	for _, i := range w.bounding() {
		if list := w.stands[i].cursors; len(list) == 1 {
			freq = min(freq, list[0].TF())
		}
	}
	return w.plan.score(freq, w.lengths.At(doc)) < needs
}
