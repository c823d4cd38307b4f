package rank

import (
	"fmt"
	"math"
)

// IDF is how much the rarity of a term counts: its inverse document
// frequency, from the number of documents N and the number df of those that
// hold the term.
type IDF int

const (
	// Probabilistic is ln(1 + (N-df+0.5)/(df+0.5)), the weight of Robertson and
	// Spärck Jones (1976) with 1 added, so that a term that most documents hold
	// still counts a little.
	Probabilistic IDF = iota

	// LogRatio is log2(N/df) of Spärck Jones (1972): 1 for a term in every
	// second document, 0 for one in all.
	LogRatio

	// Ratio is ln(N/df), which is LogRatio but for the unit.
	Ratio

	// RatioPlus is ln((N+1)/df) of BM25+: a term of all documents still counts a little.
	RatioPlus

	// RobertsonSparckJones is ln((N-df+0.5)/(df+0.5)), the weight of 1976 as it is; 0 where that is
	// negative, for a term of more than half of the documents.
	RobertsonSparckJones
)

// Weight is the inverse document frequency. It is never negative. Counts that
// cannot be are moved to the nearest that can: df is at most docs.
func (i IDF) Weight(docs, docFreq int) float64 {
	n := float64(max(docs, 0))
	df := min(float64(max(docFreq, 0)), n)
	switch i {
	case LogRatio:
		return math.Log2(max(n, 1) / max(df, 1))
	case Ratio:
		return math.Log(max(n, 1) / max(df, 1))
	case RatioPlus:
		return math.Log((n + 1) / max(df, 1))
	case RobertsonSparckJones:
		return max(0, math.Log((n-df+0.5)/(df+0.5)))
	}
	return math.Log1p((n - df + 0.5) / (df + 0.5))
}

// String is the formula.
func (i IDF) String() string {
	switch i {
	case Probabilistic:
		return "ln(1 + (N-df+0.5)/(df+0.5))"
	case LogRatio:
		return "log2(N/df)"
	case Ratio:
		return "ln(N/df)"
	case RatioPlus:
		return "ln((N+1)/df)"
	case RobertsonSparckJones:
		return "max(0, ln((N-df+0.5)/(df+0.5)))"
	}
	return fmt.Sprintf("IDF(%d)", int(i))
}

func (i IDF) explain(s Stats) Explanation {
	return Explanation{
		Value: i.Weight(s.Docs, s.DocFreq),
		Text:  fmt.Sprintf("idf = %v, N = %d, df = %d", i, s.Docs, s.DocFreq),
	}
}
