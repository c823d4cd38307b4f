package query

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Typos says which typing errors are forgiven the words of a [Match]. The zero value
// forgives none; Typos{Forgive: true} forgives one in words of four letters or more and
// two in words of eight or more, but in the first letter.
//
// A word that errors are forgiven is searched for, found and scored as a [Fuzzy], so that
// what has it as it was typed comes first. Words of other characters than letters, such as
// "C++" or "2026", and phrases, prefixes and terms are taken as they are.
type Typos struct {
	Forgive     bool
	One, Two    int  // letters that a word has at least for one error, or two, to be forgiven; 0: 4 and 8; negative: so many never are
	FirstLetter bool // the first letter may be wrong too
}

// The lengths of words from which errors are forgiven.
const (
	presetOne = 4
	presetTwo = 8
)

// Fuzzy returns what a Match of a single word becomes; false: it stays as it is.
func (t Typos) Fuzzy(m Match) (Fuzzy, bool) {
	word := strings.TrimSpace(m.Text)
	distance := t.distance(word)
	if distance == 0 {
		return Fuzzy{}, false
	}
	q := Fuzzy{Field: m.Field, Text: word, Distance: distance, Prefix: 1}
	if t.FirstLetter {
		q.Prefix = 0
	}
	return q, true
}

func (t Typos) distance(word string) int {
	if !t.Forgive || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		return 0
	}
	n := utf8.RuneCountInString(word)
	one, two := cmp.Or(t.One, presetOne), cmp.Or(t.Two, presetTwo)
	switch {
	case n == 0:
		return 0
	case two > 0 && n >= two:
		return 2
	case one > 0 && n >= one:
		return 1
	}
	return 0
}
