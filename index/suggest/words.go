package suggest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/webquarry/quarry/index/analysis"
)

// Words that are suggested: letters only, not too short to be told apart, not too long
// to be typed.
const (
	shortestWord = 3  // letters
	longestWord  = 30 // letters
)

// Words lists the different words of some texts in ascending order, in the form in
// which they are suggested: lower case, without accents. Numbers, words with digits or
// signs in them, and those of fewer than 3 or more than 30 letters are left out.
func Words(texts ...string) []string {
	return terms(texts, func(before, term string) string {
		if isWord(term) {
			return term
		}
		return ""
	})
}

// Written lists the different words of some texts as they are written, "Müller" rather
// than "muller", so that they are suggested like that: each in the form that most documents
// have. Documents with a word in several forms count for each of them.
func Written(texts ...string) []string {
	var list []string
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != '’' }) {
			if word = strings.Trim(word, "'’"); isWord(normal(word)) {
				list = append(list, word)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Pairs lists the different pairs of words that follow each other in some texts, with a
// blank between, in ascending order. They take about as much room in an index as its text.
func Pairs(texts ...string) []string {
	return terms(texts, func(before, term string) string {
		if before == "" || len(term) > 4*longestWord {
			return ""
		}
		return before + " " + term
	})
}

// terms lists what becomes of the terms of some texts and of those before them.
func terms(texts []string, of func(before, term string) string) []string {
	var list []string
	for _, text := range texts {
		before := ""
		for _, slot := range analysis.Slots(analysis.Standard{}, text) {
			for _, term := range slot.Terms {
				if word := of(before, term); word != "" {
					list = append(list, word)
				}
			}
			before = slot.Terms[0]
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func isWord(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= shortestWord && n <= longestWord && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}
