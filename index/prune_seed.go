package index

import "slices"

// A search for the best of one word reads the blocks in their order, and at first
// knows no score to beat. Of a frequent word it then reads many that hold none of the
// best. So the few blocks with the greatest bounds are looked at before all others,
// only to learn a score that the best k have at least.
const (
	seedBlocks = 14
	manyBlocks = 7 * seedBlocks // with less, the order costs less than this does
)

// seed raises the floor to the k-th best score of the most promising blocks. That
// many matches score so, whatever else there is, so that what scores less is not
// wanted.
func (c *collector) seed(w *termWalk, top *ceiling) {
	if n := top.blocks.Len(); n < manyBlocks || c.top.k > seedBlocks || c.static != nil || c.run.after != nil {
		return
	}
	top.boundAll(c.run.space())
	list, codes, best := w.again(), w.lengths.Codes(), topK{k: c.top.k}
	var kept picked
	for _, block := range promising(top.known) {
		first, last := top.blocks.Span(block)
		docs := list.Batch(first, min(last, c.of.seg.Docs-1)+1)
		tfs := list.TFs(len(docs))
		bar := best.least()
		for _, i := range kept.among(docs, tfs, codes, top.ratings, top.ratings.least(top.blocks.Impacts(block), bar), bar) {
			doc, tf := docs[i], tfs[i]
			if top.ratings.at(tf, codes[doc]) >= best.least() && !c.of.deleted.Has(doc) {
				best.add(found{score: w.word.score(tf, w.lengths.At(doc)), doc: doc, place: doc})
			}
		}
	}
	c.floor = max(c.floor, best.least())
}

// promising returns the blocks with the greatest bounds, ascending.
func promising(bounds []float64) []int {
	var best [seedBlocks]int
	n := 0
	for block, bound := range bounds {
		i := n
		if n < len(best) {
			n++
		} else if i--; bound <= bounds[best[i]] {
			continue
		}
		for ; i > 0 && bound > bounds[best[i-1]]; i-- {
			best[i] = best[i-1]
		}
		best[i] = block
	}
	slices.Sort(best[:n])
	return best[:n]
}
