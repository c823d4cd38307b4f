package rank

import (
	"fmt"
	"math"
)

// TFIDF is the Scorer
//
//	idf · (1 + ln tf) / √length
//
// of the vector space model (Salton and Buckley, 1988), with the root of the
// length in place of the document vector's own length, which an index would
// have to keep for every document. BM25 finds more; TFIDF is here to compare
// with.
type TFIDF struct {
	IDF IDF // how much rarity counts
}

var (
	_ Scorer    = TFIDF{}
	_ Explainer = TFIDF{}
)

// Term makes the Score of a term.
func (m TFIDF) Term(s Stats) Score {
	idf := m.IDF.Weight(s.Docs, s.DocFreq)
	return func(tf, length uint32) float64 {
		if tf == 0 {
			return 0
		}
		return idf * (1 + math.Log(float64(tf))) / math.Sqrt(float64(max(length, 1)))
	}
}

// Explain tells where the score of a term comes from.
func (m TFIDF) Explain(s Stats, tf, length uint32) Explanation {
	factor := 0.0
	if tf > 0 {
		factor = (1 + math.Log(float64(tf))) / math.Sqrt(float64(max(length, 1)))
	}
	return Explanation{
		Value: m.Term(s)(tf, length),
		Text:  "TF-IDF = idf · frequency",
		Parts: []Explanation{
			m.IDF.explain(s),
			{Value: factor, Text: fmt.Sprintf("frequency = (1 + ln tf) / √length, tf = %d, length = %d", tf, length)},
		},
	}
}
