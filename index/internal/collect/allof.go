package collect

import (
	"slices"

	"github.com/webquarry/quarry/index/internal/exec"
)

// allOf finds the best of what an And of words matches. The rarest word leads,
// block by block: a block is left out when it and the most that the others have
// there are not enough, a document of it when its rating is not. What remains is
// looked up in the other lists, the rarest first, as long as it may be wanted,
// and no block is read there for a document that it cannot lift high enough.
type allOf struct {
	cutter
	*clauses
	c      *collector
	needed []*summand // the rarest first
	kept   exec.Picked
	rest   []float64 // in the window, the most that needed from here on have, and filters
}

func newAllOf(c *collector, of *clauses) *allOf {
	m := &allOf{clauses: of, c: c, cutter: newCutter(c.run, of.nodes), needed: slices.Concat(of.groups...)}
	slices.SortStableFunc(m.needed, func(a, b *summand) int { return a.size() - b.size() })
	m.rest = make([]float64, len(m.needed)+1)
	m.rest[len(m.needed)] = of.base
	return m
}

// collect takes up the wanted matches.
func (m *allOf) collect() {
	lead, run := m.needed[0], m.c.run
	for from := uint32(0); !run.Stop(); {
		most, last := lead.ceiling.Bound(from)
		to := min(last, m.c.of.Seg.Docs-1) + 1
		m.window(m.c.static, from, to)
		if m.bound(from, to); most+m.rest[1] < m.cut {
			run.Pruned = true
		} else if docs := lead.cursor.Batch(from, to); len(docs) > 0 {
			m.block(docs, lead.cursor.TFs(len(docs)))
		}
		if last >= exec.End-1 {
			return
		}
		from = last + 1
	}
}

// bound bounds the words but the first in a window.
func (m *allOf) bound(lo, hi uint32) {
	for i := len(m.needed) - 1; i > 0; i-- {
		m.rest[i] = m.rest[i+1] + m.needed[i].over(lo, hi)
	}
}

// block looks at the documents of the leading word in a window.
func (m *allOf) block(docs, tfs []uint32) {
	lead, run := m.needed[0], m.c.run
	if run.Work != nil {
		run.Work.Docs += len(docs)
	}
	codes := lead.lengths.Codes()
	bar := m.cut - m.rest[1]
	kept := m.kept.Among(docs, tfs, codes, lead.ratings, lead.ceiling.Least(bar), bar)
	run.Pruned = run.Pruned || len(kept) < len(docs)
	next := uint32(0)
	for _, i := range kept {
		doc := docs[i]
		if doc < next {
			continue
		}
		sum := lead.ratings.At(tfs[i], codes[doc])
		if sum+m.rest[1] < m.cut {
			run.Pruned = true
			continue
		}
		if next = m.agree(doc, sum); next == doc {
			lead.tf = tfs[i]
			m.take(doc)
		}
	}
}

// agree returns doc if all words are in it and it may be wanted, else where to go on.
func (m *allOf) agree(doc uint32, sum float64) uint32 {
	for i, w := range m.needed[1:] {
		if w.idle {
			if !w.advance(doc) {
				return w.cursor.Doc()
			}
			continue
		}
		rest := m.rest[i+2]
		if most, _ := w.block.Bound(doc); sum+most+rest < m.cut {
			m.c.run.Pruned = true
			return doc + 1
		}
		if !w.advance(doc) {
			return w.cursor.Doc()
		}
		if sum += w.ratings.At(w.tf, w.lengths.Codes()[doc]); sum+rest < m.cut {
			m.c.run.Pruned = true
			return doc + 1
		}
	}
	return doc
}

// take takes up a match, unless it is not wanted for what is in it besides.
func (m *allOf) take(doc uint32) {
	if m.c.run.Stop() || m.c.of.Deleted.Has(doc) || !m.Holds(doc) {
		return
	}
	if len(m.phrases) > 0 {
		m.needed[0].cursor.Return(doc)
		if !m.phrased(doc, m.cut, m.needed) {
			return
		}
	}
	m.c.add(doc, m.c.static.With(doc, m.formula.value(doc)))
	m.renew()
}
