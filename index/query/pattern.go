package query

import "unicode/utf8"

// Wildcard matches the documents with a word that Pattern stands for: * is any
// number of characters, ? is one, and a backslash before a sign takes away its
// meaning. The pattern is compared with whole terms of the index, after it was
// folded as the field's are; in a Keyword field with whole values, as they are.
// All terms it stands for count as one word.
//
// A pattern that begins with * is compared with every term of the field that has
// its letters, as [Fuzzy] says. Of more terms than index.Effort allows the most frequent
// ones count, and the results carry a warning.
type Wildcard struct {
	Field   string
	Pattern string
}

// Regexp matches the documents with a term that matches Pattern as a whole, in
// the syntax of package regexp without word boundaries; a dot is any character. In
// a Text field case does not matter. All else is as for [Wildcard]. A pattern that
// is none, or too complicated, is a [*Error].
type Regexp struct {
	Field   string
	Pattern string
}

// Fuzzy matches the documents with a word that is at most Distance edits from
// Text: a letter put in, left out, replaced, or changed with its neighbour.
// Distance 0 goes by the length of the word: none in one or two letters, one
// in three to five, two in longer ones; the most is 4. Text is analysed as the
// field is, and distances are those of terms.
//
// The terms that match stand for one word. A document scores as with the best of those
// that it holds, as if each were in as many documents as the most frequent of them, and
// divided by 1 + its distance. Where Text is several words, they score as a [Phrase], of
// which all terms that match count as one word. Of more terms than index.Effort allows the
// nearest count, of these the most frequent.
//
// Where segments are searched so again and again, each keeps eight bytes a term in
// memory, by which most terms need not be looked at.
type Fuzzy struct {
	Field    string
	Text     string
	Distance int
}

// maxDistance is the greatest Distance of a [Fuzzy].
const MaxDistance = 4

// DistanceOf returns how many edits terms may be away from one of Text: Distance, or
// what follows from the length of the term.
func (q Fuzzy) DistanceOf(term string) int {
	if q.Distance > 0 {
		return q.Distance
	}
	switch n := utf8.RuneCountInString(term); {
	case n < 3:
		return 0
	case n < 6:
		return 1
	}
	return 2
}

func (Wildcard) query() {}
func (Regexp) query()   {}
func (Fuzzy) query()    {}
