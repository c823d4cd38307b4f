package fuzzy

import (
	"fmt"
	"unicode/utf8"
)

// Metric says which edits count as one. Inserting, deleting and replacing a
// rune always do.
type Metric int

const (
	// MetricOSA counts the swap of two neighbours as one edit, as long as
	// neither is edited again: optimal string alignment, what people mean by a
	// typing error. It is no metric in the mathematical sense, since "ca" and
	// "abc" are three edits apart, though "ac" lies one from "ca" and one from
	// "abc".
	MetricOSA Metric = iota

	// MetricLevenshtein counts a swap as two edits (Levenshtein, 1965).
	MetricLevenshtein

	// MetricDamerau counts the swap of two neighbours as one edit, also when
	// runes come or go between them (Damerau, 1964; Lowrance and Wagner, 1975).
	// It takes longer to compute than the others.
	MetricDamerau
)

// String is the name of the metric.
func (m Metric) String() string {
	switch m {
	case MetricOSA:
		return "OSA"
	case MetricLevenshtein:
		return "Levenshtein"
	case MetricDamerau:
		return "Damerau-Levenshtein"
	}
	return fmt.Sprintf("Metric(%d)", int(m))
}

// Levenshtein is the number of runes to insert, delete or replace that make b
// of a. All distances take time in proportion to the product of the lengths
// and space in proportion to their sum. Bytes that are not UTF-8 count as
// U+FFFD each.
func Levenshtein(a, b string) int { return distance(MetricLevenshtein, a, b) }

// OSA is the distance of [MetricOSA].
func OSA(a, b string) int { return distance(MetricOSA, a, b) }

// DamerauLevenshtein is the distance of [MetricDamerau].
func DamerauLevenshtein(a, b string) int { return distance(MetricDamerau, a, b) }

// LevenshteinAtMost is Levenshtein when that is at most most, else false. It is
// the faster the smaller most is.
func LevenshteinAtMost(a, b string, most int) (int, bool) {
	return distanceAtMost(MetricLevenshtein, a, b, most)
}

// OSAAtMost is OSA when that is at most most, else false. It is the faster the
// smaller most is.
func OSAAtMost(a, b string, most int) (int, bool) { return distanceAtMost(MetricOSA, a, b, most) }

// DamerauLevenshteinAtMost is DamerauLevenshtein when that is at most most,
// else false. It gives up early when most is small.
func DamerauLevenshteinAtMost(a, b string, most int) (int, bool) {
	return distanceAtMost(MetricDamerau, a, b, most)
}

// Distance is the distance of a and b.
func (m Metric) Distance(a, b string) int { return distance(m, a, b) }

// DistanceAtMost is the distance of a and b when that is at most most, else
// false. It is the faster the smaller most is.
func (m Metric) DistanceAtMost(a, b string, most int) (int, bool) {
	return distanceAtMost(m, a, b, most)
}

// PrefixDistance is the least distance of typed and any prefix of word: what
// somebody who is still typing word got wrong so far.
func (m Metric) PrefixDistance(typed, word string) int {
	a, b := []rune(typed), []rune(word)
	return new(table).distance(m, a, b, len(a)+len(b), true)
}

// Similarity is 1 for equal strings, 0 where no rune can stay, and otherwise the
// share of the longer string that does: one less the distance by its length.
// Two empty strings are equal.
func (m Metric) Similarity(a, b string) float64 {
	longer := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	if longer == 0 {
		return 1
	}
	return 1 - float64(distance(m, a, b))/float64(longer)
}

// Between is the distance of two sequences of anything, such as the grapheme
// clusters that [Clusters] gives, or words.
func Between[E comparable](m Metric, a, b []E) int {
	number := make(map[E]rune, len(a))
	numbers := func(s []E) []rune {
		out := make([]rune, len(s))
		for i, e := range s {
			n, known := number[e]
			if !known {
				n = rune(len(number))
				number[e] = n
			}
			out[i] = n
		}
		return out
	}
	return new(table).distance(m, numbers(a), numbers(b), len(a)+len(b), false)
}

func distance(m Metric, a, b string) int {
	d, _ := distanceAtMost(m, a, b, max(len(a), len(b)))
	return d
}

func distanceAtMost(m Metric, a, b string, most int) (int, bool) {
	if most < 0 {
		return 0, false
	}
	d := new(table).distance(m, []rune(a), []rune(b), most, false)
	if d > most {
		return 0, false
	}
	return d, true
}
