package exec

import (
	"math/bits"

	"github.com/webquarry/quarry/index/internal/commit"
)

// A query of words alone is counted apart from the search for the best: its
// matches are marked as bits, window by window, without scores. The search can
// then leave out what is not wanted.

// countSpan is how many documents are marked in one go.
const countSpan = 1 << 16

// Countable reports whether counting costs less than an iterator over all matches of
// a plan that Matching made. Where a phrase stands is not looked at twice, for its
// count and for the best.
func Countable(p Plan, best bool) bool {
	switch p := p.(type) {
	case *wordPlan, allPlan, nonePlan, *rangePlan, filledPlan, filterPlan, onePlan, *marksPlan:
		return true
	case *phrasePlan:
		return !best
	case notPlan:
		return Countable(p.of, best)
	case andPlan:
		return allCountable(p, best)
	case *atLeastPlan:
		return allCountable(p.of, best)
	case orPlan:
		return allCountable(p, best)
	}
	return false
}

func allCountable(plans []Plan, best bool) bool {
	for _, p := range plans {
		if !Countable(p, best) {
			return false
		}
	}
	return true
}

// Matching returns a plan with the same matches, whose scores do not matter,
// without what adds to scores alone.
func Matching(p Plan) Plan {
	switch p := p.(type) {
	case boostPlan:
		return Matching(p.of)
	case constantPlan:
		return Matching(p.of)
	case *staticPlan:
		return Matching(p.of)
	case *CombinedPlan:
		return Matching(p.of)
	case *atLeastPlan:
		return &atLeastPlan{matchingEach(p.of), p.need}
	case notPlan:
		return notPlan{p.Collection, Matching(p.of)}
	case *phrasePlan:
		of := *p
		of.unscored = true
		return &of
	case bestPlan:
		return Matching(p.of)
	case orPlan:
		var any orPlan
		for _, m := range p {
			of := Matching(m)
			if _, ok := of.(allPlan); ok {
				return of
			}
			any = append(any, of)
		}
		return any
	case andPlan:
		return matchingAll(p)
	}
	return p
}

func matchingEach(p []Plan) (out []Plan) {
	for _, m := range p {
		out = append(out, Matching(m))
	}
	return out
}

func matchingAll(p andPlan) Plan {
	var all andPlan
	for i, m := range p {
		of := Matching(m)
		if _, ok := of.(allPlan); ok && (len(all) > 0 || i < len(p)-1) {
			continue
		}
		all = append(all, of)
	}
	if _, not := all[0].(notPlan); len(all) == 1 && !not {
		return all[0]
	}
	return all
}

