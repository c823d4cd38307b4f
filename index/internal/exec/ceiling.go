package exec

import (
	"math"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// Ceiling bounds the scores of the documents of a list, by its blocks.
type Ceiling struct {
	Blocks  postings.Ceiling
	ratings *Ratings
	block   int // that most is of; -1: none
	last    uint32
	most    float64
}

// NewCeiling bounds a list that a cursor is on. A list without blocks is read
// here: the cursor must not have moved, and does not.
func NewCeiling(c *postings.Cursor, r *Ratings, lengths segment.Lengths) Ceiling {
	out := Ceiling{Blocks: c.Ceiling(), ratings: r, block: -1}
	if docs, tfs := c.Short(); docs != nil {
		out.block, out.last = 0, End
		for i, doc := range docs {
			out.most = max(out.most, r.At(tfs[i], lengths.Codes()[doc]))
		}
	}
	return out
}

// Bound bounds the documents from from to last.
func (c *Ceiling) Bound(from uint32) (float64, uint32) {
	if c.block >= 0 && from <= c.last {
		return c.most, c.last
	}
	c.block, c.last = c.Blocks.Seek(from)
	c.most = c.ratings.most(c.Blocks.Impacts(c.block))
	return c.most, c.last
}

// BoundAll returns the bounds of all blocks, in the memory of all.
func (c *Ceiling) BoundAll(all []float64) []float64 {
	all = all[:0]
	for block := range c.Blocks.Len() {
		all = append(all, c.ratings.most(c.Blocks.Impacts(block)))
	}
	tail := c.most // of a list without blocks
	if n := c.Blocks.Len(); n > 0 {
		tail = c.ratings.most(c.Blocks.Impacts(n))
	}
	all = append(all, tail)
	return all
}

// Least returns a tf that a document of the block needs to be rated bar.
func (c *Ceiling) Least(bar float64) uint32 {
	return c.ratings.Least(c.Blocks.Impacts(c.block), bar)
}

// Over bounds the documents from lo up to hi, hi not included. Where that is many
// blocks, it takes the impacts of groups of them. The ceiling stays at lo.
func (c *Ceiling) Over(lo, hi uint32) float64 {
	most, last := c.Bound(lo)
	if last >= hi-1 {
		return most
	}
	return c.rest(last+1, hi, most)
}

// rest is over for the blocks behind the one that the ceiling is at, of which most is
// the bound.
func (c Ceiling) rest(lo, hi uint32, most float64) float64 {
	for {
		m, last := c.Bound(lo)
		most = max(most, m)
		next := c.block + 1
		for last < hi-1 {
			end, impacts, ok := c.Blocks.Group(next)
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

// Bound implements [Iterator].
func (w *TermIterator) Bound(from uint32) (float64, uint32) {
	if w.ceiling == nil {
		c := NewCeiling(w.Run.cursor(w.Word.field.readers[w.view], w.Word.entries[w.view][0]), NewRatings(w.Run, 1, w.Word), w.Lengths)
		w.ceiling = &c
	}
	return w.ceiling.Bound(from)
}

// bounding returns those of the distinct words whose tf is not less than how often the phrase
// stands in a document: each occurrence takes a place of its own of every word;
// where there is slop, of the first one.
func (w *PhraseIterator) bounding() []int {
	if w.Plan.Slop > 0 {
		return w.Distinct[:1]
	}
	return w.Distinct
}

// Bound is the least of what the words allow.
func (w *PhraseIterator) Bound(from uint32) (float64, uint32) {
	if w.ceilings == nil {
		r := NewRatings(w.Run, 1, w.Plan.Words...)
		w.ceilings = []Ceiling{}
		for _, i := range w.bounding() {
			if len(w.Stands[i].Cursors) > 1 {
				continue // the tfs of several terms add up
			}
			list := w.Run.cursor(w.Plan.field.readers[w.view], w.Plan.Words[i].entries[w.view][0])
			w.ceilings = append(w.ceilings, NewCeiling(list, r, w.Lengths))
		}
	}
	most, until := math.Inf(1), uint32(End)
	for i := range w.ceilings {
		m, last := w.ceilings[i].Bound(from)
		most, until = min(most, m), min(until, last)
	}
	return most, until
}

// hopeless reports whether doc, which holds all words, is not wanted however
// often the phrase stands in it.
func (w *PhraseIterator) hopeless(doc uint32) bool {
	if w.gate == nil {
		return false
	}
	needs := w.gate.needs(doc)
	if !(needs > 0) || w.Run.Spend(len(w.Stands)/8) {
		return false
	}
	freq := uint32(math.MaxUint32)
	for _, i := range w.bounding() {
		if list := w.Stands[i].Cursors; len(list) == 1 {
			freq = min(freq, list[0].TF())
		}
	}
	return w.Plan.Score(freq, w.Lengths.At(doc)) < needs
}
