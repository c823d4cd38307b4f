package query

import "strconv"

// AtLeast matches what at least N members match, and scores the sum of those
// that do. Members that are equal, or ask for nothing, such as words that the
// analyzer drops, count as one, or none; N is then at most as many as are left.
// N below 1 is 1. Without members it is [None].
type AtLeast struct {
	N  int
	Of []Query
}

// Constant matches what its member matches and scores Score, which is finite and
// not negative.
type Constant struct {
	Query
	Score float64
}

func (AtLeast) query()  {}
func (Constant) query() {}

func (q AtLeast) String() string {
	if len(q.Of) == 0 {
		return None{}.String()
	}
	return "(" + join(q.Of, " OR ") + ")~" + strconv.Itoa(q.N)
}

func (q Constant) String() string {
	return member(q.Query) + "^=" + strconv.FormatFloat(q.Score, 'g', -1, 64)
}
