package collect

import (
	"slices"

	"github.com/webquarry/quarry/index/internal/exec"
)

// scratch is memory that a collector works in, kept for the next one.
type scratch struct {
	summands exec.Pool[summand]
	sums     []float64 // all 0
	matches  []uint64  // all 0
	windows  []listed
	best     []Found
	blocks   byBound
	keys     []byte
	ends     []int // of keys
}

// takeScratch takes the memory for a search.
func takeScratch(c *exec.Collection) *scratch {
	if m, ok := c.Shared.Above.Get().(*scratch); ok {
		return m
	}
	return new(scratch)
}

// giveScratch gives it back.
func giveScratch(c *exec.Collection, m *scratch) {
	m.summands.Shrink()
	c.Shared.Above.Put(m)
}

// listed is the documents of a word in a window of maxScore.
type listed struct {
	docs, tfs []uint32
	at        int // place of the document that was looked up last
}

// tf returns how often a document, which never falls, holds the word; 0: it does
// not.
func (l *listed) tf(doc uint32) uint32 {
	rest, step := l.docs[l.at:], 1
	for step < len(rest) && rest[step] < doc {
		step *= 2
	}
	i, ok := slices.BinarySearch(rest[step/2:min(step+1, len(rest))], doc)
	if l.at += step/2 + i; !ok {
		return 0
	}
	return l.tfs[l.at]
}

// takeSums hands out sums and matches for a window of n documents, all 0. They
// come back with giveSums, all 0 again, or not at all.
func (m *scratch) takeSums(n uint32) (sums []float64, matches []uint64) {
	sums, matches = m.sums, m.matches
	m.sums, m.matches = nil, nil
	if len(sums) != int(n) {
		return make([]float64, n), make([]uint64, (n+63)/64)
	}
	return sums, matches
}

func (m *scratch) giveSums(sums []float64, matches []uint64) { m.sums, m.matches = sums, matches }

// window hands out the i-th window, as long as no other i-th is in use.
func (m *scratch) window(i int) *listed {
	for i >= len(m.windows) {
		m.windows = append(m.windows, listed{})
	}
	return &m.windows[i]
}
