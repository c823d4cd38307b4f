package index

import (
	"math"
	"slices"
)

// allOf finds the best of what an And of words matches. The rarest word leads,
// block by block: a block is left out when it and the most that the others have
// there are not enough, a document of it when its rating is not. What remains is
// looked up in the other lists, the rarest first, as long as it may be wanted,
// and no block is read there for a document that it cannot lift high enough.
type allOf struct {
	cutter
	c       *collector
	formula formula
	needed  []*summand // the rarest first
	extra   []*summand // that only add to the score
	without []*lagging
	filters []*lagging // that are needed and do not score
	phrases []*phrased
	kept    picked
	rest    []float64 // in the window, the most that those from here on have: of needed, then of extra
}

// newAllOf returns nil for what it does not know how to do.
func newAllOf(c *collector, w walk) *allOf {
	m := &allOf{c: c}
	g := &gatherer{run: c.run}
	f := m.gather(g, w, 1, 0)
	if f == nil || !g.scored || len(m.needed) == 0 || g.nodes > mostNodes || m.rare() {
		return nil
	}
	m.formula, m.cutter = f, newCutter(c.run, g.nodes)
	slices.SortStableFunc(m.needed, func(a, b *summand) int { return int(a.cursor.Len()) - int(b.cursor.Len()) })
	m.rest = make([]float64, len(m.needed)+len(m.extra)+1)
	return m
}

// frequent reports whether the leading word has more documents than all that
// only add to the score: then most of what is found is not wanted for lack of
// these, and a search by them costs less.
func (m *allOf) frequent() bool {
	extra := 0
	for _, w := range m.extra {
		extra += int(w.cursor.Len())
	}
	return len(m.extra) > 0 && len(m.phrases)+len(m.filters) == 0 && int(m.needed[0].cursor.Len()) > extra
}

// byExtra is the same search by what adds to the score.
func (m *allOf) byExtra() *maxScore {
	for _, w := range m.needed {
		w.needed = true
	}
	return newMaxScoreOf(m.c, m.cutter, m.formula, append(m.needed, m.extra...), m.without)
}

// rare reports whether a filter has far less matches than any word, and should
// lead.
func (m *allOf) rare() bool {
	least := math.MaxInt
	for _, w := range m.needed {
		least = min(least, int(w.cursor.Len()))
	}
	return slices.ContainsFunc(m.filters, func(w *lagging) bool { return w.size()*sparseLead < least })
}

// gather collects what is needed; nil: there is something else.
func (m *allOf) gather(g *gatherer, w walk, weight float64, boosts int) formula {
	g.nodes++
	switch w := w.(type) {
	case *allWalk:
		return sumFormula{}
	case *rangeWalk, *unionWalk:
		m.filters = append(m.filters, &lagging{walk: w})
		return sumFormula{}
	case constantWalk:
		if w.by == 0 {
			m.filters = append(m.filters, &lagging{walk: w.walk})
			return sumFormula{}
		}
	case *termWalk:
		s := g.word(w, weight)
		m.needed = append(m.needed, s)
		return s
	case *phraseWalk:
		if p := g.phrase(w, weight); p != nil {
			m.needed = append(m.needed, p.words...)
			m.phrases = append(m.phrases, p)
			return p
		}
	case boostWalk:
		if !w.gathered(boosts) {
			return nil
		}
		if f := m.gather(g, w.walk, weight*w.by, boosts+1); f != nil {
			return boostFormula{f, w.by}
		}
	case *andWalk:
		m.without = append(m.without, w.without...)
		sum := sumFormula{}
		for _, of := range w.members {
			f := m.gather(g, of, weight, boosts)
			if f == nil {
				return nil
			}
			sum = append(sum, f)
		}
		return sum
	case *orWalk:
		return m.gatherExtra(g, w, weight, boosts)
	}
	return nil
}

// gatherExtra collects what an Or that matches everything adds to the score.
func (m *allOf) gatherExtra(g *gatherer, w *orWalk, weight float64, boosts int) formula {
	if !w.all() {
		return nil
	}
	extra := gatherer{run: g.run, optional: true}
	f := extra.gather(w, weight, boosts)
	m.extra = append(m.extra, extra.words...)
	g.nodes, g.scored = g.nodes+extra.nodes, g.scored || extra.scored
	return f
}

