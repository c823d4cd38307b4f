package index

import "github.com/webquarry/quarry/index/internal/postings"

// end is the document after the last.
const end = postings.End

// walk is a place in the matches of a query in one segment, in ascending order
// and one way. It starts before the first.
type walk interface {
	// advance goes to the first match that is not less than target, and
	// returns it; end when there is none. Target is not less than the current
	// document. Deleted documents are not left out.
	advance(target uint32) uint32
	// score is that of the current match.
	score() float64
	extent
}

// extent is what a walk knows of its matches before it is there.
type extent interface {
	// size is about how many matches there are.
	size() int
	// bound returns a number that no score of a match from from to last is
	// greater than. Last is not less than from; from never falls.
	bound(from uint32) (most float64, last uint32)
}

type (
	allPlan   struct{ *commit }
	nonePlan  struct{}
	andPlan   []plan
	orPlan    []plan
	boostPlan struct {
		of plan
		by float64
	}
	notPlan struct {
		*commit
		of plan
	}
)

// boosted multiplies the score of a plan.
func boosted(of plan, by float64) plan {
	if by == 1 {
		return of
	}
	return boostPlan{of, by}
}

func (p allPlan) open(_ *run, view int) walk { return &allWalk{docs: p.views[view].seg.Docs} }

// allWalk walks all documents; score 0.
type allWalk struct{ docs uint32 }

func (w *allWalk) advance(target uint32) uint32 {
	if target >= w.docs {
		return end
	}
	return target
}
func (w *allWalk) score() float64 { return 0 }
func (w *allWalk) size() int      { return int(w.docs) }

func (nonePlan) open(*run, int) walk { return noneWalk{} }

// noneWalk walks nothing.
type noneWalk struct{}

func (noneWalk) advance(uint32) uint32 { return end }
func (noneWalk) score() float64        { return 0 }
func (noneWalk) size() int             { return 0 }

func (p boostPlan) open(r *run, view int) walk { return boostWalk{p.of.open(r, view), p.by} }

type boostWalk struct {
	walk
	by float64
}

func (w boostWalk) holds(doc uint32) bool { return holds(w.walk, doc) }

func (w boostWalk) score() float64 { return float64(w.by * w.walk.score()) }

func (p notPlan) open(r *run, view int) walk {
	return &notWalk{run: r, docs: p.views[view].seg.Docs, of: lagging{walk: p.of.open(r, view)}}
}

// notWalk walks what another walk leaves out; score 0.
type notWalk struct {
	run  *run
	docs uint32
	of   lagging
	marks
}

func (w *notWalk) advance(target uint32) uint32 {
	for {
		if target >= w.docs || w.run.stop() {
			return end
		}
		if !w.of.matches(target) {
			return target
		}
		target++
	}
}

// holds implements [prober].
func (w *notWalk) holds(doc uint32) bool {
	return doc < w.docs && !w.of.holds(doc)
}

func (w *notWalk) score() float64 { return 0 }
func (w *notWalk) size() int      { return int(w.docs) }
