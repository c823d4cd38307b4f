package query

import (
	"fmt"
	"iter"
	"reflect"
)

// Query is what a search asks: a tree of the types below, used as values (not
// pointers). The set is sealed. Every query but [KNN] prints itself in the language of
// [Parse], and the printed form is read back as an equal query.
//
// An empty Field in a leaf stands for all Text fields of the schema but those that are
// left out, see index.FieldType.NamedOnly and index.SearchOptions.Weights: the leaf
// matches when one of them does, and scores the sum over them, each times its weight.
type Query interface {
	String() string
	node
}

// node is what a query says of itself, so that nothing that goes over trees of queries
// has to know all kinds of them.
type node interface {
	members() []Query                   // what it is made of, from left to right; nil of a leaf
	head() any                          // what it is without its members; comparable
	check() string                      // what makes it unanswerable, its members aside; "": nothing
	binds() binding                     // how it prints within another query
	leaves(yield func(Query) bool) bool // see [Leaves]; false: yield wants no more
}

// Split takes a query apart: into what it is made of, from left to right, and what it is
// besides, which is comparable. Queries with equal heads and members are equal. A leaf
// has no members.
func Split(q Query) (head any, members []Query) { return q.head(), q.members() }

// Leaves yields the leaves of q that a matching document may match, from left
// to right: each [Term], [Match], [Phrase], [Prefix], [Wildcard], [Regexp] and
// [Fuzzy] that is not inside a [Not]. It is what a highlighter or a spelling
// corrector looks at.
func Leaves(q Query) iter.Seq[Query] {
	return func(yield func(Query) bool) { leavesOf([]Query{q}, yield) }
}

func leavesOf(members []Query, yield func(Query) bool) bool {
	for _, m := range members {
		if m != nil && !m.leaves(yield) {
			return false
		}
	}
	return true
}

// maxDepth is how deep the tree of a query may be: more than any text gives.
const maxDepth = 1000

// Check reports what makes q unanswerable, whatever the index holds: a member
// that is nil or a pointer, a number out of range, a regular expression that is
// none, nesting too deep.
func Check(q Query) error { return checkAt(q, 0) }

func checkAt(q Query, depth int) error {
	msg := ""
	switch {
	case q == nil:
		msg = "a member is nil"
	case reflect.TypeOf(q).Kind() == reflect.Pointer:
		msg = fmt.Sprintf("%T: queries are values, not pointers", q)
	case depth > maxDepth:
		msg = fmt.Sprintf("nested more than %d deep", maxDepth)
	default:
		msg = q.check()
	}
	if msg != "" {
		return &Error{Pos: -1, Msg: msg}
	}
	for _, m := range q.members() {
		if err := checkAt(m, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// Expander knows other words that may stand for a term: misspellings,
// synonyms. It yields each with a weight in (0, 1]. A word of a [Match] that is
// a single term then matches as any of the term itself and the yielded ones, and
// scores what the best of those in a document does, times its weight. All are taken
// to be as frequent as the most frequent of them, over all fields where a
// [rank.Combiner] scores: a rare misspelling is worth no more than the word that it
// stands for, and a document with many of them no more than one with the best.
type Expander interface {
	Expand(term string) iter.Seq2[string, float64]
}
