package rank

import (
	"fmt"
	"math"
)

// Defaults and limits of BM25.
const (
	defaultK1 = 1.2
	defaultB  = 0.75
	maxK1     = 1000
	minAvgLen = 1e-9 // anything less is no mean length
	maxAvgLen = 1e12
)

// BM25 is the Scorer
//
//	idf · tf·(k1+1) / (tf + k1·(1 - b + b·length/avglen))
//
// of Robertson and others (Okapi at TREC-3, 1994). A score lies between 0 and
// idf·(k1+1).
//
// The zero value has k1 = 1.2, b = 0.75 and the probabilistic idf. The variant
// with a logarithmic idf that course notes often print is
//
//	BM25{K1: 1.75, B: 0.75, IDF: LogRatio}
//
// Those of other programs, after Kamphuis and others (Which BM25 Do You Mean?, 2020):
//
//	BM25{Plain: true}              Lucene since version 8
//	BM25{IDF: Ratio}               ATIRE
//	BM25{IDF: RobertsonSparckJones}  Robertson's own, in which terms of more than half of the documents count nothing
type BM25 struct {
	K1  float64 // how slowly repetition saturates, up to 1000; 0: 1.2, negative: a true 0, repetition does not count
	B   float64 // how much length counts, up to 1; 0: 0.75, negative: a true 0, length does not count
	IDF IDF     // how much rarity counts
	// Plain leaves out the factor k1+1, which changes no order.
	Plain bool
}

var (
	_ Scorer    = BM25{}
	_ Explainer = BM25{}
)

// Term makes the Score of a term.
func (m BM25) Term(s Stats) Score {
	k1, b, avgLen := m.parameters(s)
	most := m.IDF.Weight(s.Docs, s.DocFreq) * m.factor(k1)
	flat, slope := k1*(1-b), k1*b
	// most·tf/(tf+norm) would be shorter, but its rounding does not always rise
	// with tf. Here every operation does, so bounds hold to the last bit. The
	// conversion keeps compilers from fusing, which would make scores differ
	// between machines.
	return func(tf, length uint32) float64 {
		if tf == 0 {
			return 0
		}
		norm := flat + float64(slope*(float64(length)/avgLen))
		return most - most/(1+float64(tf)/norm)
	}
}

// Explain tells where the score of a term comes from.
func (m BM25) Explain(s Stats, tf, length uint32) Explanation {
	k1, b, avgLen := m.parameters(s)
	saturation := 0.0
	if tf > 0 {
		saturation = float64(tf) * m.factor(k1) / (float64(tf) + k1*(1-b+b*float64(length)/avgLen))
	}
	factor := "·(k1+1)"
	if m.Plain {
		factor = ""
	}
	return Explanation{
		Value: m.Term(s)(tf, length),
		Text:  "BM25 = idf · saturation",
		Parts: []Explanation{
			m.IDF.explain(s),
			{
				Value: saturation,
				Text: fmt.Sprintf("saturation = tf%s / (tf + k1·(1-b+b·length/avglen)), tf = %d, length = %d, avglen = %g, k1 = %g, b = %g",
					factor, tf, length, s.AvgLen, k1, b),
			},
		},
	}
}

// factor is what the saturation of endless repetition is.
func (m BM25) factor(k1 float64) float64 {
	if m.Plain {
		return 1
	}
	return k1 + 1
}

// parameters are what the formula works with: defaults and limits applied, and
// b = 0 where there is no mean length to compare with.
func (m BM25) parameters(s Stats) (k1, b, avgLen float64) {
	k1 = parameter(m.K1, defaultK1, maxK1)
	b = parameter(m.B, defaultB, 1)
	if b == 0 || !(s.AvgLen >= minAvgLen) || math.IsInf(s.AvgLen, 1) {
		return k1, 0, 1
	}
	return k1, b, s.AvgLen
}

func parameter(v, preset, most float64) float64 {
	if v == 0 || math.IsNaN(v) {
		return preset
	}
	return min(max(v, 0), most)
}
