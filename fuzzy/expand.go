package fuzzy

import (
	"cmp"
	"iter"
)

// defaultExpansions is how many words an Expansion gives when it is not told.
const defaultExpansions = 50

// Expansion widens a search term to the words near to it. It is what an index
// asks when a query forgives typing errors.
type Expansion struct {
	Matcher  Matcher               // where words come from; nil: there are none
	Distance func(term string) int // how many edits to forgive; nil: AutoDistance
	Limit    int                   // words a term becomes at most; 0: 50, negative: all
}

// Expand gives the words near to term, nearest first, and how much each counts:
// 1 for term itself, 1/2 for a word one edit away, 1/3 for two, and so on. A
// term that is not among the words is not given.
func (e Expansion) Expand(term string) iter.Seq2[string, float64] {
	dist := AutoDistance
	if e.Distance != nil {
		dist = e.Distance
	}
	return func(yield func(string, float64) bool) {
		if e.Matcher == nil {
			return
		}
		for _, m := range e.Matcher.Match(term, dist(term), cmp.Or(e.Limit, defaultExpansions)) {
			if !yield(m.Text, 1/float64(1+m.Distance)) {
				return
			}
		}
	}
}
