package index

import "math/bits"

// A query of words alone is counted apart from the search for the best: its
// matches are marked as bits, window by window, without scores. The search can
// then leave out what is not wanted.

// countSpan is how many documents are marked in one go.
const countSpan = 1 << 16

// countable reports whether counting costs less than a walk over all matches.
func countable(p plan) bool {
	switch p := p.(type) {
	case *wordPlan, *fuzzyPlan, allPlan, nonePlan, *rangePlan, filledPlan:
		return true
	case boostPlan:
		return countable(p.of)
	case constantPlan:
		return countable(p.of)
	case *staticPlan:
		return countable(p.of)
	case notPlan:
		return countable(p.of)
	case andPlan:
		return allCountable(p)
	case orPlan:
		return allCountable(p)
	}
	return false
}

func allCountable(plans []plan) bool {
	for _, p := range plans {
		if !countable(p) {
			return false
		}
	}
	return true
}

// count counts the live matches of a plan.
func (c *commit) count(r *run, p plan) (int, error) {
	switch of := p.(type) {
	case boostPlan:
		return c.count(r, of.of)
	case constantPlan:
		return c.count(r, of.of)
	case *staticPlan:
		return c.count(r, of.of)
	case *wordPlan:
		return of.word.stats.DocFreq, nil
	case *fuzzyPlan:
		return of.word.stats.DocFreq, nil
	case allPlan:
		return c.docs, nil
	}
	total := 0
	marks := make([]uint64, countSpan/64)
	for i, v := range c.views {
		w := p.open(r, i)
		for lo := uint32(0); lo < v.seg.Docs && !r.stop(); lo += min(countSpan, v.seg.Docs-lo) {
			clear(marks)
			mark(r, w, lo, min(countSpan, v.seg.Docs-lo), marks)
			v.deleted.Remove(marks, lo)
			for _, m := range marks {
				total += bits.OnesCount64(m)
			}
		}
		if err := r.done(v); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// marker is a walk that marks its matches in some way that is faster than to
// walk.
type marker interface {
	// mark sets the bits of the matches among the n documents from lo on, a
	// multiple of 64. No bit is set before. Lo ascends, and the walk is not
	// walked besides.
	mark(r *run, lo, n uint32, marks []uint64)
}

func mark(r *run, w walk, lo, n uint32, marks []uint64) {
	if m, ok := w.(marker); ok {
		m.mark(r, lo, n, marks)
		return
	}
	markEach(r, w, lo, n, marks)
}

// markEach walks the matches.
func markEach(r *run, w walk, lo, n uint32, marks []uint64) {
	for doc := w.advance(lo); doc < lo+n && !r.stop(); doc = w.advance(doc + 1) {
		marks[(doc-lo)/64] |= 1 << (doc % 64)
	}
}

func (w *termWalk) mark(r *run, lo, n uint32, marks []uint64) {
	for from := lo; !r.stop(); {
		docs := w.cursor.Batch(from, lo+n)
		if len(docs) == 0 {
			return
		}
		for _, doc := range docs {
			marks[(doc-lo)/64%uint32(len(marks))] |= 1 << (doc % 64)
		}
		from = docs[len(docs)-1] + 1
	}
}

func (w *allWalk) mark(_ *run, _, n uint32, marks []uint64) { markAll(n, marks) }

// markAll sets the first n bits.
func markAll(n uint32, marks []uint64) {
	for i := range n / 64 {
		marks[i] = ^uint64(0)
	}
	if n%64 != 0 {
		marks[n/64] = 1<<(n%64) - 1
	}
}

func (w boostWalk) mark(r *run, lo, n uint32, marks []uint64) { mark(r, w.walk, lo, n, marks) }

func (w constantWalk) mark(r *run, lo, n uint32, marks []uint64) { mark(r, w.walk, lo, n, marks) }

func (w *orWalk) mark(r *run, lo, n uint32, marks []uint64) {
	for _, m := range w.members {
		if term, ok := m.walk.(*termWalk); ok {
			term.mark(r, lo, n, marks)
			continue
		}
		other := w.marks.cleared()
		mark(r, m.walk, lo, n, other)
		for i := range marks {
			marks[i] |= other[i]
		}
	}
}

func (w *notWalk) mark(r *run, lo, n uint32, marks []uint64) {
	mark(r, w.of, lo, n, marks)
	all := w.marks.cleared()
	markAll(n, all)
	for i, m := range marks {
		marks[i] = all[i] &^ m
	}
}

// sparseLead says when an And is walked rather than marked: when its rarest
// member has less than one in so many matches of the next.
const sparseLead = 16

func (w *andWalk) mark(r *run, lo, n uint32, marks []uint64) {
	if len(w.order) > 1 && w.order[0].size()*sparseLead < w.order[1].size() || len(w.order) == 1 && w.sparse() {
		markEach(r, w, lo, n, marks)
		return
	}
	mark(r, w.order[0], lo, n, marks)
	for _, m := range w.order[1:] {
		other := w.marks.cleared()
		mark(r, m, lo, n, other)
		for i := range marks {
			marks[i] &= other[i]
		}
	}
	for _, m := range w.without {
		other := w.marks.cleared()
		mark(r, m.walk, lo, n, other)
		for i := range marks {
			marks[i] &^= other[i]
		}
	}
}

// sparse reports whether what is excluded has far more matches than the one
// member.
func (w *andWalk) sparse() bool {
	for _, m := range w.without {
		if w.order[0].size()*sparseLead < m.size() {
			return true
		}
	}
	return false
}

// marks is room for the bits of a window.
type marks struct{ of []uint64 }

func (m *marks) cleared() []uint64 {
	if m.of == nil {
		m.of = make([]uint64, countSpan/64)
	} else {
		clear(m.of)
	}
	return m.of
}
