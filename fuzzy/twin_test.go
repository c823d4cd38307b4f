package fuzzy

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// What follows is slow and obviously right: the tables as the textbooks draw
// them, and a search that looks at every word.

// textbook is the distance table of a and b: cell [i][j] is the distance of
// the first i runes of a and the first j of b.
func textbook(m Metric, a, b []rune) [][]int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j == 0:
				d[i][j] = i
			default:
				replace := d[i-1][j-1]
				if a[i-1] != b[j-1] {
					replace++
				}
				d[i][j] = min(replace, d[i-1][j]+1, d[i][j-1]+1, swap(m, d, a, b, i, j))
			}
		}
	}
	return d
}

// swap is the cheapest way to cell [i][j] that ends with a swap.
func swap(m Metric, d [][]int, a, b []rune, i, j int) int {
	best, k, l := i+j, 1, 1
	switch m {
	case MetricLevenshtein:
		return best
	case MetricOSA: // neighbours only
		k, l = max(1, i-1), max(1, j-1)
	}
	for ; k < i; k++ {
		for l := l; l < j; l++ {
			if a[k-1] == b[j-1] && a[i-1] == b[l-1] {
				best = min(best, d[k-1][l-1]+(i-k-1)+1+(j-l-1))
			}
		}
	}
	return best
}

func slowDistance(m Metric, a, b string, prefix bool) int {
	ra, rb := []rune(a), []rune(b)
	row := textbook(m, ra, rb)[len(ra)]
	if prefix {
		return slices.Min(row)
	}
	return row[len(rb)]
}

func slowSearch(words map[string]float64, m Metric, s string, dist, limit int, prefix bool) []Match {
	var found []Match
	for word, weight := range words {
		if d := slowDistance(m, s, word, prefix); d <= dist {
			found = append(found, Match{Text: word, Distance: d, Weight: weight})
		}
	}
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Text, b.Text))
	})
	if limit >= 0 && len(found) > limit {
		found = found[:limit]
	}
	return found
}

// Alphabets from few letters, where everything collides, to several scripts.
var alphabets = []string{"a", "ab", "abc", "abcdefgh", "aábcß", "страхови", "abcdefghijklmnopqrstuvwxyz0123456789", "a👍🏽字\u0301\xff"}

func randomWord(r *rand.Rand, alphabet string, longest int) string {
	runes := []rune(alphabet)
	word := make([]rune, r.IntN(longest+1))
	for i := range word {
		word[i] = runes[r.IntN(len(runes))]
	}
	return string(word)
}

func randomWords(r *rand.Rand, alphabet string, n, longest int) map[string]float64 {
	words := map[string]float64{}
	for range n {
		if word := randomWord(r, alphabet, longest); word != "" {
			words[word] = float64(r.IntN(4))
		}
	}
	return words
}

// misspelt makes a few random edits in a word.
func misspelt(r *rand.Rand, word, alphabet string, edits int) string {
	letters, runes := []rune(alphabet), []rune(word)
	for range edits {
		at := r.IntN(len(runes) + 1)
		letter := letters[r.IntN(len(letters))]
		switch kind := r.IntN(4); {
		case kind == 0 || at == len(runes):
			runes = slices.Insert(runes, at, letter)
		case kind == 1:
			runes = slices.Delete(runes, at, at+1)
		case kind == 2:
			runes[at] = letter
		case at+1 < len(runes):
			runes[at], runes[at+1] = runes[at+1], runes[at]
		}
	}
	return string(runes)
}
