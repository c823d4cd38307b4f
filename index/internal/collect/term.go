package collect

import (
	"math"
	"slices"

	"github.com/webquarry/quarry/index/internal/exec"
)

// byBound are the blocks of a list, the tail as the last of them, in the order in
// which a search for the best of one word looks at them: about by falling bounds,
// so that it soon knows what score there is to beat, and most blocks need not be
// read.
type byBound struct {
	bounds []float64 // by block
	order  []uint32
}

// boundSteps is how many bounds are told apart in the order of blocks.
const boundSteps = 128

// sort orders the blocks: a counting sort, since it has to cost less than what it
// saves.
func (b *byBound) sort() {
	scale := (boundSteps - 1) / max(slices.Max(b.bounds), math.SmallestNonzeroFloat64)
	if math.IsInf(scale, 1) || math.IsNaN(scale) || scale == 0 {
		b.asGiven()
		return
	}
	var starts [boundSteps]uint32
	step := func(bound float64) int { return boundSteps - 1 - int(bound*scale) }
	for _, bound := range b.bounds {
		starts[step(bound)&(boundSteps-1)]++
	}
	n := uint32(0)
	for i, count := range starts {
		starts[i], n = n, n+count
	}
	b.order = slices.Grow(b.order[:0], len(b.bounds))[:len(b.bounds)]
	for block, bound := range b.bounds {
		at := &starts[step(bound)&(boundSteps-1)]
		b.order[*at] = uint32(block)
		*at++
	}
}

// asGiven leaves the blocks in the order of documents.
func (b *byBound) asGiven() {
	b.order = b.order[:0]
	for block := range b.bounds {
		b.order = append(b.order, uint32(block))
	}
}

// collectTerm takes up the wanted matches of a single word: block by block, and
// in a block by ratings.
func (c *collector) collectTerm(w *exec.TermIterator) {
	r, list, codes := exec.NewRatings(c.run, 1, w.Word), w.Cursor, w.Lengths.Codes()
	top := exec.NewCeiling(list, r, w.Lengths)
	blocks := &c.scratch.blocks
	blocks.bounds = top.BoundAll(blocks.bounds)
	if c.static != nil { // columns are read in the order of documents
		blocks.asGiven()
	} else {
		blocks.sort()
		c.top.byKey = false
	}
	cut := cutter{run: c.run, slack: 1} // ratings of one word are not added up
	cut.renew()
	var kept exec.Picked
	for _, block := range blocks.order {
		if c.static != nil {
			first, last := top.Blocks.Span(int(block))
			cut.window(c.static, first, min(last, c.of.Seg.Docs-1)+1)
		}
		if blocks.bounds[block] < cut.cut {
			c.run.Pruned = true
			continue
		}
		if c.run.Stop() {
			return
		}
		docs, tfs := list.Block(int(block))
		wanted := kept.Among(docs, tfs, codes, r, r.Least(top.Blocks.Impacts(int(block)), cut.cut), cut.cut)
		c.run.Pruned = c.run.Pruned || len(wanted) < len(docs)
		for _, i := range wanted {
			doc, tf := docs[i], tfs[i]
			if r.At(tf, codes[doc]) < cut.cut {
				c.run.Pruned = true
			} else if !c.of.Deleted.Has(doc) {
				c.add(doc, c.static.With(doc, w.Word.Score(tf, w.Lengths.At(doc))))
				cut.renew()
			}
		}
	}
}
