package exec

import "github.com/webquarry/quarry/index/internal/postings"

// End is the document after the last.
const End = postings.End

// Iterator is a place in the matches of a query in one segment, in ascending order
// and one way. It starts before the first.
type Iterator interface {
	// Advance goes to the first match that is not less than target, and
	// returns it; End when there is none. Target is not less than the current
	// document. Deleted documents are not left out.
	Advance(target uint32) uint32
	// Score is that of the current match.
	Score() float64
	extent
}

// extent is what an iterator knows of its matches before it is there.
type extent interface {
	// Size is about how many matches there are.
	Size() int
	// Bound returns a number that no score of a match from from to last is
	// greater than. Last is not less than from; from never falls.
	Bound(from uint32) (most float64, last uint32)
}

type (
	allPlan   struct{ *Collection }
	nonePlan  struct{}
	andPlan   []Plan
	orPlan    []Plan
	boostPlan struct {
		of Plan
		by float64
	}
	notPlan struct {
		*Collection
		of Plan
	}
)

// boosted multiplies the score of a plan.
func boosted(of Plan, by float64) Plan {
	if by == 1 {
		return of
	}
	return boostPlan{of, by}
}

func (p allPlan) Open(_ *Run, view int) Iterator { return &AllIterator{docs: p.Views[view].Seg.Docs} }

// AllIterator goes over all documents; score 0.
type AllIterator struct{ docs uint32 }

// Advance implements [Iterator].
func (w *AllIterator) Advance(target uint32) uint32 {
	if target >= w.docs {
		return End
	}
	return target
}

// Score implements [Iterator].
func (w *AllIterator) Score() float64 { return 0 }

// Size implements [Iterator].
func (w *AllIterator) Size() int { return int(w.docs) }

func (nonePlan) Open(*Run, int) Iterator { return NoneIterator{} }

// NoneIterator goes over nothing.
type NoneIterator struct{}

// Advance implements [Iterator].
func (NoneIterator) Advance(uint32) uint32 { return End }

// Score implements [Iterator].
func (NoneIterator) Score() float64 { return 0 }

// Size implements [Iterator].
func (NoneIterator) Size() int { return 0 }

func (p boostPlan) Open(r *Run, view int) Iterator { return BoostIterator{p.of.Open(r, view), p.by} }

// BoostIterator multiplies the scores of another iterator.
type BoostIterator struct {
	Iterator
	By float64
}

// Holds implements prober.
func (w BoostIterator) Holds(doc uint32) bool { return holds(w.Iterator, doc) }

// Score implements [Iterator].
func (w BoostIterator) Score() float64 { return float64(w.By * w.Iterator.Score()) }

func (p notPlan) Open(r *Run, view int) Iterator {
	return &NotIterator{run: r, docs: p.Views[view].Seg.Docs, of: Lagging{Iterator: p.of.Open(r, view)}}
}

// NotIterator goes over what another iterator leaves out; score 0.
type NotIterator struct {
	run  *Run
	docs uint32
	of   Lagging
	marks
}

// Advance implements [Iterator].
func (w *NotIterator) Advance(target uint32) uint32 {
	for {
		if target >= w.docs || w.run.Stop() {
			return End
		}
		if !w.of.Matches(target) {
			return target
		}
		target++
	}
}

// Holds implements [prober].
func (w *NotIterator) Holds(doc uint32) bool {
	return doc < w.docs && !w.of.Holds(doc)
}

// Score implements [Iterator].
func (w *NotIterator) Score() float64 { return 0 }

// Size implements [Iterator].
func (w *NotIterator) Size() int { return int(w.docs) }

// constantPlan is a query that scores the same everywhere.
type constantPlan struct {
	of    Plan
	score float64
}

func (p constantPlan) Open(r *Run, view int) Iterator {
	return ConstantIterator{p.of.Open(r, view), p.score}
}

// ConstantIterator scores each match of another iterator the same.
type ConstantIterator struct {
	Iterator
	By float64
}

// Holds implements prober.
func (w ConstantIterator) Holds(doc uint32) bool { return holds(w.Iterator, doc) }

// Score implements [Iterator].
func (w ConstantIterator) Score() float64 { return w.By }

// Bound implements [Iterator].
func (w ConstantIterator) Bound(uint32) (float64, uint32) { return w.By, End }
