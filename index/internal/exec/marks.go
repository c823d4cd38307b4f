package exec

import "math/bits"

// manySilent is from how many members on an Or that does not score is marked rather
// than walked.
const manySilent = 8

// marksPlan is an Or of many members, none of which scores.
type marksPlan struct {
	of     orPlan
	commit *Collection
}

// quiet makes one plan of those members of an Or that do not score, where there are
// many: each document would be looked up in all of them.
func (p *Planner) quiet(plans []Plan) []Plan {
	var silent orPlan
	var rest []Plan
	for _, pl := range plans {
		if _, all := pl.(allPlan); !all && (p.scoreless() || silentPlan(pl)) {
			silent = append(silent, pl)
		} else {
			rest = append(rest, pl)
		}
	}
	if len(silent) < manySilent {
		return plans
	}
	return append(rest, &marksPlan{silent, p.Commit})
}

func silentPlan(p Plan) bool {
	switch p := p.(type) {
	case *rangePlan, filledPlan, filterPlan, notPlan, *marksPlan, nonePlan:
		return true
	case *wordPlan:
		return p.word.silent
	case constantPlan:
		return p.score == 0
	case boostPlan:
		return p.by == 0
	}
	return false
}

func (p *marksPlan) Open(r *Run, view int) Iterator {
	return &MarksIterator{run: r, of: p.of.Open(r, view), docs: p.commit.Views[view].Seg.Docs}
}

// MarksIterator goes over what another iterator marks, window by window; score 0.
type MarksIterator struct {
	run    *Run
	of     Iterator
	docs   uint32
	lo, hi uint32 // the window
	marks  []uint64
}

// Advance implements [Iterator].
func (w *MarksIterator) Advance(target uint32) uint32 {
	for ; target < w.docs && !w.run.Stop(); target = w.hi {
		if target >= w.hi {
			w.lo = target - target%countSpan
			w.hi = w.lo + min(countSpan, w.docs-w.lo)
			if w.marks == nil {
				w.marks = make([]uint64, (min(countSpan, w.docs)+63)/64)
			}
			clear(w.marks)
			w.run.docs = w.docs
			mark(w.run, w.of, w.lo, w.hi-w.lo, w.marks)
		}
		at := (target - w.lo) / 64
		set := w.marks[at] >> (target % 64) << (target % 64)
		for set == 0 && at+1 < (w.hi-w.lo+63)/64 {
			at++
			set = w.marks[at]
		}
		if set != 0 {
			return w.lo + 64*at + uint32(bits.TrailingZeros64(set))
		}
	}
	return End
}

// Score implements [Iterator].
func (w *MarksIterator) Score() float64 { return 0 }

// Size implements [Iterator].
func (w *MarksIterator) Size() int { return min(w.of.Size(), int(w.docs)) }

// Bound implements [Iterator].
func (w *MarksIterator) Bound(uint32) (float64, uint32) { return 0, End }

func (w *MarksIterator) mark(r *Run, lo, n uint32, marks []uint64) { mark(r, w.of, lo, n, marks) }
