package fuzzy

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sync"
)

// QGrams is a Matcher over a dictionary in memory. It knows which words hold
// which three runes in a row, and compares only words that share enough of
// them. Any number of edits is possible; few are fast.
//
// It takes some 60 bytes and the text for each word. It does not change, so
// many goroutines may use it at once.
type QGrams struct {
	Metric Metric // which edits count as one; set it before the first use

	lexicon
	inverted
	letters []letters // of each word
	lookups sync.Pool // of *lookup
}

var _ Matcher = (*QGrams)(nil)

// New makes a QGrams of words and their weights, such as the numbers of
// documents that hold them. Weights of a word that comes several times are
// added up; empty words are left out.
func New[N number](words iter.Seq2[string, N]) *QGrams {
	g := &QGrams{lexicon: newLexicon(words)}
	g.inverted = invert(&g.lexicon)
	g.letters = make([]letters, g.Len())
	for i := range g.letters {
		g.letters[i] = lettersOf(g.word(i))
	}
	return g
}

// Len is the number of words.
func (g *QGrams) Len() int { return g.len() }

// Weight is the weight of a word, or false when it is not in the dictionary.
func (g *QGrams) Weight(word string) (float64, bool) {
	i, found := g.find(word)
	if !found {
		return 0, false
	}
	return g.weights[i], true
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
	if dist < 0 || limit == 0 || g.len() == 0 {
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

// unlimited is more bits than there are.
const unlimited = math.MaxInt