// Count counts the live matches of a plan that Matching made.
func (c *Collection) Count(r *Run, p Plan) (int, error) {
	switch of := p.(type) {
	case *wordPlan:
		if of.word.unions == nil || !of.word.silent {
			return of.word.docs, nil
		}
		total := 0
		for i, v := range c.Views {
			u, err := of.word.union(r, i, v)
			if err != nil {
				return 0, err
			}
			total += u.live(v.Deleted)
		}
		return total, nil
	case allPlan:
		return c.Docs, nil
	}
	total := 0
	var marks []uint64
	for i, v := range c.Views {
		w := p.Open(r, i)
		if w.Size() < int(v.Seg.Docs)/walkedFrom {
			total += r.countEach(w, v)
		} else {
			if marks == nil {
				marks = make([]uint64, countSpan/64)
			}
			total += r.countMarks(w, v, marks)
		}
		if err := r.Done(v); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// walkedFrom says when matches are walked rather than marked: from one match in so
// many documents, below which most of the time would go into empty windows.
const walkedFrom = 1024

func (r *Run) countEach(w Iterator, v *commit.View) (n int) {
	for doc := w.Advance(0); doc != End && !r.Stop(); doc = w.Advance(doc + 1) {
		if !v.Deleted.Has(doc) {
			n++
		}
	}
	return n
}

func (r *Run) countMarks(w Iterator, v *commit.View, marks []uint64) (n int) {
	r.docs = v.Seg.Docs
	for lo := uint32(0); lo < v.Seg.Docs && !r.Stop(); lo += min(countSpan, v.Seg.Docs-lo) {
		if r.Work != nil {
			r.Work.Windows++
		}
		clear(marks)
		mark(r, w, lo, min(countSpan, v.Seg.Docs-lo), marks)
		v.Deleted.Remove(marks, lo)
		n += ones(marks)
	}
	return n
}

func ones(marks []uint64) (n int) {
	for _, m := range marks {
		n += bits.OnesCount64(m)
	}
	return n
}

// marker is an iterator that marks its matches in some way that is faster than to
// walk.
type marker interface {
	// mark sets the bits of the matches among the n documents from lo on, a
	// multiple of 64. No bit is set before. Lo ascends. Between two windows, and
	// instead of marking one, the iterator may be advanced to documents of it.
	mark(r *Run, lo, n uint32, marks []uint64)
}

func mark(r *Run, w Iterator, lo, n uint32, marks []uint64) {
	if m, ok := w.(marker); ok {
		m.mark(r, lo, n, marks)
		return
	}
	markEach(r, w, lo, n, marks)
}

// markEach walks the matches.
func markEach(r *Run, w Iterator, lo, n uint32, marks []uint64) {
	for doc := w.Advance(lo); doc < lo+n && !r.Stop(); doc = w.Advance(doc + 1) {
		marks[(doc-lo)/64] |= 1 << (doc % 64)
	}
}

func (w *TermIterator) mark(r *Run, lo, n uint32, marks []uint64) {
	r.Spend(int(uint64(w.Cursor.Len())*uint64(n)/uint64(max(r.docs, 1))) / markCost)
	w.Cursor.Mark(lo, lo+n, marks)
}

func (w *AllIterator) mark(_ *Run, _, n uint32, marks []uint64) { markAll(n, marks) }

// markAll sets the first n bits.
func markAll(n uint32, marks []uint64) {
	for i := range n / 64 {
		marks[i] = ^uint64(0)
	}
	if n%64 != 0 {
		marks[n/64] = 1<<(n%64) - 1
	}
}

func (w BoostIterator) mark(r *Run, lo, n uint32, marks []uint64) { mark(r, w.Iterator, lo, n, marks) }

func (w ConstantIterator) mark(r *Run, lo, n uint32, marks []uint64) {
	mark(r, w.Iterator, lo, n, marks)
}

func (w *OrIterator) mark(r *Run, lo, n uint32, marks []uint64) {
	for _, m := range w.Members {
		if r.Stop() {
			return
		}
		if term, ok := m.Iterator.(*TermIterator); ok {
			term.mark(r, lo, n, marks)
			continue
		}
		if r.Spend(1 + int(n)/64/markCost) {
			return
		}
		other := w.marks.cleared()
		mark(r, m.Iterator, lo, n, other)
		for i := range marks {
			marks[i] |= other[i]
		}
	}
}

func (w *NotIterator) mark(r *Run, lo, n uint32, marks []uint64) {
	mark(r, w.of.Iterator, lo, n, marks)
	all := w.marks.cleared()
	markAll(n, all)
	for i, m := range marks {
		marks[i] = all[i] &^ m
	}
}

// SparseLead says when a member of an And is looked up rather than marked: where
// there is less than one candidate for so many of its matches.
const SparseLead = 16

// mark marks the rarest member, and takes away what the others do not match, the
// rarest first: by marking them, or, once few candidates are left, by looking these
// up. So what is read of a frequent member goes by what the rare ones leave. Words of
// phrases are looked up last, as the lists have to be where positions are read; where
// one of them is the rarest, there are no windows.
func (w *AndIterator) mark(r *Run, lo, n uint32, marks []uint64) {
	if _, word := w.order[0].(*stand); word {
		markEach(r, w, lo, n, marks)
		return
	}
	mark(r, w.order[0].(Iterator), lo, n, marks)
	for _, m := range w.order[1:] {
		m, ok := m.(Iterator)
		if !ok {
			continue
		}
		switch left := ones(marks); {
		case left == 0 || r.Stop():
			return
		case few(left, m, n, r.docs):
			keep(r, m, lo, marks, true)
		default:
			other := w.marks.cleared()
			mark(r, m, lo, n, other)
			for i := range marks {
				marks[i] &= other[i]
			}
		}
	}
	for _, m := range w.Without {
		switch left := ones(marks); {
		case left == 0 || r.Stop():
			return
		case few(left, m, n, r.docs):
			keep(r, m, lo, marks, false)
		default:
			other := w.marks.cleared()
			mark(r, m.Iterator, lo, n, other)
			for i := range marks {
				marks[i] &^= other[i]
			}
		}
	}
	if len(w.phrases) > 0 {
		w.keepPhrased(r, lo, marks)
	}
}

// few reports whether it costs less to look so many candidates of a window of n
// documents up than to mark the matches of w there.
func few(left int, w lookup, n, docs uint32) bool {
	there := float64(w.Size()) * float64(n) / float64(max(docs, 1))
	there = min(there, float64(n)) // sizes of alternatives are added up
	return float64(left*SparseLead) < there
}

// keep keeps those marks which w matches, or, unless matched, does not match.
func keep(r *Run, w Iterator, lo uint32, marks []uint64, matched bool) {
	for i, set := range marks {
		for ; set != 0 && !r.Stop(); set &= set - 1 {
			bit := uint32(bits.TrailingZeros64(set))
			doc := lo + uint32(64*i) + bit
			if holds(w, doc) != matched {
				marks[i] &^= 1 << bit
			}
		}
	}
}

// keepPhrased keeps those marks where the phrases stand.
func (w *AndIterator) keepPhrased(r *Run, lo uint32, marks []uint64) {
	for i, set := range marks {
		for ; set != 0 && !r.Stop(); set &= set - 1 {
			at := uint32(bits.TrailingZeros64(set))
			if doc := lo + uint32(64*i) + at; !w.wordsIn(doc) || !w.phrased(doc) {
				marks[i] &^= 1 << at
			}
		}
	}
}

// wordsIn reports whether all words of the phrases are in doc, the rarest first.
func (w *AndIterator) wordsIn(doc uint32) bool {
	for _, m := range w.order {
		if s, ok := m.(*stand); ok && s.Advance(doc) != doc {
			return false
		}
	}
	return true
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
