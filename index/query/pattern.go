package query

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/webquarry/quarry/index/internal/automaton"
)

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

func (q Wildcard) String() string {
	if readsAsPattern(q.Pattern, q.Field != "") {
		return inField(q.Field, q.Pattern)
	}
	return fieldPrefix(q.Field) + "?" + quote(q.Pattern)
}

func (Wildcard) members() []Query                     { return nil }
func (q Wildcard) head() any                          { return q }
func (Wildcard) binds() binding                       { return asLeaf }
func (Wildcard) check() string                        { return "" }
func (q Wildcard) leaves(yield func(Query) bool) bool { return yield(q) }

// Regexp matches the documents with a term that matches Pattern as a whole, in
// the syntax of package regexp without word boundaries; a dot is any character. In
// a Text field case does not matter. All else is as for [Wildcard]. A pattern that
// is none, or too complicated, is a [*Error].
type Regexp struct {
	Field   string
	Pattern string
}

func (q Regexp) String() string {
	if readsAsRegexp(q.Pattern) {
		return fieldPrefix(q.Field) + "/" + q.Pattern + "/"
	}
	return fieldPrefix(q.Field) + "/" + quote(q.Pattern)
}

func (Regexp) members() []Query { return nil }
func (q Regexp) head() any      { return q }
func (Regexp) binds() binding   { return asLeaf }
func (q Regexp) check() string {
	if err := automaton.CheckRegexp(q.Pattern); err != nil {
		return fmt.Sprintf("regular expression %q: %v", q.Pattern, err)
	}
	return ""
}
func (q Regexp) leaves(yield func(Query) bool) bool { return yield(q) }

// Fuzzy matches the documents with a word that is at most Distance edits from
// Text: a letter put in, left out, replaced, or changed with its neighbour.
// Distance 0 goes by the length of the word: none in one or two letters, one
// in three to five, two in longer ones; the most is 4. Text is analysed as the
// field is, and distances are those of terms. The first Prefix characters of a term have
// to be those of Text.
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
	Prefix   int
}

// MaxDistance is the greatest Distance of a [Fuzzy].
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

func (q Fuzzy) String() string {
	word := escapeWord(q.Text)
	if strings.Trim(q.Text, "?") == "" { // no word to the parser
		word = strings.ReplaceAll(q.Text, "?", `\?`)
	}
	s := word + "~"
	if q.Text == "" {
		s = `""~~`
	}
	if q.Distance != 0 {
		s += strconv.Itoa(q.Distance)
	}
	if q.Prefix != 0 {
		s += "/" + strconv.Itoa(q.Prefix)
	}
	return inField(q.Field, s)
}

func (Fuzzy) members() []Query { return nil }
func (q Fuzzy) head() any      { return q }
func (Fuzzy) binds() binding   { return asLeaf }
func (q Fuzzy) check() string {
	if q.Distance < 0 || q.Distance > MaxDistance {
		return fmt.Sprintf("distance %d is not from 0 to %d", q.Distance, MaxDistance)
	}
	if q.Prefix < 0 {
		return fmt.Sprintf("prefix %d is negative", q.Prefix)
	}
	return ""
}
func (q Fuzzy) leaves(yield func(Query) bool) bool { return yield(q) }

// readsAsPattern reports whether the parser takes a bare word for this pattern.
func readsAsPattern(pattern string, inField bool) bool {
	var w bareWord
	for i, r := range pattern {
		n := utf8.RuneLen(r)
		switch {
		case r == '*', r == '?':
			w.sign(r, pattern[i:i+1])
		case sign(r) != r, r == utf8.RuneError, special(r, i == 0), i == 0 && strings.ContainsRune("/[{", r):
			return false
		default:
			w.add(pattern[i : i+n])
		}
	}
	read, ok := w.wildcard(inField)
	return ok && read == pattern
}

// readsAsRegexp reports whether the parser takes /pattern/ for this pattern.
func readsAsRegexp(pattern string) bool {
	first, _ := utf8.DecodeRuneInString(pattern)
	return isExpression(pattern) && sign(first) != '"' && !strings.HasSuffix(pattern, `\`) &&
		strings.IndexFunc(pattern, func(r rune) bool { return r == '/' || unicode.IsSpace(r) }) < 0
}
