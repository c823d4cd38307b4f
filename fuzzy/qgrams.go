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
// goroutines may use it at once. Its words have 4 GiB of text at most. [Map] makes one
// of a file that is mapped into memory.
type QGrams struct {
	Metric Metric // which edits count as one; set it before the first use

	words   lexicon
	total   float64 // of all weights
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
	for _, weight := range g.words.weights {
		g.total += max(weight, 0)
	}
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
	return g.matches(l.run(g, s, dist, prefix), limit)
}

// matches is the best of what was found, as [Matcher] orders it.
func (g *QGrams) matches(all []found, limit int) []Match {
	if len(all) == 0 {
		return nil
	}
	less := func(a, b found) int {
		return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(g.words.weights[b.word], g.words.weights[a.word]), cmp.Compare(g.words.word(a.word), g.words.word(b.word)))
	}
	if limit > 0 && limit < len(all) {
		all = best(all, limit, less)
	} else {
		slices.SortFunc(all, less)
	}
	list := make([]Match, len(all))
	for i, f := range all {
		list[i] = Match{g.words.word(f.word), f.dist, g.words.weights[f.word]}
	}
	return list
}

// best puts the first n of the list in order, and returns them; n is less than
// its length. It keeps the best so far in a heap, the worst of them on top.
func best[E any](list []E, n int, compare func(a, b E) int) []E {
	top := list[:n]
	down := func(i int) {
		for {
			worst := i
			for c := 2*i + 1; c <= 2*i+2 && c < n; c++ {
				if compare(top[c], top[worst]) > 0 {
					worst = c
				}
			}
			if worst == i {
				return
			}
			top[i], top[worst] = top[worst], top[i]
			i = worst
		}
	}
	for i := n/2 - 1; i >= 0; i-- {
		down(i)
	}
	for _, e := range list[n:] {
		if compare(e, top[0]) < 0 {
			top[0] = e
			down(0)
		}
	}
	slices.SortFunc(top, compare)
	return top
}

// spoil is how many grams one edit can break.
func (m Metric) spoil() int {
	if m == MetricLevenshtein {
		return q
	}
	return q + 1
}

// All gives the words and their weights, short ones first, equally long ones in
// alphabetical order.
func (g *QGrams) All() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for i, weight := range g.words.weights {
			if !yield(g.words.word(i), weight) {
				return
			}
		}
	}
}
