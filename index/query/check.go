package query

import (
	"fmt"
	"math"

	"github.com/webquarry/quarry/index/internal/automaton"
)

// maxDepth is how deep the tree of a query may be: more than any text gives.
const maxDepth = 1000

// Check reports what makes q unanswerable, whatever the index holds: a member
// that is nil or a pointer, a number out of range, a regular expression that is
// none, nesting too deep.
func Check(q Query) error { return checkAt(q, 0) }

func checkAt(q Query, depth int) error {
	if depth > maxDepth {
		return &Error{Pos: -1, Msg: fmt.Sprintf("nested more than %d deep", maxDepth)}
	}
	switch q := q.(type) {
	case All, None, Term, Match, Prefix, Wildcard, Range, Exists:
		return nil
	case Regexp:
		if err := automaton.CheckRegexp(q.Pattern); err != nil {
			return &Error{Pos: -1, Msg: fmt.Sprintf("regular expression %q: %v", q.Pattern, err)}
		}
		return nil
	case Fuzzy:
		if q.Distance < 0 || q.Distance > MaxDistance {
			return &Error{Pos: -1, Msg: fmt.Sprintf("distance %d is not from 0 to %d", q.Distance, MaxDistance)}
		}
		return nil
	case Phrase:
		if q.Slop < 0 {
			return &Error{Pos: -1, Msg: fmt.Sprintf("slop %d is negative", q.Slop)}
		}
		return nil
	case And:
		return checkEach(q, depth)
	case Or:
		return checkEach(q, depth)
	case Like:
		if q.Words < 0 {
			return &Error{Pos: -1, Msg: fmt.Sprintf("%d words are less than none", q.Words)}
		}
		return nil
	case AtLeast:
		return checkEach(q.Of, depth)
	case Not:
		return checkAt(q.Query, depth+1)
	case Boost:
		return checkFactor("boost", q.By, q.Query, depth)
	case Constant:
		return checkFactor("score", q.Score, q.Query, depth)
	case nil:
		return &Error{Pos: -1, Msg: "a member is nil"}
	}
	return &Error{Pos: -1, Msg: fmt.Sprintf("%T: queries are values, not pointers", q)}
}

func checkFactor(what string, x float64, of Query, depth int) error {
	if !(x >= 0) || math.IsInf(x, 1) {
		return &Error{Pos: -1, Msg: fmt.Sprintf("%s %v is not a number from 0 up", what, x)}
	}
	return checkAt(of, depth+1)
}

func checkEach(members []Query, depth int) error {
	for _, q := range members {
		if err := checkAt(q, depth+1); err != nil {
			return err
		}
	}
	return nil
}
