package rank

import (
	"fmt"
	"math"
)

// InExpB2 is the Scorer In_expB2 of Amati and van Rijsbergen (Probabilistic Models of
// Information Retrieval Based on Measuring the Divergence from Randomness, TOIS 2002)
//
//	(F+1) / (df·(tfn+1)) · tfn · log2((N+1) / (n+0.5))
//	tfn = tf · log2(1 + c·avglen/length)    n = N · (1 - ((N-1)/N)^F)
//
// where F is the collection frequency of the term. It needs no tuning as a rule. As
// a [Combiner] it adds up the tfn of the fields, each times its weight. The zero value has c = 1.
type InExpB2 struct {
	C float64 // how little length counts, up to 1000; 0 or less: 1
}

// PL2 is the Scorer of the same authors with a Poisson model
//
//	1/(tfn+1) · (tfn·log2(tfn/λ) + (λ-tfn)·log2(e) + 0.5·log2(2π·tfn))    λ = F/N
//
// and the tfn of [InExpB2]; 0 where that is negative. It is not monotone. The zero value has c = 1.
type PL2 struct {
	C float64 // as of [InExpB2]
}

// DPH is the Scorer of Amati and others (FUB at TREC 2007 Blog Track), which has no parameters,
//
//	(1-f)²/(tf+1) · (tf·log2(tf·avglen/length · N/F) + 0.5·log2(2π·tf·(1-f)))    f = tf/length
//
// and 0 where that is negative. It is not monotone.
type DPH struct{}

var (
	_ Combiner  = InExpB2{}
	_ Demander  = InExpB2{}
	_ Explainer = InExpB2{}
	_ Demander  = PL2{}
	_ Explainer = PL2{}
	_ Demander  = DPH{}
	_ Explainer = DPH{}
)

// normalised returns tf as it would be in a document of mean length.
func normalised(c, avgLen float64) Score {
	if !(c > 0) {
		c = 1
	}
	c = min(c, 1000) * avgLen
	return func(tf, length uint32) float64 {
		// Log1p and not Log2, which has steps that fall where the logarithm of 1 begins.
		return float64(tf) * (math.Log1p(c/float64(max(length, 1))) / math.Ln2)
	}
}

// Needs implements [Demander].
func (InExpB2) Needs() Needs { return Needs{CollFreq: true} }

// Term makes the Score of a term.
func (m InExpB2) Term(s Stats) Score {
	most, tfn := m.most(s), normalised(m.C, s.avgLen())
	return func(tf, length uint32) float64 { return saturated(most, tfn(tf, length)) }
}

// saturated is most·f/(1+f), in operations that all rise with f.
func saturated(most, f float64) float64 {
	if f == 0 {
		return 0
	}
	return most - most/(1+f)
}

// most is what endless repetition would score.
func (InExpB2) most(s Stats) float64 {
	docs, docFreq := s.counts()
	f := s.collFreq()
	expected := docs * -math.Expm1(f*math.Log1p(-1/docs)) // documents with the term, if it were scattered
	return (f + 1) / docFreq * max(0, math.Log2((docs+1)/(expected+0.5)))
}

// Combine makes the score of a word over fields.
func (m InExpB2) Combine(s Stats, fields []FieldStats) Combined {
	most := m.most(s)
	c := Combined{
		Score: func(f float64) float64 { return saturated(most, f) },
		Explain: func(f float64) Explanation {
			return Explanation{Text: "In_expB2 over fields", Parts: []Explanation{m.explain(s), {Value: f / (1 + f), Text: fmt.Sprintf("tfn / (tfn+1), tfn = %g", f)}}}
		},
	}
	for _, field := range fields {
		tfn, weight := normalised(m.C, Stats{AvgLen: field.AvgLen}.avgLen()), field.Weight
		c.Frequency = append(c.Frequency, func(tf, length uint32) float64 {
			if !(weight > 0) {
				return 0
			}
			return weight * tfn(tf, length)
		})
	}
	return c
}

