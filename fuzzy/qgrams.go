package fuzzy

import (
	"cmp"
	"iter"
	"slices"
	"sync"
)

// QGrams is a Matcher over a dictionary in memory. It knows which words hold
// which three runes in a row, and compares only words that share enough of
// them. Any number of edits is possible; few are fast.
//
// It takes some 75 bytes for each English word, and does not change, so many
// goroutines may use it at once.
type QGrams struct {
	Metric Metric // which edits count as one; set it before the first use

	words   lexicon
	lists   inverted
	letters []letters // of each word
	lookups sync.Pool // of *lookup
}

var _ Matcher = (*QGrams)(nil)

// number is what a dictionary may come with: counts or weights.
type number interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// New makes a QGrams of words and their weights, such as the numbers of
// documents that hold them. Weights of a word that comes several times are
// added up; empty words are left out.
func New[N number](words iter.Seq2[string, N]) *QGrams {
	var entries []entry
	for word, weight := range words {
		entries = append(entries, entry{text: word, weight: float64(weight)})
	}
	return build(entries)
}

func build(entries []entry) *QGrams {
	g := &QGrams{words: newLexicon(entries)}
	g.lists = invert(&g.words)
	g.letters = make([]letters, g.Len())
	for i := range g.letters {
		g.letters[i] = lettersOf(g.words.word(i))
	}
	return g
}

// Len is the number of words.
func (g *QGrams) Len() int { return g.words.len() }

// Weight is the weight of a word, or false when it is not in the dictionary.
func (g *QGrams) Weight(word string) (float64, bool) {
	i, found := g.words.find(word)
	if !found {
		return 0, false
	}
	return g.words.weights[i], true
}

// Match finds the words within dist edits of s, as [Matcher] says.
func (g *QGrams) Match(s string, dist, limit int) []Match {
	return g.search(s, dist, limit, false)
}

// Complete finds the words that begin with s, or with something within dist
// edits of it, in the order of Match. Distance is that of s and the prefix
// nearest to it.
func (g *QGrams) Complete(s string, dist, limit int) []Match {
	return g.search(s, dist, limit, true)
}

func (g *QGrams) search(s string, dist, limit int, prefix bool) []Match {
	if dist < 0 || limit == 0 || g.Len() == 0 {
		return nil
	}
	l, ok := g.lookups.Get().(*lookup)
	if !ok {
		l = new(lookup)
	}
	defer g.lookups.Put(l)
	found := l.run(g, s, dist, prefix)
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Text, b.Text))
	})
	if limit > 0 && len(found) > limit {
		found = slices.Clone(found[:limit])
	}
	return found
}

// spoil is how many grams one edit can break.
func (m Metric) spoil() int {
	if m == MetricLevenshtein {
		return q
	}
	return q + 1
}
