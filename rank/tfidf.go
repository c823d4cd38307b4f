package rank

import (
	"fmt"
	"math"
)

// TFIDF is the Scorer
//
//	idf · frequency / norm
//
// of the vector space model (Salton and Buckley, 1988). The zero value has the frequency
// 1 + ln tf and, in place of the length of the document's vector, the root of its length in
// tokens, which every index has. Others:
//
//	TFIDF{Frequency: RawTF, Norm: NoNorm, IDF: LogRatio}        the sum of tf·idf
//	TFIDF{Frequency: AugmentedTF, Norm: NoNorm, IDF: LogRatio}  with augmented tf
//	TFIDF{Norm: CosineNorm, IDF: Ratio}                         the cosine of query and document: lnc.ltn of SMART
//
// Under CosineNorm the score of a query is its cosine with the document times the length of the
// query's vector, which is the same for all documents. As is usual, the vectors of documents
// are without idf.
//
// AugmentedTF and CosineNorm need what a [DocScorer] does. BM25 finds more.
type TFIDF struct {
	IDF       IDF // how much rarity counts
	Frequency Frequency
	Norm      Norm
}

// Frequency is how much repetition counts in TFIDF.
type Frequency int

const (
	LogTF       Frequency = iota // 1 + ln tf
	RawTF                        // tf
	AugmentedTF                  // 0.5 + 0.5·tf/maxtf, where maxtf is that of the document's most frequent term
)

// Norm is what TFIDF divides by.
type Norm int

const (
	RootLength Norm = iota // √length
	NoNorm                 // 1
	CosineNorm             // the Euclidean length of the vector of the document's frequencies
)

var (
	_ DocScorer = TFIDF{}
	_ Explainer = TFIDF{}
)

// Needs implements [Demander].
func (m TFIDF) Needs() Needs {
	return Needs{Doc: m.Frequency == AugmentedTF || m.Norm == CosineNorm}
}

// Term makes the Score of a term. Where the whole document matters, it is taken to hold all
// its other words once.
func (m TFIDF) Term(s Stats) Score {
	score := m.Doc(s)
	if !m.Needs().Doc {
		return func(tf, length uint32) float64 { return score(tf, DocStats{Length: length}) }
	}
	return func(tf, length uint32) float64 { return score(tf, onceEach(tf, length)) }
}

// onceEach describes a document in which all other words stand once.
func onceEach(tf, length uint32) DocStats {
	others := float64(max(length, tf) - tf)
	t := float64(tf)
	log := 1 + math.Log(max(t, 1))
	return DocStats{Length: length, Terms: uint32(min(others, math.MaxUint32-1)) + 1, MaxTF: max(tf, 1), Squares: t*t + others, LogSquares: log*log + others}
}

// Doc makes the DocScore of a term.
func (m TFIDF) Doc(s Stats) DocScore {
	idf := m.IDF.Weight(s.Docs, s.DocFreq)
	return func(tf uint32, d DocStats) float64 {
		if tf == 0 {
			return 0
		}
		return idf * m.frequency(tf, d) / m.norm(tf, d)
	}
}

func (m TFIDF) frequency(tf uint32, d DocStats) float64 {
	t := float64(tf)
	switch m.Frequency {
	case RawTF:
		return t
	case AugmentedTF:
		return 0.5 + 0.5*(t/float64(max(d.MaxTF, tf)))
	}
	return 1 + math.Log(t)
}

// norm is never less than the frequency alone makes it, so that a cosine is at most 1.
func (m TFIDF) norm(tf uint32, d DocStats) float64 {
	switch m.Norm {
	case NoNorm:
		return 1
	case RootLength:
		return math.Sqrt(float64(max(d.Length, 1)))
	}
	f := m.frequency(tf, d)
	squares := d.LogSquares
	switch m.Frequency {
	case RawTF:
		squares = d.Squares
	case AugmentedTF: // the sum of (0.5 + 0.5·tf/maxtf)²
		most := float64(max(d.MaxTF, tf))
		squares = 0.25 * (float64(d.Terms) + 2*float64(d.Length)/most + d.Squares/most/most)
	}
	return math.Sqrt(max(squares, f*f))
}

// Explain tells where the score of a term comes from.
func (m TFIDF) Explain(s Stats, tf, length uint32) Explanation {
	if m.Needs().Doc {
		return m.ExplainDoc(s, tf, onceEach(tf, length))
	}
	return m.ExplainDoc(s, tf, DocStats{Length: length})
}

// ExplainDoc tells where the score of a term in a document comes from.
func (m TFIDF) ExplainDoc(s Stats, tf uint32, d DocStats) Explanation {
	factor := 0.0
	if tf > 0 {
		factor = m.frequency(tf, d) / m.norm(tf, d)
	}
	of := [...]string{"1 + ln tf", "tf", "0.5 + 0.5·tf/maxtf"}[min(max(m.Frequency, 0), 2)]
	by := [...]string{" / √length", "", " / length of the vector"}[min(max(m.Norm, 0), 2)]
	text := fmt.Sprintf("frequency = (%s)%s, tf = %d, length = %d", of, by, tf, d.Length)
	if m.Needs().Doc {
		text += fmt.Sprintf(", maxtf = %d, length of the vector = %g", d.MaxTF, TFIDF{Frequency: m.Frequency, Norm: CosineNorm}.norm(max(tf, 1), d))
	}
	return Explanation{
		Value: m.Doc(s)(tf, d),
		Text:  "TF-IDF = idf · frequency",
		Parts: []Explanation{m.IDF.explain(s), {Value: factor, Text: text}},
	}
}