func (m InExpB2) explain(s Stats) Explanation {
	return Explanation{Value: m.most(s), Text: fmt.Sprintf("(F+1)/df · log2((N+1)/(n+0.5)), N = %d, df = %d, F = %d", s.Docs, s.DocFreq, s.CollFreq)}
}

// Explain tells where the score of a term comes from.
func (m InExpB2) Explain(s Stats, tf, length uint32) Explanation {
	tfn := normalised(m.C, s.avgLen())(tf, length)
	return Explanation{
		Value: m.Term(s)(tf, length),
		Text:  "In_expB2",
		Parts: []Explanation{
			m.explain(s),
			{Value: tfn / (1 + tfn), Text: fmt.Sprintf("tfn / (tfn+1), tfn = %g, tf = %d, length = %d, avglen = %g", tfn, tf, length, s.AvgLen)},
		},
	}
}

// Needs implements [Demander].
func (PL2) Needs() Needs { return Needs{CollFreq: true, Exhaustive: true} }

// Term makes the Score of a term.
func (m PL2) Term(s Stats) Score {
	docs, _ := s.counts()
	lambda, normal := s.collFreq()/docs, normalised(m.C, s.avgLen())
	return func(tf, length uint32) float64 {
		tfn := normal(tf, length)
		if tfn <= 0 {
			return 0
		}
		gain := tfn*math.Log2(tfn/lambda) + (lambda-tfn)*math.Log2E + 0.5*math.Log2(2*math.Pi*tfn)
		return max(0, gain/(tfn+1))
	}
}

// Explain tells where the score of a term comes from.
func (m PL2) Explain(s Stats, tf, length uint32) Explanation {
	docs, _ := s.counts()
	return Explanation{
		Value: m.Term(s)(tf, length),
		Text:  "PL2 = (tfn·log2(tfn/λ) + (λ-tfn)·log2(e) + 0.5·log2(2π·tfn)) / (tfn+1)",
		Parts: []Explanation{
			{Value: normalised(m.C, s.avgLen())(tf, length), Text: fmt.Sprintf("tfn = tf·log2(1 + c·avglen/length), tf = %d, length = %d, avglen = %g", tf, length, s.AvgLen)},
			{Value: s.collFreq() / docs, Text: fmt.Sprintf("λ = F/N, N = %d, F = %d", s.Docs, s.CollFreq)},
		},
	}
}

// Needs implements [Demander].
func (DPH) Needs() Needs { return Needs{CollFreq: true, Exhaustive: true} }

// Term makes the Score of a term.
func (DPH) Term(s Stats) Score {
	docs, _ := s.counts()
	rarity := s.avgLen() * docs / s.collFreq()
	return func(tf, length uint32) float64 {
		if tf == 0 || tf >= length {
			return 0 // also of a document that is nothing but the word: (1-f)² is 0
		}
		t := float64(tf)
		f := t / float64(length)
		gain := t*math.Log2(f*rarity) + 0.5*math.Log2(2*math.Pi*t*(1-f))
		return max(0, (1-f)*(1-f)/(t+1)*gain)
	}
}

// Explain tells where the score of a term comes from.
func (m DPH) Explain(s Stats, tf, length uint32) Explanation {
	f := float64(tf) / float64(max(length, 1))
	return Explanation{
		Value: m.Term(s)(tf, length),
		Text:  "DPH = (1-f)²/(tf+1) · (tf·log2(tf·avglen/length · N/F) + 0.5·log2(2π·tf·(1-f)))",
		Parts: []Explanation{
			{Value: f, Text: fmt.Sprintf("f = tf/length, tf = %d, length = %d", tf, length)},
			{Value: s.avgLen() * float64(max(s.Docs, 1)) / s.collFreq(), Text: fmt.Sprintf("avglen·N/F, avglen = %g, N = %d, F = %d", s.AvgLen, s.Docs, s.CollFreq)},
		},
	}
}
