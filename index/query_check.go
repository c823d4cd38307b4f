package index

import (
	"fmt"
	"math"
)

// maxDepth is how deep the tree of a query may be: more than any text gives.
const maxDepth = 1000

// check reports what makes q unanswerable, whatever the index holds: a member
// that is nil or a pointer, a slop or boost out of range, nesting too deep.
func check(q Query) error { return checkAt(q, 0) }

func checkAt(q Query, depth int) error {
	if depth > maxDepth {
		return &QueryError{Msg: fmt.Sprintf("nested more than %d deep", maxDepth)}
	}
	switch q := q.(type) {
	case All, None, Term, Match, Prefix:
		return nil
	case Phrase:
		if q.Slop < 0 {
			return &QueryError{Msg: fmt.Sprintf("slop %d is negative", q.Slop)}
		}
		return nil
	case And:
		return checkEach(q, depth)
	case Or:
		return checkEach(q, depth)
	case Not:
		return checkAt(q.Query, depth+1)
	case Boost:
		if !(q.By >= 0) || math.IsInf(q.By, 1) {
			return &QueryError{Msg: fmt.Sprintf("boost %v is not a number from 0 up", q.By)}
		}
		return checkAt(q.Query, depth+1)
	case nil:
		return &QueryError{Msg: "a member is nil"}
	}
	return &QueryError{Msg: fmt.Sprintf("%T: queries are values, not pointers", q)}
}

func checkEach(members []Query, depth int) error {
	for _, q := range members {
		if err := checkAt(q, depth+1); err != nil {
			return err
		}
	}
	return nil
}
