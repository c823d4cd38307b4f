package index

// collectTerm takes up the wanted matches of a single word: block by block, and
// in a block by ratings.
func (c *collector) collectTerm(w *termWalk) {
	r, list, codes := newRatings(c.run, 1, w.word), w.cursor, w.lengths.Codes()
	top := newCeiling(list, r, w.lengths)
	c.seed(w, &top)
	cut := cutter{run: c.run, slack: 1} // ratings of one word are not added up
	var kept picked
	for from := uint32(0); !c.run.stop(); {
		most, last := top.bound(from)
		if cut.window(c.static, from, min(last, c.of.seg.Docs-1)+1); most < cut.cut {
			c.run.pruned = true
		} else if docs := list.Batch(from, min(last, c.of.seg.Docs-1)+1); len(docs) > 0 {
			tfs := list.TFs(len(docs))
			wanted := kept.among(docs, tfs, codes, r, top.least(cut.cut), cut.cut)
			c.run.pruned = c.run.pruned || len(wanted) < len(docs)
			for _, i := range wanted {
				doc, tf := docs[i], tfs[i]
				if r.at(tf, codes[doc]) < cut.cut {
					c.run.pruned = true
				} else if !c.of.deleted.Has(doc) {
					c.add(doc, c.static.with(doc, w.word.score(tf, w.lengths.At(doc))))
					cut.renew()
				}
			}
		}
		if last >= end-1 {
			return
		}
		from = last + 1
	}
}
