package query

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Term matches the documents that hold Text as a term of the index, byte for
// byte: it is not analysed. A Keyword field holds each of its values as a term.
type Term struct {
	Field string
	Text  string
}

func (q Term) String() string { return fieldPrefix(q.Field) + "=" + quote(q.Text) }

func (Term) members() []Query                     { return nil }
func (q Term) head() any                          { return q }
func (Term) binds() binding                       { return asLeaf }
func (Term) check() string                        { return "" }
func (q Term) leaves(yield func(Query) bool) bool { return yield(q) }

// Match matches the documents that hold all words of Text, in any order. The
// words (parted by white space) are analysed as the field is. A word that
// becomes several tokens, such as "pg_dump", must stand together as in a
// [Phrase]; one that becomes none, such as "--", asks for nothing. In a Keyword
// field Text is one value, whole.
//
// A run of three or more characters of a script without spaces, such as Chinese or
// Thai, asks for the pairs of characters in it, at least a quarter of them, and
// documents that have the run as it is score as a [Phrase] besides. Runs of
// more than 65 characters must be found as they are.
//
// Words side by side, here or as members of an And or Or, that the analyzer takes for
// something together, such as a synonym of several words, are found as that, too.
type Match struct {
	Field string
	Text  string
}

func (q Match) String() string {
	if q.Text == "" {
		return fieldPrefix(q.Field) + `""`
	}
	return inField(q.Field, asOneWord(escapeWord(q.Text)))
}

func (Match) members() []Query                     { return nil }
func (q Match) head() any                          { return q }
func (Match) binds() binding                       { return asLeaf }
func (Match) check() string                        { return "" }
func (q Match) leaves(yield func(Query) bool) bool { return yield(q) }

// Phrase matches the documents that hold the words of Text in this order, next
// to each other. Slop allows that much looseness: when each word is moved back
// by its place in the phrase, the positions may differ by at most Slop (one
// word between costs 1, two neighbours swapped cost 2).
type Phrase struct {
	Field string
	Text  string
	Slop  int
}

func (q Phrase) String() string {
	s := fieldPrefix(q.Field) + quote(q.Text)
	if q.Slop != 0 || q.Text == "" {
		s += "~" + strconv.Itoa(q.Slop)
	}
	return s
}

func (Phrase) members() []Query { return nil }
func (q Phrase) head() any      { return q }
func (Phrase) binds() binding   { return asLeaf }
func (q Phrase) check() string {
	if q.Slop < 0 {
		return fmt.Sprintf("slop %d is negative", q.Slop)
	}
	return ""
}
func (q Phrase) leaves(yield func(Query) bool) bool { return yield(q) }

// Prefix matches the documents with a word that begins with Text. When Text
// becomes several tokens, they are a phrase whose last word is the prefix.
type Prefix struct {
	Field string
	Text  string
}

func (q Prefix) String() string {
	if q.Text != "" && strings.IndexFunc(q.Text, unicode.IsSpace) < 0 {
		return inField(q.Field, escape(q.Text, true)+"*")
	}
	s := strings.TrimSuffix(quote(q.Text), `"`)
	if r, n := utf8.DecodeLastRuneInString(s); unicode.IsSpace(r) {
		s = s[:len(s)-n] + `\` + s[len(s)-n:]
	}
	return fieldPrefix(q.Field) + s + `*"`
}

func (Prefix) members() []Query                     { return nil }
func (q Prefix) head() any                          { return q }
func (Prefix) binds() binding                       { return asLeaf }
func (Prefix) check() string                        { return "" }
func (q Prefix) leaves(yield func(Query) bool) bool { return yield(q) }
