package rank

import (
	"cmp"
	"fmt"
	"math"
)

// FieldStats are those of a field among others that a word is looked for in.
type FieldStats struct {
	Name   string
	Weight float64 // how much an occurrence counts
	AvgLen float64 // mean length, in tokens
}

// Combiner is a Scorer that scores a word once over all fields that it may
// stand in, and not once in each.
type Combiner interface {
	Scorer
	// Combine makes the score of a word over fields, of which there are several or one with
	// a weight other than 1: in a single field of weight 1 a word scores by Term. The DocFreq of s is the
	// greatest of the fields', its AvgLen does not count.
	Combine(s Stats, fields []FieldStats) Combined
}

// Combined is a score over fields. Frequency has for each field what the word
// adds to its frequency there, which is as a Score. Score makes a score of their
// sum, from the first field to the last: 0 of 0, never falling when the sum
// rises, never negative, never NaN, and of a sum at most what it makes of the
// addends, added up, but for 2^-50 of its greatest value: the index prunes by that.
type Combined struct {
	Frequency []Score
	Score     func(frequency float64) float64
	Explain   func(frequency float64) Explanation // of what Score makes of it
}

// BM25F is the Combiner
//
//	idf · f·(k1+1) / (f + k1)    f = Σ weight·tf / (1 - b + b·length/avglen)
//
// over the fields, of Robertson, Zaragoza and Taylor (Simple BM25 Extension to
// Multiple Weighted Fields, 2004), with an own b for each field (Zaragoza and
// others, Microsoft Cambridge at TREC-13). A word that stands in title and body
// saturates once, where a sum of BM25 scores would count it as two words. Over
// one field of weight 1 it is BM25.
//
// The zero value has k1 = 1.2 and b = 0.75, as BM25 has; both are set and limited
// as there.
type BM25F struct {
	K1     float64
	B      float64            // of fields that are not in Fields
	Fields map[string]float64 // b by field
	IDF    IDF
}

var _ Combiner = BM25F{}

// Term is the Score of BM25, for a word in one field.
func (m BM25F) Term(s Stats) Score { return BM25{K1: m.K1, B: m.B, IDF: m.IDF}.Term(s) }

// Combine makes the score of a word over fields.
func (m BM25F) Combine(s Stats, fields []FieldStats) Combined {
	k1 := parameter(m.K1, defaultK1, maxK1)
	most := m.IDF.Weight(s.Docs, s.DocFreq) * (k1 + 1)
	c := Combined{
		// As in BM25 every operation rises with what goes in.
		Score: func(f float64) float64 {
			if f == 0 {
				return 0
			}
			return most - most/(1+f/k1)
		},
		Explain: func(f float64) Explanation { return m.explain(s, k1, f) },
	}
	for _, field := range fields {
		c.Frequency = append(c.Frequency, m.frequency(field))
	}
	return c
}

// frequency is what a field adds.
func (m BM25F) frequency(field FieldStats) Score {
	_, b, avgLen := BM25{B: cmp.Or(m.Fields[field.Name], m.B)}.parameters(Stats{AvgLen: field.AvgLen})
	weight := field.Weight
	return func(tf, length uint32) float64 {
		if tf == 0 || !(weight > 0) {
			return 0
		}
		return float64(weight*float64(tf)) / (1 - b + float64(b*(float64(length)/avgLen)))
	}
}

func (m BM25F) explain(s Stats, k1, f float64) Explanation {
	saturation := 0.0
	if f > 0 {
		saturation = (k1 + 1) / (1 + k1/f)
	}
	if math.IsInf(f, 1) {
		saturation = k1 + 1
	}
	return Explanation{
		Text: "BM25F = idf · saturation",
		Parts: []Explanation{
			m.IDF.explain(s),
			{Value: saturation, Text: fmt.Sprintf("saturation = f·(k1+1) / (f + k1), f = %g, k1 = %g", f, k1)},
		},
	}
}
