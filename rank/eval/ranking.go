package eval

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/webquarry/quarry/rank"
)

// unjudged is the grade of a document that nobody judged.
const unjudged = -1

// ranking is what was found for a query, as its judges see it.
type ranking struct {
	grades      []int // of the hits, best first; unjudged or at least 0
	judged      []int // all grades that were given, best first
	least       int   // grade of a relevant document
	relevant    int   // relevant documents that there are
	nonrelevant int   // documents judged not relevant
}

func newRanking(hits []rank.Hit, docs map[string]int, opt Options) (*ranking, error) {
	r := &ranking{least: opt.relevant()}
	for _, grade := range docs {
		if grade < 0 {
			continue
		}
		r.judged = append(r.judged, grade)
		if grade >= r.least {
			r.relevant++
		} else {
			r.nonrelevant++
		}
	}
	slices.SortFunc(r.judged, func(a, b int) int { return cmp.Compare(b, a) })
	seen := make(map[string]bool, len(hits))
	for _, h := range ranked(hits) {
		if seen[h.Key] {
			return nil, fmt.Errorf("document %s: %w", h.Key, ErrDuplicate)
		}
		seen[h.Key] = true
		grade, ok := docs[h.Key]
		if !ok || grade < 0 {
			grade = unjudged
		}
		r.grades = append(r.grades, grade)
	}
	if opt.Depth > 0 {
		r.grades = first(r.grades, opt.Depth)
	}
	return r, nil
}

// first returns the first n of all, or all for 0.
func first(grades []int, n int) []int {
	if n == 0 {
		return grades
	}
	return grades[:min(n, len(grades))]
}

// found counts the relevant documents among the first cut hits.
func (r *ranking) found(cut int) (n int) {
	for _, grade := range first(r.grades, cut) {
		if grade >= r.least {
			n++
		}
	}
	return n
}

// part is a/b, and 0 of nothing.
func part(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
