package index

import (
	"math/bits"
	"slices"
)

// maxScore finds the best of what an Or of words matches: MaxScore (Turtle and
// Flood, 1995) with bounds by window, as Lucene does since 10. In each window
// the words of the smallest bounds, which together are not enough, are set
// aside: a document that only they are in is not wanted. The ratings of the
// others are added up in an array; what may be wanted is then looked up in the
// lists that were set aside, the greatest first, until it is clear that it is
// not wanted. What remains is scored. Where only one word is not set aside, there
// is nothing to add up: its documents are picked block by block.
type maxScore struct {
	cutter
	c       *collector
	formula formula
	words   []*summand // by window: the smallest bounds first
	without []*lagging
	before  []float64 // bounds of the words before, added up
	first   int       // words before are set aside
	from    uint32    // where the window begins
	sums    []float64 // of the window
	matches []uint64  // a bit for each document
	kept    picked
}

// newMaxScore returns nil for what it does not know how to do.
func newMaxScore(c *collector, w walk) *maxScore {
	g := gatherer{run: c.run}
	f := g.gather(w, 1, 0)
	if f == nil || !g.scored || g.nodes > mostNodes || g.branched && !g.or {
		return nil
	}
	return newMaxScoreOf(c, newCutter(c.run, g.nodes), f, g.words, nil)
}

func newMaxScoreOf(c *collector, cut cutter, f formula, words []*summand, without []*lagging) *maxScore {
	m := &maxScore{cutter: cut, c: c, formula: f, words: words, without: without, before: make([]float64, len(words)+1)}
	for i, w := range words {
		w.window = c.run.space().window(i)
		w.branch.join(m)
	}
	return m
}

// collect takes up the wanted matches.
func (m *maxScore) collect() {
	docs := m.c.of.seg.Docs
	m.sums, m.matches = m.run.space().takeSums(m.run.span)
	for lo, hi := uint32(0), uint32(0); lo < docs && !m.run.stop(); lo = hi {
		m.from, hi = lo, lo+min(m.run.span, docs-lo)
		m.window(m.c.static, lo, hi)
		m.bound(lo, hi)
		switch m.split(); {
		case m.first == len(m.words):
			m.run.pruned = true
		case m.first == len(m.words)-1 && m.words[m.first].branch == nil:
			m.alone(m.words[m.first], lo, hi)
		default:
			for _, w := range m.words[m.first:] {
				if w.branch == nil {
					m.add(w, lo, hi)
				}
			}
			m.addBranches(lo, hi)
			m.pick(lo)
		}
	}
	if m.run.err == nil { // else some may not be 0
		m.run.space().giveSums(m.sums, m.matches)
	}
}

// bound bounds the words in a window.
func (m *maxScore) bound(lo, hi uint32) {
	for _, w := range m.words {
		w.max = w.over(lo, hi)
	}
	slices.SortFunc(m.words, func(a, b *summand) int {
		switch {
		case a.max < b.max:
			return -1
		case a.max > b.max:
			return 1
		}
		return 0
	})
	for i, w := range m.words {
		m.before[i+1] = m.before[i] + w.max
	}
}

// split sets words aside.
func (m *maxScore) split() {
	m.first = 0
	for m.first < len(m.words) && m.before[m.first+1] < m.cut {
		m.first++
	}
}

// add adds the ratings of a word in a window.
func (m *maxScore) add(w *summand, lo, hi uint32) {
	codes, r := w.lengths.Codes(), w.ratings
	in := w.window
	in.docs, in.tfs, in.at = in.docs[:0], in.tfs[:0], 0
	for from := lo; !m.run.stop(); {
		docs := w.cursor.Batch(from, hi)
		if len(docs) == 0 {
			return
		}
		tfs := w.cursor.TFs(len(docs))
		in.docs, in.tfs = append(in.docs, docs...), append(in.tfs, tfs...)
		for j, doc := range docs {
			i := doc - lo
			row := r.table.rows[min(tfs[j], ratedTF+1)].Load() // as in ratings.at
			if row != nil && row[codes[doc]] != 0 {
				m.sums[i] += r.scale * float64(row[codes[doc]])
			} else {
				m.sums[i] += r.rate(tfs[j], codes[doc])
			}
			m.matches[i/64] |= 1 << (i % 64)
		}
		from = docs[len(docs)-1] + 1
	}
}

// alone takes up the wanted documents of a window where all words but w are set
// aside.
func (m *maxScore) alone(w *summand, lo, hi uint32) {
	m.run.pruned = m.run.pruned || m.first > 0
	codes, rest := w.lengths.Codes(), m.before[m.first]
	for from, to := lo, lo; from < hi && !m.run.stop(); from = to {
		most, last := w.block.bound(from)
		to = min(last, hi-1) + 1
		if most+rest < m.cut {
			m.run.pruned = true
			continue
		}
		docs := w.cursor.Batch(from, to)
		if len(docs) == 0 {
			continue
		}
		tfs := w.cursor.TFs(len(docs))
		bar := m.cut - rest
		kept := m.kept.among(docs, tfs, codes, w.ratings, w.block.least(bar), bar)
		m.run.pruned = m.run.pruned || len(kept) < len(docs)
		for _, i := range kept {
			sum := w.ratings.at(tfs[i], codes[docs[i]])
			if w.tf = tfs[i]; m.wanted(docs[i], sum) {
				m.take(docs[i])
			}
		}
	}
}

// pick takes up the wanted documents of a window, and empties it.
func (m *maxScore) pick(lo uint32) {
	if m.first > 0 {
		m.run.pruned = true
	}
	rest := m.before[m.first]
	for i, set := range m.matches {
		if set == 0 {
			continue
		}
		m.matches[i] = 0
		for ; set != 0; set &= set - 1 {
			at := 64*i + bits.TrailingZeros64(set)
			sum := m.sums[at]
			m.sums[at] = 0
			if sum+rest < m.cut {
				m.run.pruned = true
				continue
			}
			if doc := lo + uint32(at); m.wanted(doc, sum) && m.find(doc) {
				m.take(doc)
			}
		}
	}
}

// wanted looks a document up in the lists that were set aside.
func (m *maxScore) wanted(doc uint32, sum float64) bool {
	if sum+m.before[m.first] < m.cut {
		m.run.pruned = true
		return false
	}
	for i := m.first - 1; i >= 0; i-- {
		w := m.words[i]
		if w.branch != nil {
			var ok bool
			if sum, ok = m.lookUp(w, doc, sum, m.before[i]); !ok {
				return false
			}
			continue
		}
		w.tf = 0
		most, _ := w.block.bound(doc)
		if sum+min(most, w.max)+m.before[i] < m.cut {
			m.run.pruned = true
			return false
		}
		if w.advance(doc) {
			sum += w.ratings.at(w.tf, w.lengths.Codes()[doc])
		} else if w.needed {
			return false
		}
		if sum+m.before[i] < m.cut {
			m.run.pruned = true
			return false
		}
	}
	return true
}

// find looks a document up in what was added up, and reports whether all words
// that are needed there are in it.
func (m *maxScore) find(doc uint32) bool {
	for _, w := range m.words[m.first:] {
		if w.find(doc); w.tf == 0 && w.needed {
			return false
		}
	}
	return true
}

func (m *maxScore) take(doc uint32) {
	if m.run.stop() || m.c.of.deleted.Has(doc) {
		return
	}
	for _, w := range m.without {
		if w.matches(doc) {
			return
		}
	}
	m.c.add(doc, m.c.static.with(doc, m.formula.value(doc)))
	m.renew()
}
