package collect

import (
	"cmp"
	"math"
	"slices"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/segment"
)

// collector keeps the best k matches, and counts.
type collector struct {
	run     *exec.Run
	scratch *scratch
	after   *afterScore // only what is behind is wanted
	upTo    int         // how many must be counted; 0 or less: all
	top     topK        // of the current segment
	best    []Found     // of the segments before
	floor   float64     // the k-th best score of best; 0: there are fewer
	total   int
	view    int
	of      *commit.View   // the current segment
	keys    segment.Places // of it
	// What is added to scores that [collector.pruned] finds; nil: nothing.
	static *exec.StaticIterator
}

// finding is a search for the best k matches that also counts.
type finding struct {
	run   *exec.Run
	in    *exec.Collection
	root  exec.Plan
	after *afterScore // only what is behind is wanted
	k     int
	upTo  int // how many matches must be counted; 0 or less: all
}

// matches finds the best k matches, and counts all matches or upTo of them.
func (f finding) matches() ([]Found, Total, error) {
	counted := exec.Matching(f.root)
	if f.upTo > 0 || f.run.Exhaustive || !exec.Countable(counted, f.k > 0) {
		return f.best()
	}
	n, err := f.in.Count(f.run, counted)
	if f.run.Enough(err) {
		return nil, Total{Value: n}, nil
	}
	if err != nil || f.k == 0 {
		return nil, Total{n, true}, err
	}
	f.upTo = 1
	best, _, err := f.best()
	return best, Total{n, !f.run.Cut}, err
}

// Total is a number of matches, exact or a lower bound.
type Total struct {
	Value int
	Exact bool
}

func (f finding) best() ([]Found, Total, error) {
	if parallel(f.run, f.in) {
		return f.bestSideBySide()
	}
	all := f.collector(f.run)
	defer giveScratch(f.in, all.scratch)
	for i := range f.in.Views {
		if err := all.segment(f, i); err != nil {
			return nil, Total{}, err
		}
		if f.run.Cut {
			break
		}
	}
	return all.best, Total{all.total, !f.run.Pruned && !f.run.Cut}, nil
}

// collector returns one for the segments that r searches.
func (f finding) collector(r *exec.Run) *collector {
	c := &collector{run: r, scratch: takeScratch(f.in), after: f.after, upTo: f.upTo}
	if f.k == 0 {
		c.floor = math.Inf(1)
	}
	return c
}

// segment takes up the matches of a segment.
func (c *collector) segment(f finding, view int) error {
	c.view, c.of = view, f.in.Views[view]
	var err error
	if c.keys, err = c.of.Seg.Places(); err != nil {
		return c.of.Damage(err)
	}
	c.top = topK{run: c.run, k: f.k, byKey: c.keys.ByKey(), all: c.scratch.best[:0]}
	c.run.Least = c.least()
	c.collect(f.root, view)
	if err := c.run.Done(c.of); err != nil && !c.run.Enough(err) {
		return err
	}
	c.endSegment(f.k)
	return nil
}

// least returns the score that a further match of the segment needs to be
// among the best. In a segment whose documents ascend by key it has to be greater
// than the k-th; else a tie is open, as with those of other segments.
func (c *collector) least() float64 {
	if c.upTo <= 0 || c.total < c.upTo {
		return 0
	}
	return max(c.floor, c.top.least())
}

// collect takes up the matches of the current segment.
func (c *collector) collect(root exec.Plan, view int) {
	w := root.Open(c.run, view)
	if c.run.Err != nil {
		return
	}
	if c.upTo > 0 && c.prunedWith(w) {
		return
	}
	gate := exec.NewGate(c.run, w)
	if g, ok := w.(exec.Gated); ok && c.upTo > 0 {
		g.Guard(gate)
	}
	for doc := w.Advance(0); doc != exec.End && !c.run.Stop(); doc = w.Advance(doc + 1) {
		if next := gate.Pass(doc); next == exec.End {
			return
		} else if next != doc {
			doc = next - 1
			continue
		}
		if c.run.Work != nil {
			c.run.Work.Docs++
		}
		if !c.of.Deleted.Has(doc) {
			c.add(doc, w.Score())
		}
	}
}

// prunedWith is pruned for an iterator that columns may add to.
func (c *collector) prunedWith(w exec.Iterator) bool {
	s, ok := w.(*exec.StaticIterator)
	if !ok {
		return c.pruned(w)
	}
	c.static = s
	done := c.pruned(s.Iterator)
	c.static = nil
	return done
}

// pruned takes up the matches of an iterator, if there is a way to look for the best
// alone.
func (c *collector) pruned(w exec.Iterator) bool {
	if of, ok := w.(*exec.TermIterator); ok {
		c.collectTerm(of)
		return true
	}
	of := newClauses(c.run, c.scratch, w)
	switch {
	case of == nil:
		return false
	case of.plain:
		newAllOf(c, of).collect()
	default:
		newMaxScore(c, of).collect()
	}
	return true
}

// add takes up a match, unless the search has ended while it was scored.
func (c *collector) add(doc uint32, score float64) {
	if c.run.Err != nil {
		return
	}
	c.total++
	if place := c.keys.Of(doc); c.top.k > 0 && c.after.behind(c.view, place, score) {
		c.top.add(Found{score, doc, place, c.view})
	}
	c.run.Least = c.least()
}

// endSegment adds the best of the segment to those before.
func (c *collector) endSegment(k int) {
	c.best = append(c.best, c.top.best()...)
	c.scratch.best = c.top.all
	c.scratch.summands.Release()
	if k == 0 || len(c.best) < k {
		return
	}
	if len(c.best) == k {
		least := slices.MinFunc(c.best, func(a, b Found) int { return cmp.Compare(a.Score, b.Score) })
		c.floor = max(c.floor, least.Score)
		return
	}
	if exec.SortWith(c.run, c.best, func(a, b Found) int { return cmp.Compare(b.Score, a.Score) }) != nil {
		return
	}
	kth := c.best[k-1].Score
	c.floor = max(c.floor, kth)
	n := k
	for n < len(c.best) && c.best[n].Score == kth {
		n++
	}
	c.best = c.best[:n]
}
