package index

import "cmp"

// Effort bounds what a search may cost. The zero value is for searches of the
// usual kind.
type Effort struct {
	// Terms is how many terms of a field a [Wildcard], [Regexp] or [Fuzzy] may
	// stand for; 0: 65,536. Of more, the nearest count, of these the most
	// frequent, of these the first; Results then carry a warning.
	Terms int
}

const presetTerms = 1 << 16

func (e Effort) terms() int { return max(1, cmp.Or(e.Terms, presetTerms)) }
