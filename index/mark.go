package index

import "math/bits"

// A query of words alone is counted apart from the search for the best: its
// matches are marked as bits, window by window, without scores. The search can
// then leave out what is not wanted.

// countSpan is how many documents are marked in one go.
const countSpan = 1 << 16

// countable reports whether counting costs less than a walk over all matches of
// a plan that matching made. Where a phrase stands is not looked at twice, for its
// count and for the best.
func countable(p plan, best bool) bool {
	switch p := p.(type) {
	case *wordPlan, allPlan, nonePlan, *rangePlan, filledPlan, filterPlan, onePlan, *marksPlan:
		return true
	case *phrasePlan:
		return !best
	case notPlan:
		return countable(p.of, best)
	case andPlan:
		return allCountable(p, best)
	case *atLeastPlan:
		return allCountable(p.of, best)
	case orPlan:
		return allCountable(p, best)
	}
	return false
}

func allCountable(plans []plan, best bool) bool {
	for _, p := range plans {
		if !countable(p, best) {
			return false
		}
	}
	return true
}

// matching returns a plan with the same matches, whose scores do not matter,
// without what adds to scores alone.
func matching(p plan) plan {
	switch p := p.(type) {
	case boostPlan:
		return matching(p.of)
	case constantPlan:
		return matching(p.of)
	case *staticPlan:
		return matching(p.of)
	case *combinedPlan:
		return matching(p.of)
	case *atLeastPlan:
		return &atLeastPlan{matchingEach(p.of), p.need}
	case notPlan:
		return notPlan{p.commit, matching(p.of)}
	case *phrasePlan:
		of := *p
		of.unscored = true
		return &of
	case bestPlan:
		return matching(p.of)
	case orPlan:
		var any orPlan
		for _, m := range p {
			of := matching(m)
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

func matchingEach(p []plan) (out []plan) {
	for _, m := range p {
		out = append(out, matching(m))
	}
	return out
}

func matchingAll(p andPlan) plan {
	var all andPlan
	for i, m := range p {
		of := matching(m)
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

// count counts the live matches of a plan that matching made.
func (c *commit) count(r *run, p plan) (int, error) {
	switch of := p.(type) {
	case *wordPlan:
		if of.word.unions == nil || !of.word.silent {
			return of.word.docs, nil
		}
		total := 0
		for i, v := range c.views {
			u, err := of.word.union(r, i, v)
			if err != nil {
				return 0, err
			}
			total += u.live(v.deleted)
		}
		return total, nil
	case allPlan:
		return c.docs, nil
	}
	total := 0
	var marks []uint64
	for i, v := range c.views {
		w := p.open(r, i)
		if w.size() < int(v.seg.Docs)/walkedFrom {
			total += r.countEach(w, v)
		} else {
			if marks == nil {
				marks = make([]uint64, countSpan/64)
			}
			total += r.countMarks(w, v, marks)
		}
		if err := r.done(v); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// walkedFrom says when matches are walked rather than marked: from one match in so
// many documents, below which most of the time would go into empty windows.
const walkedFrom = 1024

func (r *run) countEach(w walk, v *view) (n int) {
	for doc := w.advance(0); doc != end && !r.stop(); doc = w.advance(doc + 1) {
		if !v.deleted.Has(doc) {
			n++
		}
	}
	return n
}

func (r *run) countMarks(w walk, v *view, marks []uint64) (n int) {
	r.docs = v.seg.Docs
	for lo := uint32(0); lo < v.seg.Docs && !r.stop(); lo += min(countSpan, v.seg.Docs-lo) {
		if r.work != nil {
			r.work.windows++
		}
		clear(marks)
		mark(r, w, lo, min(countSpan, v.seg.Docs-lo), marks)
		v.deleted.Remove(marks, lo)
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

// marker is a walk that marks its matches in some way that is faster than to
// walk.
type marker interface {
	// mark sets the bits of the matches among the n documents from lo on, a
	// multiple of 64. No bit is set before. Lo ascends. Between two windows, and
	// instead of marking one, the walk may be advanced to documents of it.
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
	r.spend(int(uint64(w.cursor.Len())*uint64(n)/uint64(max(r.docs, 1))) / markCost)
	w.cursor.Mark(lo, lo+n, marks)
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
		if r.stop() {
			return
		}
		if term, ok := m.walk.(*termWalk); ok {
			term.mark(r, lo, n, marks)
			continue
		}
		if r.spend(1 + int(n)/64/markCost) {
			return
		}
		other := w.marks.cleared()
		mark(r, m.walk, lo, n, other)
		for i := range marks {
			marks[i] |= other[i]
		}
	}
}

func (w *notWalk) mark(r *run, lo, n uint32, marks []uint64) {
	mark(r, w.of.walk, lo, n, marks)
	all := w.marks.cleared()
	markAll(n, all)
	for i, m := range marks {
		marks[i] = all[i] &^ m
	}
}

// sparseLead says when a member of an And is looked up rather than marked: where
// there is less than one candidate for so many of its matches.
const sparseLead = 16

// mark marks the rarest member, and takes away what the others do not match, the
// rarest first: by marking them, or, once few candidates are left, by looking these
// up. So what is read of a frequent member goes by what the rare ones leave. Words of
// phrases are looked up last, as the lists have to be where positions are read; where
// one of them is the rarest, there are no windows.
func (w *andWalk) mark(r *run, lo, n uint32, marks []uint64) {
	if _, word := w.order[0].(*stand); word {
		markEach(r, w, lo, n, marks)
		return
	}
	mark(r, w.order[0].(walk), lo, n, marks)
	for _, m := range w.order[1:] {
		m, ok := m.(walk)
		if !ok {
			continue
		}
		switch left := ones(marks); {
		case left == 0 || r.stop():
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
	for _, m := range w.without {
		switch left := ones(marks); {
		case left == 0 || r.stop():
			return
		case few(left, m, n, r.docs):
			keep(r, m, lo, marks, false)
		default:
			other := w.marks.cleared()
			mark(r, m.walk, lo, n, other)
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
	there := float64(w.size()) * float64(n) / float64(max(docs, 1))
	there = min(there, float64(n)) // sizes of alternatives are added up
	return float64(left*sparseLead) < there
}

// keep keeps those marks which w matches, or, unless matched, does not match.
func keep(r *run, w walk, lo uint32, marks []uint64, matched bool) {
	for i, set := range marks {
		for ; set != 0 && !r.stop(); set &= set - 1 {
			bit := uint32(bits.TrailingZeros64(set))
			doc := lo + uint32(64*i) + bit
			if holds(w, doc) != matched {
				marks[i] &^= 1 << bit
			}
		}
	}
}

// keepPhrased keeps those marks where the phrases stand.
func (w *andWalk) keepPhrased(r *run, lo uint32, marks []uint64) {
	for i, set := range marks {
		for ; set != 0 && !r.stop(); set &= set - 1 {
			at := uint32(bits.TrailingZeros64(set))
			if doc := lo + uint32(64*i) + at; !w.wordsIn(doc) || !w.phrased(doc) {
				marks[i] &^= 1 << at
			}
		}
	}
}

// wordsIn reports whether all words of the phrases are in doc, the rarest first.
func (w *andWalk) wordsIn(doc uint32) bool {
	for _, m := range w.order {
		if s, ok := m.(*stand); ok && s.advance(doc) != doc {
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
