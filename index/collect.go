package index

import (
	"cmp"
	"math"
	"slices"

	"github.com/webquarry/quarry/index/internal/segment"
)

// collector keeps the best k matches, and counts.
type collector struct {
	run   *run
	upTo  int     // how many must be counted; 0 or less: all
	top   topK    // of the current segment
	best  []found // of the segments before
	floor float64 // the k-th best score of best; 0: there are fewer
	total int
	view  int
	of    *view          // the current segment
	keys  segment.Places // of it
	// What is added to scores that [collector.pruned] finds; nil: nothing.
	static *staticWalk
}

// matches finds the best k matches, and counts all matches or upTo of them.
func (c *commit) matches(r *run, root plan, k, upTo int) ([]found, Count, error) {
	counted := matching(root)
	if upTo > 0 || r.exhaustive || !countable(counted, k > 0) {
		return c.best(r, root, k, upTo)
	}
	total, err := c.count(r, counted)
	if r.enough(err) {
		return nil, Count{Value: total}, nil
	}
	if err != nil || k == 0 {
		return nil, Count{total, true}, err
	}
	best, _, err := c.best(r, root, k, 1)
	return best, Count{total, !r.cut}, err
}

func (c *commit) best(r *run, root plan, k, upTo int) ([]found, Count, error) {
	if c.parallel(r) {
		return c.bestSideBySide(r, root, k, upTo)
	}
	all := newCollector(r, k, upTo)
	for i := range c.views {
		if err := all.segment(c, root, i, k); err != nil {
			return nil, Count{}, err
		}
		if r.cut {
			break
		}
	}
	return all.best, Count{Value: all.total, Exact: !r.pruned && !r.cut}, nil
}

func newCollector(r *run, k, upTo int) *collector {
	c := &collector{run: r, upTo: upTo}
	if k == 0 {
		c.floor = math.Inf(1)
	}
	return c
}

// segment takes up the matches of a segment.
func (c *collector) segment(in *commit, root plan, view, k int) error {
	c.view, c.of = view, in.views[view]
	var err error
	if c.keys, err = c.of.seg.Places(); err != nil {
		return c.of.damage(err)
	}
	c.top = topK{run: c.run, k: k, byKey: c.keys.ByKey(), all: c.run.space().best[:0]}
	c.run.least = c.least()
	c.collect(root, view)
	if err := c.run.done(c.of); err != nil && !c.run.enough(err) {
		return err
	}
	c.endSegment(k)
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
func (c *collector) collect(root plan, view int) {
	w := root.open(c.run, view)
	if c.run.err != nil {
		return
	}
	if c.upTo > 0 && c.prunedWith(w) {
		return
	}
	gate := newGate(c.run, w)
	if g, ok := w.(gated); ok && c.upTo > 0 {
		g.guard(gate)
	}
	for doc := w.advance(0); doc != end && !c.run.stop(); doc = w.advance(doc + 1) {
		if next := gate.pass(doc); next == end {
			return
		} else if next != doc {
			doc = next - 1
			continue
		}
		if c.run.work != nil {
			c.run.work.docs++
		}
		if !c.of.deleted.Has(doc) {
			c.add(doc, w.score())
		}
	}
}

// prunedWith is pruned for a walk that columns may add to.
func (c *collector) prunedWith(w walk) bool {
	s, ok := w.(*staticWalk)
	if !ok {
		return c.pruned(w)
	}
	c.static = s
	done := c.pruned(s.walk)
	c.static = nil
	return done
}

// pruned takes up the matches of a walk, if there is a way to look for the best
// alone.
func (c *collector) pruned(w walk) bool {
	if of, ok := w.(*termWalk); ok {
		c.collectTerm(of)
		return true
	}
	of := newClauses(c.run, w)
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
	if c.run.err != nil {
		return
	}
	c.total++
	if place := c.keys.Of(doc); c.top.k > 0 && c.run.after.behind(c.view, place, score) {
		c.top.add(found{score, doc, place, c.view})
	}
	c.run.least = c.least()
}

// endSegment adds the best of the segment to those before.
func (c *collector) endSegment(k int) {
	c.best = append(c.best, c.top.best()...)
	c.run.space().best = c.top.all
	if k == 0 || len(c.best) < k {
		return
	}
	if len(c.best) == k {
		least := slices.MinFunc(c.best, func(a, b found) int { return cmp.Compare(a.score, b.score) })
		c.floor = max(c.floor, least.score)
		return
	}
	if sortWith(c.run, c.best, func(a, b found) int { return cmp.Compare(b.score, a.score) }) != nil {
		return
	}
	kth := c.best[k-1].score
	c.floor = max(c.floor, kth)
	n := k
	for n < len(c.best) && c.best[n].score == kth {
		n++
	}
	c.best = c.best[:n]
}
