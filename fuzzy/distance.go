package fuzzy

import "fmt"

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
