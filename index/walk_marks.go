package index

import "math/bits"

// manySilent is from how many members on an Or that does not score is marked rather
// than walked.
const manySilent = 8

// marksPlan is an Or of many members, none of which scores.
type marksPlan struct {
	of     orPlan
	commit *commit
}

// quiet makes one plan of those members of an Or that do not score, where there are
// many: each document would be looked up in all of them.
func (p *planner) quiet(plans []plan) []plan {
	var silent orPlan
	var rest []plan
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
	return append(rest, &marksPlan{silent, p.commit})
}

func silentPlan(p plan) bool {
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

func (p *marksPlan) open(r *run, view int) walk {
	return &marksWalk{run: r, of: p.of.open(r, view), docs: p.commit.views[view].seg.Docs}
}

// marksWalk walks what another walk marks, window by window; score 0.
type marksWalk struct {
	run    *run
	of     walk
	docs   uint32
	lo, hi uint32 // the window
	marks  []uint64
}

func (w *marksWalk) advance(target uint32) uint32 {
	for ; target < w.docs && !w.run.stop(); target = w.hi {
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
	return end
}

func (w *marksWalk) score() float64                 { return 0 }
func (w *marksWalk) size() int                      { return min(w.of.size(), int(w.docs)) }
func (w *marksWalk) bound(uint32) (float64, uint32) { return 0, end }

func (w *marksWalk) mark(r *run, lo, n uint32, marks []uint64) { mark(r, w.of, lo, n, marks) }
