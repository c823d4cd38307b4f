package fuzzy

import (
	"cmp"
	"iter"
	"math"
)

// defaultExpansions is how many words an Expansion gives when it is not told.
const defaultExpansions = 50

// Expansion widens a search term to the words near to it. It is what an index
// asks when a query forgives typing errors.
type Expansion struct {
	Matcher  Matcher               // where words come from; nil: there are none
	Distance func(term string) int // how many edits to forgive; nil: AutoDistance
	Limit    int                   // words a term becomes at most; 0: 50, negative: all
}

// Expand gives the words near to term, nearest first, and how much each counts:
// 1 for term itself, 1/2 for a word one edit away, 1/3 for two, and so on. A
// term that is not among the words is not given.
func (e Expansion) Expand(term string) iter.Seq2[string, float64] {
	dist := AutoDistance
	if e.Distance != nil {
		dist = e.Distance
	}
	return func(yield func(string, float64) bool) {
		if e.Matcher == nil {
			return
		}
		for _, m := range e.Matcher.Match(term, dist(term), cmp.Or(e.Limit, defaultExpansions)) {
			if !yield(m.Text, 1/float64(1+m.Distance)) {
				return
			}
		}
	}
}

// expansionTop is how many words a Speller widens a term to, and farBehind how much
// less likely than the likeliest the last of them may be.
const (
	expansionTop = 5
	farBehind    = 20
)

// Expand gives the words that may be meant by term, likeliest first, and how much each
// counts: 1 for a word of the vocabulary, which stands for itself alone, and for the
// likeliest of those that may be meant by another, less for those that are less likely.
// With it an index ranks a misspelt query about as the right one, where an [Expansion]
// has every near word count. The vocabulary is that of the terms of the field: stems where
// it has such. Terms are taken as they are, not in normal form.
func (s Speller) Expand(term string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		if s.Words == nil || s.Words.Len() == 0 {
			return
		}
		if _, known := s.Words.Weight(term); known {
			yield(term, 1)
			return
		}
		g := gatherings.Get().(*gathering)
		type word struct {
			text string
			by   float64
		}
		var words []word
		p := passage{speller: s, gathering: g}
		for _, c := range g.candidates(&s, term, expansionTop) {
			if c.distance <= p.tolerance(term, runeCount(term, wordBits), c) {
				words = append(words, word{s.Words.words.word(c.word), float64(c.cost)})
			}
		}
		gatherings.Put(g) // the caller may look for others meanwhile
		for _, w := range words {
			by := math.Exp(words[0].by - w.by)
			if by < 1.0/farBehind || !yield(w.text, by) {
				return
			}
		}
	}
}
