package index

import (
	"cmp"
)

// Effort bounds what a search may cost. The zero value is for searches of the
// usual kind.
type Effort struct {
	// Terms is how many terms of a field a [query.Wildcard], [query.Regexp] or [query.Fuzzy] may
	// stand for; 0: 65,536; negative: one; math.MaxInt: all. Of more, the nearest count, of these the most
	// frequent, of these the first; Results then carry a warning.
	Terms int
	// Threads is how many segments are searched at the same time; 0 or less: 1. A single
	// search is then done sooner, and all of them together take longer.
	Threads int
	// Partial asks for what was found so far when the context ends before the
	// search does, such as at a deadline; Results.Partial then says so. What is
	// found is right, but better matches may be missing, of very many hits the
	// last, and counts are lower bounds. Otherwise the search ends with the context's cause.
	Partial bool
}

const presetTerms = 1 << 16

// terms is how many terms of a field a pattern may stand for.
func (e Effort) terms() int { return max(1, cmp.Or(e.Terms, presetTerms)) }
