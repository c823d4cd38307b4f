package fuzzy

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"
)

// What a candidate has to be ahead by, in natural logarithms of its weight. A
// word one edit farther away must be some 400 times as frequent to be preferred.
// The numbers come from trying on lists of real misspellings; near them the
// results change little.
const (
	costEdit    = 6
	costFirst   = 3 // the first letter is other: people rarely get it wrong
	costLast    = 2 // the last letter is other
	gainDoubled = 3 // only doubled letters differ: "acomodation"
	gainLetters = 3 // letters were left out, put in or swapped, and none replaced: "reciev"
)

// farRarer is how many times rarer an error is than what was meant.
const farRarer = 1000

// Speller corrects words by a vocabulary, such as the terms of an index with
// the numbers of documents that hold them. Take the vocabulary from a field
// whose words are not stemmed, or stems is what it will suggest.
type Speller struct {
	Words *QGrams // the vocabulary; weights are frequencies

	// Normal writes a word as the vocabulary does. Nil: Fold.
	Normal func(word string) string

	// Rarer is how many times rarer than its correction a word of the vocabulary
	// must be to be corrected. 0: 1000. Rare words are often right: "form" is no
	// error because "from" is everywhere.
	Rarer float64
}

// Suggest gives words that may be meant by word, likeliest first, at most
// limit, all when limit is negative: near ones, then frequent ones, with
// preference for those that keep the first and last letter, differ by doubled
// letters only, or have all letters of word or only such. It looks as far as [AutoDistance] and does not give
// word itself. Distances are those to the normal form of word.
func (s Speller) Suggest(word string, limit int) []Match {
	if s.Words == nil || limit == 0 {
		return nil
	}
	word = s.normal(word)
	found := s.Words.Match(word, AutoDistance(word), -1)
	found = slices.DeleteFunc(found, func(m Match) bool { return m.Distance == 0 })
	costs := make(map[string]float64, len(found))
	for _, m := range found {
		costs[m.Text] = cost(word, m)
	}
	slices.SortStableFunc(found, func(a, b Match) int { return cmp.Compare(costs[a.Text], costs[b.Text]) })
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	return found
}

func (s Speller) normal(word string) string {
	if s.Normal != nil {
		return s.Normal(word)
	}
	return Fold(word)
}

// cost is how unlikely it is that m was meant.
func cost(word string, m Match) float64 {
	c := costEdit*float64(m.Distance) - math.Log1p(max(m.Weight, 0))
	first, _ := utf8.DecodeRuneInString(word)
	if r, _ := utf8.DecodeRuneInString(m.Text); r != first {
		c += costFirst
	}
	last, _ := utf8.DecodeLastRuneInString(word)
	if r, _ := utf8.DecodeLastRuneInString(m.Text); r != last {
		c += costLast
	}
	if slices.Equal(undoubled(word), undoubled(m.Text)) {
		c -= gainDoubled
	}
	if within(word, m.Text) || within(m.Text, word) {
		c -= gainLetters
	}
	return c
}

// within reports whether b has all letters of a, as often.
func within(a, b string) bool {
	count := map[rune]int{}
	for _, r := range b {
		count[r]++
	}
	for _, r := range a {
		if count[r]--; count[r] < 0 {
			return false
		}
	}
	return true
}

// undoubled is s with runs of one rune made single.
func undoubled(s string) []rune { return slices.Compact([]rune(s)) }

// correct is the word that a word should be, or false when it may stay.
func (s Speller) correct(word string) (string, bool) {
	best := s.Suggest(word, 1)
	if len(best) == 0 {
		return "", false
	}
	own, known := s.Words.Weight(s.normal(word))
	if known && (best[0].Distance > 1 || best[0].Weight < own*cmp.Or(s.Rarer, farRarer)) {
		return "", false
	}
	return best[0].Text, true
}
