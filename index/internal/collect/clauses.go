package collect

import (
	"math"
	"slices"

	"github.com/webquarry/quarry/index/internal/exec"
)

// clauses is a query taken apart for a search for the best: an And, of which each
// group is a member. A member that is a single word is a group of one.
type clauses struct {
	run     *exec.Run
	groups  [][]*summand // of each, at least one has to match
	extra   []*summand   // that only add to the score
	without []*exec.Lagging
	filters []*filter
	phrases []*phrased // their words are groups of one
	base    float64    // what the filters add to the score of every match
	formula formula
	nodes   int
	plain   bool // the groups are single words, and there is nothing extra
}

// filter is a member that scores the same in all its matches.
type filter struct {
	exec.Lagging
	score float64 // times the boosts above it
}

// newClauses takes an iterator apart; nil: it is better walked as a whole.
func newClauses(r *exec.Run, in *scratch, w exec.Iterator) *clauses {
	c, g := &clauses{run: r}, &gatherer{run: r, scratch: in}
	c.formula = c.gather(g, w, 1, 0)
	c.nodes = g.nodes
	if !g.scored || c.nodes > mostNodes || !c.searchable() {
		return nil
	}
	for _, f := range c.filters {
		c.base += f.score
	}
	c.plain = len(c.extra) == 0
	for _, group := range c.groups {
		c.plain = c.plain && len(group) == 1 && group[0].branch == nil
		for _, w := range group {
			w.needed = len(group) == 1
		}
	}
	if len(c.groups) == 1 && len(c.groups[0]) == 1 && len(c.extra) == 0 && !c.plain {
		return nil
	}
	return c
}

// searchable makes sure that there are groups to search by: the filter with the fewest
// matches becomes one where there is none, or none that is near as rare. False: a
// group matches nothing, or there is none.
func (c *clauses) searchable() bool {
	least := math.MaxInt
	for _, group := range c.groups {
		if len(group) == 0 {
			return false
		}
		least = min(least, sizeOf(group))
	}
	if len(c.filters) == 0 {
		return len(c.groups) > 0
	}
	slices.SortStableFunc(c.filters, func(a, b *filter) int { return a.Size() - b.Size() })
	if f := c.filters[0]; f.Size() < least/exec.SparseLead {
		c.filters = c.filters[1:]
		c.groups = append(c.groups, []*summand{newBranch(c.run, exec.ConstantIterator{Iterator: f.Iterator, By: f.score}, 1)})
	}
	return true
}

// sizeOf is about how many matches summands have together.
func sizeOf(words []*summand) (n int) {
	for _, w := range words {
		n += w.size()
	}
	return n
}

// gather collects the members of an And.
func (c *clauses) gather(g *gatherer, w exec.Iterator, weight float64, boosts int) formula {
	g.nodes++
	switch w := w.(type) {
	case *exec.AllIterator:
		return sumFormula{}
	case *exec.RangeIterator, *exec.UnionIterator, *exec.ListIterator, *exec.FilledIterator, *exec.MarksIterator:
		return c.filter(w, 0, 0)
	case exec.ConstantIterator:
		return c.filter(w.Iterator, w.By, weight*w.By)
	case *exec.PhraseIterator:
		if p := g.phrase(w, weight); p != nil {
			for _, word := range p.words {
				c.groups = append(c.groups, []*summand{word})
			}
			c.phrases = append(c.phrases, p)
			return p
		}
	case exec.BoostIterator:
		if gathered(w, boosts) {
			return boostFormula{c.gather(g, w.Iterator, weight*w.By, boosts+1), w.By}
		}
	case *exec.AndIterator:
		c.without = append(c.without, w.Without...)
		sum := make(sumFormula, 0, len(w.Members))
		c.groups = slices.Grow(c.groups, len(w.Members))
		for _, of := range w.Members {
			sum = append(sum, c.gather(g, of, weight, boosts))
		}
		return sum
	case *exec.OrIterator:
		if w.All() {
			g.optional = true
			f, words := g.apart(w, weight, boosts)
			g.optional = false
			c.extra = append(c.extra, words...)
			return f
		}
	}
	f, group := g.apart(w, weight, boosts)
	c.groups = append(c.groups, group)
	return f
}

func (c *clauses) filter(w exec.Iterator, by, score float64) formula {
	c.filters = append(c.filters, &filter{exec.Lagging{Iterator: w}, score})
	return constantFormula(by)
}

// Holds reports whether a document that was looked up in all groups matches, but for
// where phrases stand.
func (c *clauses) Holds(doc uint32) bool {
	for _, group := range c.groups {
		if len(group) > 1 && !slices.ContainsFunc(group, (*summand).found) {
			return false
		}
	}
	for _, w := range c.without {
		if w.Holds(doc) {
			return false
		}
	}
	for _, w := range c.filters {
		if !w.Holds(doc) {
			return false
		}
	}
	return true
}

// phrased reports whether the phrases stand in a document that holds all their words,
// unless it is not wanted however often they do. Sum is what else is in it.
func (c *clauses) phrased(doc uint32, cut float64, all []*summand) bool {
	for _, p := range c.phrases {
		p.least()
	}
	sum := c.base
	for _, w := range all {
		sum += w.rating(doc)
	}
	if sum < cut {
		c.run.Pruned = true
		return false
	}
	for _, p := range c.phrases {
		if p.freq = p.of.Count(); p.freq == 0 {
			return false
		}
	}
	return true
}
