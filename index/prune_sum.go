package index

import (
	"math/bits"
	"slices"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/rank"
)

// maxScore finds the best of what an Or of words matches: MaxScore (Turtle and
// Flood, 1995) with bounds by window, as Lucene does since 10. In each window
// the words of the smallest bounds, which together are not enough, are set
// aside: a document that only they are in is not wanted. The lists of the
// others are added up in an array; what may be wanted is then looked up in the
// lists that were set aside, the greatest first, until it is clear that it is
// not wanted. What remains is scored by the walk of an exhaustive search.
//
// The sums here are in another order than those of that walk, so they are
// rounded otherwise. Let u be 2^-53 and n the number of nodes of the query. What
// a word adds to a score passes at most n additions and mostBoosts products, so
// that the score is at most (1+u)^(n+4) times the sum over the reals. What it adds
// to a sum here passes at most n additions, a product, and those that made its
// weight, so that this is at least (1-u)^(n+6) times a sum over the reals that is
// not less, or it overflows to infinity, which prunes nothing. With n up to 2^20,
// the quotient is less than 1 + (4n+40)u, and slack is 1 + (32n+512)u, rounded
// twice. A product may instead be so small that it is wrong by 2^-1075; the boosts
// above it, each at most mostFactor, make at most 2^-819 of that, for each node:
// less than tiny.
type maxScore struct {
	c       *collector
	exact   walk
	words   []*summand // by window: the smallest bounds first
	before  []float64  // bounds of the words before, added up
	slack   float64    // a factor
	first   int        // words before are set aside
	sums    []float64  // of the window
	matches []uint64   // a bit for each document
}

const (
	mostBoosts = 4
	mostFactor = 1 << 64 // of a boost
	tiny       = 1e-200
)

// summand is a word of an Or.
type summand struct {
	cursor  *postings.Cursor
	lengths segment.Lengths
	score   rank.Score
	weight  float64
	ceiling *ceiling
	max     float64 // in the window
}

// newMaxScore returns nil for what it does not know how to do.
func newMaxScore(c *collector, or *orWalk, exact walk) *maxScore {
	m := &maxScore{c: c, exact: exact}
	nodes := 0
	if !m.gather(or, 1, 0, &nodes) || len(m.words) < 2 || nodes > 1<<20 {
		return nil
	}
	m.slack = 1 + float64(nodes+16)*0x1p-48
	m.before = make([]float64, len(m.words)+1)
	m.sums = make([]float64, c.run.span)
	m.matches = make([]uint64, (c.run.span+63)/64)
	return m
}

// gather collects the words below a walk; false: there is something else.
func (m *maxScore) gather(w walk, weight float64, boosts int, nodes *int) bool {
	*nodes++
	switch w := w.(type) {
	case *lagging:
		return m.gather(w.walk, weight, boosts, nodes)
	case noneWalk:
		return true
	case *orWalk:
		for _, of := range w.members {
			if !m.gather(of, weight, boosts, nodes) {
				return false
			}
		}
		return true
	case boostWalk:
		if boosts == mostBoosts || w.by != 0 && (w.by > mostFactor || w.by < 1.0/mostFactor) {
			return false
		}
		return m.gather(w.walk, weight*w.by, boosts+1, nodes)
	case *termWalk:
		w.bound(0)
		m.words = append(m.words, &summand{cursor: w.again(), lengths: w.lengths, score: w.word.score, weight: weight, ceiling: w.ceiling})
		return true
	}
	return false
}

// collect takes up the wanted matches from a document on.
func (m *maxScore) collect(from uint32) {
	docs := m.c.of.seg.Docs
	for lo, hi := from, from; lo < docs && !m.c.run.stop(); lo = hi {
		hi = lo + min(m.c.run.span, docs-lo)
		m.bound(lo, hi)
		if m.split(); m.first == len(m.words) {
			m.c.run.pruned = true
			continue
		}
		for _, w := range m.words[m.first:] {
			m.add(w, lo, hi)
		}
		m.pick(lo)
	}
}

// bound bounds the words in a window.
func (m *maxScore) bound(lo, hi uint32) {
	for _, w := range m.words {
		w.max = 0
		for from := lo; from < hi; {
			most, last := w.ceiling.bound(from)
			w.max = max(w.max, w.weight*most)
			if last >= hi {
				break
			}
			from = last + 1
		}
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
	for m.first < len(m.words) && !m.may(m.before[m.first+1]) {
		m.first++
	}
}

// may reports whether a document whose sum is at most that may be wanted.
func (m *maxScore) may(most float64) bool {
	return !(most*m.slack+tiny < m.c.run.least)
}

// add adds the scores of a word in a window.
func (m *maxScore) add(w *summand, lo, hi uint32) {
	for doc := w.cursor.Advance(lo); doc < hi && !m.c.run.stop(); doc = w.cursor.Next() {
		i := doc - lo
		m.sums[i] += w.weight * w.score(w.cursor.TF(), w.lengths.At(doc))
		m.matches[i/64] |= 1 << (i % 64)
	}
}

// pick takes up the wanted documents of a window, and empties it.
func (m *maxScore) pick(lo uint32) {
	if m.first > 0 {
		m.c.run.pruned = true
	}
	for i, set := range m.matches {
		m.matches[i] = 0
		for ; set != 0; set &= set - 1 {
			at := 64*i + bits.TrailingZeros64(set)
			sum := m.sums[at]
			m.sums[at] = 0
			if doc := lo + uint32(at); !m.c.run.stop() && m.wanted(doc, sum) {
				m.take(doc)
			}
		}
	}
}

// wanted looks a document up in the lists that were set aside.
func (m *maxScore) wanted(doc uint32, sum float64) bool {
	for i := m.first; ; i-- {
		if !m.may(sum + m.before[i]) {
			m.c.run.pruned = true
			return false
		}
		if i == 0 {
			return true
		}
		w := m.words[i-1]
		if w.cursor.Advance(doc) == doc {
			sum += w.weight * w.score(w.cursor.TF(), w.lengths.At(doc))
		}
	}
}

func (m *maxScore) take(doc uint32) {
	if !m.c.of.deleted.Has(doc) && m.exact.advance(doc) == doc {
		m.c.take(doc, m.exact)
	}
}
