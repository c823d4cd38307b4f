package collect

import (
	"slices"

	"github.com/webquarry/quarry/index/internal/exec"
)

// branch is a part of an Or that is no word: a phrase, an And, or whatever else is
// walked. In the sum it is like a word whose rating is its very score: it is added
// up, or set aside and looked up.
//
// A gate keeps it from documents where it scores too little for what the rest adds
// at most. There the slack of cut is taken once more, so that what the gate leaves
// out is not wanted without the branch either, in whatever order the rest of it is
// added up.
type branch struct {
	exec.Lagging
	weight  float64
	gate    exec.Gate
	needs   func(doc uint32) float64 // what it has to score where it is added up
	least   float64                  // the same in all of a window, or where it is looked up
	blocks  []blockBound             // of the window
	block   int                      // the one that was asked for last
	pending float64                  // the most that is added to the sums of the window after it
	docs    []uint32                 // of the window, where it is added up
	scores  []float64
	found   bool // in the document that is looked at
	now     float64
}

// blockBound is what documents up to last score at most.
type blockBound struct {
	most float64
	last uint32
}

// branch gathers a part that is walked.
func (g *gatherer) branch(w exec.Iterator, weight float64) formula {
	switch w.(type) {
	case *exec.RangeIterator, *exec.UnionIterator, *exec.ListIterator, *exec.FilledIterator, *exec.MarksIterator, *exec.NotIterator, *exec.AllIterator, exec.NoneIterator:
	default:
		g.scored = g.scored || weight > 0
	}
	s := newBranch(g.run, w, weight)
	g.words = append(g.words, s)
	return s.branch
}

func newBranch(r *exec.Run, w exec.Iterator, weight float64) *summand {
	c := &branch{Lagging: exec.Lagging{Iterator: w}, weight: weight}
	c.gate = exec.Gate{Run: r, Of: c, Least: &c.least}
	if of, ok := w.(exec.Gated); ok {
		of.Guard(&c.gate)
	}
	return &summand{branch: c}
}

// value is the score of the branch in the document that is looked at.
func (c *branch) value(uint32) float64 {
	if !c.found {
		return 0
	}
	return c.now
}

// over bounds what the documents from lo up to hi, hi not included, have of the
// branch, all and block by block.
func (c *branch) over(lo, hi uint32) float64 {
	c.blocks, c.block, c.gate.Open = c.blocks[:0], 0, false
	most := 0.0
	for from := lo; from < hi; {
		m, last := c.Iterator.Bound(from)
		last = min(last, hi-1)
		c.blocks = append(c.blocks, blockBound{m, last})
		if c.weight > 0 {
			most = max(most, c.weight*m)
		}
		from = last + 1
	}
	return most
}

// Bound bounds documents of the window, by its blocks.
func (c *branch) Bound(from uint32) (float64, uint32) {
	for c.blocks[c.block].last < from {
		c.block++
	}
	return c.blocks[c.block].most, c.blocks[c.block].last
}

// look looks a document up, in which the branch has to score so much to matter, and
// returns what it adds.
func (c *branch) look(doc uint32, needs float64) float64 {
	c.least, c.gate.Until, c.gate.Each = needs, doc+1, nil
	if c.found = c.Holds(doc); !c.found {
		return 0
	}
	c.now = c.Score()
	return c.weight * c.now
}

// find looks a document of the window up that the branch was added up in.
func (c *branch) find(doc uint32) {
	i, ok := slices.BinarySearch(c.docs, doc)
	if c.found = ok; ok {
		c.now = c.scores[i]
	}
}

// join makes a branch one of a sum.
func (c *branch) join(m *maxScore) {
	if c != nil {
		c.needs = func(doc uint32) float64 { return m.needs(c, m.sums[doc-m.from]+c.pending) }
	}
}

// needs is what a branch has to score where the rest adds at most so much.
func (m *maxScore) needs(c *branch, rest float64) float64 {
	return (m.cut/m.slack - rest) / c.weight
}

// addBranches adds up the scores of the branches in a window that are not set aside,
// after the words.
func (m *maxScore) addBranches(lo, hi uint32) {
	pending := m.before[m.first]
	for _, w := range m.words[m.first:] {
		if w.branch != nil {
			w.branch.pending = pending
			pending += w.max
		}
	}
	behind := 0.0
	for i := len(m.words) - 1; i >= m.first; i-- {
		if c := m.words[i].branch; c != nil {
			c.least, c.gate.Until, c.gate.Each = m.needs(c, m.before[i]+behind), hi, c.needs
			m.addBranch(c, lo, hi)
		}
		behind += m.words[i].max
	}
}

func (m *maxScore) addBranch(c *branch, lo, hi uint32) {
	c.docs, c.scores = c.docs[:0], c.scores[:0]
	for doc := lo; !m.c.run.Stop(); doc = c.At + 1 {
		if c.Matches(doc); c.At >= hi {
			return
		}
		score, i := c.Score(), c.At-lo
		m.seen++
		c.docs, c.scores = append(c.docs, c.At), append(c.scores, score)
		m.sums[i] += c.weight * score
		m.matches[i/64] |= 1 << (i % 64)
	}
}

// lookUp adds what a branch that was set aside adds to a sum; false: the document is
// not wanted.
func (m *maxScore) lookUp(w *summand, doc uint32, sum, before float64) (float64, bool) {
	c := w.branch
	if most, _ := c.Bound(doc); c.weight == 0 || !(sum+min(c.weight*most, w.max)+before < m.cut) {
		sum += c.look(doc, m.needs(c, sum+before))
		if w.needed && !c.found {
			return sum, false
		}
		if !(sum+before < m.cut) {
			return sum, true
		}
	}
	m.c.run.Pruned = true
	return sum, false
}
