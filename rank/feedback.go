package rank

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"unicode/utf8"
)

// Feedback finds words by which to expand a query, in documents that are taken to be
// relevant because a first search found them best. It is what an index is given in
// SearchOptions.Feedback. Those of this package leave out words of a single character, and words that
// more than ten documents and more than a tenth of all hold.
type Feedback interface {
	// Size is how many of the best documents it looks at.
	Size() int
	// Expand returns words with their weights, the greatest first, and what part of the score the query
	// itself keeps, from 0 to 1. The weights are positive and sum up to 1. Stats are those of a word
	// over all fields, with CollFreq.
	Expand(docs []FeedbackDoc, stats func(word string) Stats) (words []WeightedWord, query float64)
}

// FeedbackDoc is a document that is taken to be relevant.
type FeedbackDoc struct {
	Score float64        // of the first search
	Terms map[string]int // how often each of its terms occurs
}

// WeightedWord is a term of an expanded query.
type WeightedWord struct {
	Word   string
	Weight float64
}

// RM3 is the Feedback of relevance models (Abdul-Jaleel and others, UMass at TREC 2004): words
// weigh as likely as they are to be drawn from one of the documents, which is drawn by its score. The
// words of the query keep 0.8 of the weight by default, with which it seldom does harm; the
// literature often has 0.5.
type RM3 struct {
	Docs  int     // documents looked at; 0 or less: 10
	Words int     // that are added; 0 or less: 20
	Query float64 // what the query keeps, up to 1; 0: 0.8, negative: a true 0
}

// Bo1 is the Feedback by divergence from randomness (Amati, Probability Models for Information
// Retrieval, 2003): words weigh by how much more often they stand in the documents than chance would have it,
//
//	tf·log2((1+λ)/λ) + log2(1+λ)    λ = F/N
//
// where tf is that in all the documents together.
type Bo1 struct {
	Docs  int     // as of RM3
	Words int     // as of RM3
	Query float64 // as of RM3
}

var (
	_ Feedback = RM3{}
	_ Feedback = Bo1{}
)

func preset(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}

// Size implements [Feedback].
func (m RM3) Size() int { return preset(m.Docs, 10) }

// Size implements [Feedback].
func (m Bo1) Size() int { return preset(m.Docs, 10) }

// Expand implements [Feedback].
func (m RM3) Expand(docs []FeedbackDoc, stats func(string) Stats) ([]WeightedWord, float64) {
	docs = docs[:min(len(docs), m.Size())]
	all := 0.0
	for _, d := range docs {
		if d.Score > 0 && !math.IsInf(d.Score, 1) {
			all += d.Score
		}
	}
	weights := map[string]float64{}
	for _, d := range docs {
		share, length := 1/float64(len(docs)), 0
		if all > 0 && !math.IsInf(all, 1) {
			share = max(d.Score, 0) / all
		}
		for _, tf := range d.Terms {
			length += tf
		}
		for word, tf := range d.Terms {
			weights[word] += share * (float64(tf) / float64(length))
		}
	}
	return heaviest(weights, preset(m.Words, 20), stats), parameter(m.Query, 0.8, 1)
}

// Expand implements [Feedback].
func (m Bo1) Expand(docs []FeedbackDoc, stats func(string) Stats) ([]WeightedWord, float64) {
	tfs := map[string]int{}
	for _, d := range docs[:min(len(docs), m.Size())] {
		for word, tf := range d.Terms {
			tfs[word] += tf
		}
	}
	weights := map[string]float64{}
	for word, tf := range tfs {
		s := stats(word)
		docs, _ := s.counts()
		lambda := s.collFreq() / docs
		weights[word] = float64(tf)*math.Log2((1+lambda)/lambda) + math.Log2(1+lambda)
	}
	return heaviest(weights, preset(m.Words, 20), stats), parameter(m.Query, 0.8, 1)
}

// heaviest returns the n words of the greatest weights, of which the sum is 1. Words of more than a
// tenth of the documents tell nothing of a topic, nor do single characters.
func heaviest(weights map[string]float64, n int, stats func(string) Stats) (out []WeightedWord) {
	for _, word := range slices.Sorted(maps.Keys(weights)) {
		if w := weights[word]; w > 0 && !math.IsInf(w, 1) && utf8.RuneCountInString(word) > 1 {
			out = append(out, WeightedWord{word, w})
		}
	}
	slices.SortStableFunc(out, func(a, b WeightedWord) int { return cmp.Compare(b.Weight, a.Weight) })
	kept, sum := 0, 0.0
	for _, w := range out {
		if kept == n {
			break
		}
		if s := stats(w.Word); s.DocFreq > max(s.Docs/10, 10) {
			continue
		}
		out[kept] = w
		kept++
		sum += w.Weight
	}
	out = out[:kept]
	for i := range out {
		out[i].Weight /= sum
	}
	return out
}
