package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// All matches every document, with score 0.
type All struct{}

func (All) String() string { return "*" }

func (All) members() []Query             { return nil }
func (q All) head() any                  { return q }
func (All) binds() binding               { return asLeaf }
func (All) check() string                { return "" }
func (All) leaves(func(Query) bool) bool { return true }

// None matches no document.
type None struct{}

func (None) String() string { return "-*" }

func (None) members() []Query             { return nil }
func (q None) head() any                  { return q }
func (None) binds() binding               { return asList } // its minus would take in what follows
func (None) check() string                { return "" }
func (None) leaves(func(Query) bool) bool { return true }

// And matches what all members match and scores the sum of them. The empty And
// is [All]. Members that ask for nothing, such as words that the analyzer drops, are
// left out. When no other is left but those that say what must not match, the And asks
// for nothing; and an Or with [All], which without that only adds to the score, then has
// to match by its other members.
type And []Query

func (q And) String() string {
	if len(q) == 0 {
		return All{}.String()
	}
	return join(q, " AND ")
}

func (q And) members() []Query                   { return q }
func (And) head() any                            { return "AND" }
func (And) binds() binding                       { return asList }
func (And) check() string                        { return "" }
func (q And) leaves(yield func(Query) bool) bool { return leavesOf(q, yield) }

// Or matches what at least one member matches and scores the sum of those that
// do. The empty Or is [None].
type Or []Query

func (q Or) String() string {
	if len(q) == 0 {
		return None{}.String()
	}
	return join(q, " OR ")
}

func (q Or) members() []Query                   { return q }
func (Or) head() any                            { return "OR" }
func (Or) binds() binding                       { return asList }
func (Or) check() string                        { return "" }
func (q Or) leaves(yield func(Query) bool) bool { return leavesOf(q, yield) }

// AtLeast matches what at least N members match, and scores the sum of those
// that do. Members that are equal, or ask for nothing, such as words that the
// analyzer drops, count as one, or none; N is then at most as many as are left.
// N below 1 is 1. Without members it is [None].
type AtLeast struct {
	N  int
	Of []Query
}

func (q AtLeast) String() string {
	if len(q.Of) == 0 {
		return None{}.String()
	}
	return "(" + join(q.Of, " OR ") + ")~" + strconv.Itoa(q.N)
}

func (q AtLeast) members() []Query { return q.Of }
func (q AtLeast) head() any        { return "AT LEAST " + strconv.Itoa(q.N) }
func (q AtLeast) binds() binding {
	if len(q.Of) == 0 {
		return asList // it prints as None
	}
	return asLeaf
}
func (AtLeast) check() string                        { return "" }
func (q AtLeast) leaves(yield func(Query) bool) bool { return leavesOf(q.Of, yield) }

// Not matches what its member does not match, with score 0.
type Not struct{ Query }

func (q Not) String() string {
	s := within(q.Query, asBoost)
	if q.Query == (Query)(All{}) {
		return "-(*)"
	}
	if isArrow(s) {
		s = "(" + s + ")"
	}
	return "-" + s
}

func (q Not) members() []Query           { return []Query{q.Query} }
func (Not) head() any                    { return Not{} }
func (Not) binds() binding               { return asNot }
func (Not) check() string                { return "" }
func (Not) leaves(func(Query) bool) bool { return true }

// Boost matches what its member matches and scores By times as much. By is
// finite and not negative; with 0 the member filters and does not score.
type Boost struct {
	Query
	By float64
}

func (q Boost) String() string {
	return within(q.Query, asLeaf) + "^" + strconv.FormatFloat(q.By, 'g', -1, 64)
}

func (q Boost) members() []Query                   { return []Query{q.Query} }
func (q Boost) head() any                          { return Boost{By: q.By} }
func (Boost) binds() binding                       { return asBoost }
func (q Boost) check() string                      { return checkFactor("boost", q.By) }
func (q Boost) leaves(yield func(Query) bool) bool { return leavesOf(q.members(), yield) }

// Constant matches what its member matches and scores Score, which is finite and
// not negative.
type Constant struct {
	Query
	Score float64
}

func (q Constant) String() string {
	return within(q.Query, asLeaf) + "^=" + strconv.FormatFloat(q.Score, 'g', -1, 64)
}

func (q Constant) members() []Query                   { return []Query{q.Query} }
func (q Constant) head() any                          { return Constant{Score: q.Score} }
func (Constant) binds() binding                       { return asBoost }
func (q Constant) check() string                      { return checkFactor("score", q.Score) }
func (q Constant) leaves(yield func(Query) bool) bool { return leavesOf(q.members(), yield) }

func checkFactor(what string, x float64) string {
	if !(x >= 0) || math.IsInf(x, 1) {
		return fmt.Sprintf("%s %v is not a number from 0 up", what, x)
	}
	return ""
}

// join prints queries side by side.
func join(qs []Query, sep string) string {
	parts := make([]string, len(qs))
	for i, q := range qs {
		parts[i] = within(q, asNot)
	}
	return strings.Join(parts, sep)
}
