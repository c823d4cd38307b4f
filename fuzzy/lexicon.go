package fuzzy

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// A lexicon is a set of words with weights, in a few flat slices. Words are
// numbered by length in runes, then by text, so that the words of one length
// have numbers in a row.
type lexicon struct {
	text    string    // all words, end to end
	starts  []uint32  // word i is text[starts[i]:starts[i+1]]
	weights []float64 // of each word
	sizes   []int     // the words of n runes are sizes[n] to sizes[n+1]
}

type entry struct {
	text   string
	weight float64
	size   int // runes; newLexicon counts them
}

func newLexicon(entries []entry) lexicon {
	entries = slices.DeleteFunc(entries, func(e entry) bool { return e.text == "" })
	for i, e := range entries {
		entries[i].size = utf8.RuneCountInString(e.text)
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.text, b.text))
	})
	entries = merge(entries)

	l := lexicon{
		starts:  make([]uint32, 1, len(entries)+1),
		weights: make([]float64, 0, len(entries)),
	}
	var text strings.Builder
	for i, e := range entries {
		for len(l.sizes) <= e.size {
			l.sizes = append(l.sizes, i)
		}
		text.WriteString(e.text)
		l.starts = append(l.starts, uint32(text.Len()))
		l.weights = append(l.weights, e.weight)
	}
	l.text = text.String()
	l.sizes = append(l.sizes, len(entries))
	return l
}

// merge adds up the weights of equal words.
func merge(sorted []entry) []entry {
	merged := sorted[:0]
	for _, e := range sorted {
		if n := len(merged); n > 0 && merged[n-1].text == e.text {
			merged[n-1].weight += e.weight
		} else {
			merged = append(merged, e)
		}
	}
	return merged
}

func (l *lexicon) len() int { return len(l.weights) }

func (l *lexicon) word(i int) string { return l.text[l.starts[i]:l.starts[i+1]] }

// longest is the number of runes of the longest word.
func (l *lexicon) longest() int { return len(l.sizes) - 2 }

// window is the range of words of least to most runes.
func (l *lexicon) window(least, most int) (lo, hi int) {
	least, most = max(least, 0), min(most, l.longest())
	if least > most {
		return 0, 0
	}
	return l.sizes[least], l.sizes[most+1]
}

// size is the number of runes of word i.
func (l *lexicon) size(i int) int {
	return sort.SearchInts(l.sizes, i+1) - 1
}

// find is the number of a word.
func (l *lexicon) find(word string) (int, bool) {
	n := utf8.RuneCountInString(word)
	lo, hi := l.window(n, n)
	i, found := sort.Find(hi-lo, func(i int) int { return cmp.Compare(word, l.word(lo+i)) })
	return lo + i, found
}