// all reports whether a member matches everything, so that the others only add
// to the score.
func (w *orWalk) all() bool {
	return slices.ContainsFunc(w.members, func(m *lagging) bool { _, ok := m.walk.(*allWalk); return ok })
}

// collect takes up the wanted matches.
func (m *allOf) collect() {
	lead := m.needed[0]
	for from := uint32(0); !m.run.stop(); {
		most, last := lead.ceiling.bound(from)
		to := min(last, m.c.of.seg.Docs-1) + 1
		m.window(m.c.static, from, to)
		if m.bound(from, to); most+m.rest[1] < m.cut {
			m.run.pruned = true
		} else if docs := lead.cursor.Batch(from, to); len(docs) > 0 {
			m.block(docs, lead.cursor.TFs(len(docs)))
		}
		if last >= end-1 {
			return
		}
		from = last + 1
	}
}

// bound bounds the words but the first in a window.
func (m *allOf) bound(lo, hi uint32) {
	for i := len(m.rest) - 2; i > 0; i-- {
		m.rest[i] = m.rest[i+1] + m.word(i).ceiling.over(lo, hi)
	}
}

func (m *allOf) word(i int) *summand {
	if i < len(m.needed) {
		return m.needed[i]
	}
	return m.extra[i-len(m.needed)]
}

// block looks at the documents of the leading word in a window.
func (m *allOf) block(docs, tfs []uint32) {
	lead := m.needed[0]
	codes := lead.lengths.Codes()
	bar := m.cut - m.rest[1]
	kept := m.kept.among(docs, tfs, codes, lead.ratings, lead.ceiling.least(bar), bar)
	m.run.pruned = m.run.pruned || len(kept) < len(docs)
	next := uint32(0)
	for _, i := range kept {
		doc := docs[i]
		if doc < next {
			continue
		}
		sum := lead.ratings.at(tfs[i], codes[doc])
		if sum+m.rest[1] < m.cut {
			m.run.pruned = true
			continue
		}
		if next = m.agree(doc, sum); next == doc {
			lead.tf = tfs[i]
			m.take(doc)
		}
	}
}

// agree returns doc if all words that are needed are in it and it may be wanted,
// else where to go on.
func (m *allOf) agree(doc uint32, sum float64) uint32 {
	for i, w := range m.needed[1:] {
		if w.idle {
			if !w.advance(doc) {
				return w.cursor.Doc()
			}
			continue
		}
		rest := m.rest[i+2]
		if most, _ := w.block.bound(doc); sum+most+rest < m.cut {
			m.run.pruned = true
			return doc + 1
		}
		if !w.advance(doc) {
			return w.cursor.Doc()
		}
		if sum += w.ratings.at(w.tf, w.lengths.Codes()[doc]); sum+rest < m.cut {
			m.run.pruned = true
			return doc + 1
		}
	}
	return doc
}

// take takes up a match, unless it is not wanted for what is in it besides.
func (m *allOf) take(doc uint32) {
	if m.run.stop() || m.c.of.deleted.Has(doc) {
		return
	}
	for _, w := range m.extra {
		w.advance(doc)
	}
	for _, w := range m.without {
		if w.matches(doc) {
			return
		}
	}
	for _, w := range m.filters {
		if !w.matches(doc) {
			return
		}
	}
	if len(m.phrases) > 0 && !m.phrased(doc) {
		return
	}
	m.c.add(doc, m.c.static.with(doc, m.formula.value(doc)))
	m.renew()
}

// phrased reports whether the phrases stand in a document, unless it is not
// wanted however often they do.
func (m *allOf) phrased(doc uint32) bool {
	m.needed[0].cursor.Return(doc)
	for _, p := range m.phrases {
		p.least()
	}
	if m.total(doc) < m.cut {
		m.run.pruned = true
		return false
	}
	for _, p := range m.phrases {
		if p.freq = p.of.count(); p.freq == 0 {
			return false
		}
	}
	return true
}

// total bounds the score of a document that all words were looked up in.
func (m *allOf) total(doc uint32) float64 {
	sum := 0.0
	for _, w := range m.needed {
		if !w.idle {
			sum += w.ratings.at(w.tf, w.lengths.Codes()[doc])
		}
	}
	for _, w := range m.extra {
		if w.tf > 0 {
			sum += w.ratings.at(w.tf, w.lengths.Codes()[doc])
		}
	}
	return sum
}
