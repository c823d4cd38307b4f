package query

import "iter"

// Query is what a search asks: a tree of the types below, used as values (not
// pointers). The set is sealed. Every query prints itself in the language of
// [Parse], and the printed form is read back as an equal query.
//
// An empty Field in a leaf stands for all Text fields of the schema: the leaf
// matches when one of them does, and scores the sum over them, each times its
// weight.
type Query interface {
	String() string
	query()
}

// All matches every document, with score 0.
type All struct{}

// None matches no document.
type None struct{}

// Term matches the documents that hold Text as a term of the index, byte for
// byte: it is not analysed. A Keyword field holds each of its values as a term.
type Term struct {
	Field string
	Text  string
}

// Match matches the documents that hold all words of Text, in any order. The
// words (parted by white space) are analysed as the field is. A word that
// becomes several tokens, such as "pg_dump", must stand together as in a
// [Phrase]; one that becomes none, such as "--", asks for nothing. In a Keyword
// field Text is one value, whole.
//
// A run of three or more characters of a script without spaces, such as Chinese or
// Thai, asks for the pairs of characters in it: at least two of them and half of
// them, and documents that have the run as it is score as a [Phrase] besides. Runs of
// more than 65 characters must be found as they are.
//
// Words side by side, here or as members of an And or Or, that the analyzer takes for
// something together, such as a synonym of several words, are found as that, too.
type Match struct {
	Field string
	Text  string
}

// Phrase matches the documents that hold the words of Text in this order, next
// to each other. Slop allows that much looseness: when each word is moved back
// by its place in the phrase, the positions may differ by at most Slop (one
// word between costs 1, two neighbours swapped cost 2).
type Phrase struct {
	Field string
	Text  string
	Slop  int
}

// Prefix matches the documents with a word that begins with Text. When Text
// becomes several tokens, they are a phrase whose last word is the prefix.
type Prefix struct {
	Field string
	Text  string
}

// And matches what all members match and scores the sum of them. The empty And
// is [All]. Members that ask for nothing, such as words that the analyzer drops, are
// left out. When no other is left but those that say what must not match, the And asks
// for nothing; and an Or with [All], which without that only adds to the score, then has
// to match by its other members.
type And []Query

// Or matches what at least one member matches and scores the sum of those that
// do. The empty Or is [None].
type Or []Query

// Not matches what its member does not match, with score 0.
type Not struct{ Query }

// Boost matches what its member matches and scores By times as much. By is
// finite and not negative; with 0 the member filters and does not score.
type Boost struct {
	Query
	By float64
}

func (All) query()    {}
func (None) query()   {}
func (Term) query()   {}
func (Match) query()  {}
func (Phrase) query() {}
func (Prefix) query() {}
func (And) query()    {}
func (Or) query()     {}
func (Not) query()    {}
func (Boost) query()  {}

// Leaves yields the leaves of q that a matching document may match, from left
// to right: each [Term], [Match], [Phrase], [Prefix], [Wildcard], [Regexp] and
// [Fuzzy] that is not inside a [Not]. It is what a highlighter or a spelling
// corrector looks at.
func Leaves(q Query) iter.Seq[Query] {
	return func(yield func(Query) bool) { eachLeaf(q, yield) }
}

// eachLeaf reports whether yield wants to go on.
func eachLeaf(q Query, yield func(Query) bool) bool {
	var members []Query
	switch q := q.(type) {
	case Term, Match, Phrase, Prefix, Wildcard, Regexp, Fuzzy:
		return yield(q)
	case And:
		members = q
	case Or:
		members = q
	case AtLeast:
		members = q.Of
	case Boost:
		members = []Query{q.Query}
	case Constant:
		members = []Query{q.Query}
	}
	for _, m := range members {
		if !eachLeaf(m, yield) {
			return false
		}
	}
	return true
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
