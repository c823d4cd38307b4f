package rank

import (
	"fmt"
	"math"
)

// Dirichlet is the Scorer of query likelihood with Dirichlet smoothing (Zhai and
// Lafferty, A Study of Smoothing Methods for Language Models, SIGIR 2001)
//
//	ln(1 + tf/(μ·p)) + ln(μ/(length+μ))    p = (F+1)/(tokens+1)
//
// where F is the collection frequency of the term; 0 where that is negative, as Lucene
// has it: documents that hold a word less often than chance would have it score
// as if they did not hold it. The zero value has μ = 2000, which is for long
// documents; of abstracts a few hundred words long, some hundred are better.
type Dirichlet struct {
	Mu float64 // how much is smoothed, up to a million; 0 or less: 2000
}

// JelinekMercer is the Scorer of query likelihood with linear interpolation (Zhai and
// Lafferty, SIGIR 2001)
//
//	ln(1 + (1-λ)/λ · tf/length / p)    p as of [Dirichlet]
//
// The zero value has λ = 0.1, which is for short queries; 0.7 is for long ones.
type JelinekMercer struct {
	Lambda float64 // the share of the collection, from 0.001 to 0.999; 0 or less: 0.1
}

var (
	_ Demander  = Dirichlet{}
	_ Explainer = Dirichlet{}
	_ Demander  = JelinekMercer{}
	_ Explainer = JelinekMercer{}
)

// chance is the share of a term among all tokens.
func (s Stats) chance() float64 { return (s.collFreq() + 1) / (s.tokens() + 1) }

func (s Stats) explainChance() Explanation {
	return Explanation{Value: s.chance(), Text: fmt.Sprintf("p = (F+1)/(tokens+1), F = %d, tokens = %g", s.CollFreq, s.tokens())}
}

// Needs implements [Demander].
func (Dirichlet) Needs() Needs { return Needs{CollFreq: true} }

func (m Dirichlet) mu() float64 {
	if !(m.Mu > 0) {
		return 2000
	}
	return min(max(m.Mu, 1e-3), 1e6)
}

// Term makes the Score of a term.
func (m Dirichlet) Term(s Stats) Score {
	mu, p := m.mu(), s.chance()
	return func(tf, length uint32) float64 {
		if tf == 0 {
			return 0
		}
		// Both logarithms as one: it rises with tf to the last bit.
		return max(0, math.Log((mu+float64(tf)/p)/(mu+float64(length))))
	}
}

// Explain tells where the score of a term comes from.
func (m Dirichlet) Explain(s Stats, tf, length uint32) Explanation {
	mu := m.mu()
	return Explanation{
		Value: m.Term(s)(tf, length),
		Text:  "query likelihood, Dirichlet = ln(1 + tf/(μ·p)) + ln(μ/(length+μ)), at least 0",
		Parts: []Explanation{
			{Value: math.Log1p(float64(tf) / (mu * s.chance())), Text: fmt.Sprintf("ln(1 + tf/(μ·p)), tf = %d, μ = %g", tf, mu)},
			{Value: math.Log(mu / (float64(length) + mu)), Text: fmt.Sprintf("ln(μ/(length+μ)), length = %d", length)},
			s.explainChance(),
		},
	}
}

// Needs implements [Demander].
func (JelinekMercer) Needs() Needs { return Needs{CollFreq: true} }

func (m JelinekMercer) lambda() float64 {
	if !(m.Lambda > 0) {
		return 0.1
	}
	return min(max(m.Lambda, 1e-3), 1-1e-3)
}

// Term makes the Score of a term.
func (m JelinekMercer) Term(s Stats) Score {
	lambda := m.lambda()
	factor := (1 - lambda) / lambda / s.chance()
	return func(tf, length uint32) float64 {
		return math.Log1p(factor * (float64(tf) / float64(max(length, 1))))
	}
}

// Explain tells where the score of a term comes from.
func (m JelinekMercer) Explain(s Stats, tf, length uint32) Explanation {
	return Explanation{
		Value: m.Term(s)(tf, length),
		Text:  "query likelihood, Jelinek-Mercer = ln(1 + (1-λ)/λ · share/p)",
		Parts: []Explanation{
			{Value: float64(tf) / float64(max(length, 1)), Text: fmt.Sprintf("share = tf/length, tf = %d, length = %d, λ = %g", tf, length, m.lambda())},
			s.explainChance(),
		},
	}
}
