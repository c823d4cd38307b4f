package rank

import "fmt"

// BM25Plus is the Scorer BM25+
//
//	idf · (δ + tf·(k1+1) / (tf + k1·(1 - b + b·length/avglen)))
//
// of Lv and Zhai (Lower-Bounding Term Frequency Normalization, CIKM 2011): a word that
// stands in a very long document counts at least idf·δ, so that it scores more than
// one that does not hold it. The zero value has k1 = 1.2, b = 0.75, δ = 1 and the
// probabilistic idf; that of the authors is [RatioPlus].
type BM25Plus struct {
	K1, B float64 // as of [BM25]
	Delta float64 // up to 100; 0: 1, negative: a true 0, which makes it BM25
	IDF   IDF
}

// BM25L is the Scorer
//
//	idf · (c+δ)·(k1+1) / (k1 + c + δ)    c = tf / (1 - b + b·length/avglen)
//
// of Lv and Zhai (When Documents Are Very Long, BM25 Fails!, SIGIR 2011). The zero
// value has k1 = 1.2, b = 0.75, δ = 0.5 and the probabilistic idf.
type BM25L struct {
	K1, B float64 // as of [BM25]
	Delta float64 // up to 100; 0: 0.5, negative: a true 0, which makes it BM25
	IDF   IDF
}

var (
	_ Explainer = BM25Plus{}
	_ Explainer = BM25L{}
)

const maxDelta = 100

// Term makes the Score of a term.
func (m BM25Plus) Term(s Stats) Score {
	of := BM25{K1: m.K1, B: m.B, IDF: m.IDF}.Term(s)
	least := m.IDF.Weight(s.Docs, s.DocFreq) * parameter(m.Delta, 1, maxDelta)
	return func(tf, length uint32) float64 {
		if tf == 0 {
			return 0
		}
		return least + of(tf, length)
	}
}

// Explain tells where the score of a term comes from.
func (m BM25Plus) Explain(s Stats, tf, length uint32) Explanation {
	least := Explanation{Text: "idf · δ, which every document with the word has"}
	if tf > 0 {
		least.Value = m.IDF.Weight(s.Docs, s.DocFreq) * parameter(m.Delta, 1, maxDelta)
	}
	return Explanation{
		Value: m.Term(s)(tf, length),
		Text:  "BM25+ = idf · δ + BM25",
		Parts: []Explanation{least, BM25{K1: m.K1, B: m.B, IDF: m.IDF}.Explain(s, tf, length)},
	}
}

// Term makes the Score of a term.
func (m BM25L) Term(s Stats) Score {
	k1, b, avgLen := BM25{K1: m.K1, B: m.B}.parameters(s)
	most := m.IDF.Weight(s.Docs, s.DocFreq) * (k1 + 1)
	delta := parameter(m.Delta, 0.5, maxDelta)
	return func(tf, length uint32) float64 {
		if tf == 0 {
			return 0
		}
		c := float64(tf) / (1 - b + float64(b*(float64(length)/avgLen)))
		return most - most/(1+(c+delta)/k1) // every operation rises with tf, as in BM25
	}
}

// Explain tells where the score of a term comes from.
func (m BM25L) Explain(s Stats, tf, length uint32) Explanation {
	k1, b, avgLen := BM25{K1: m.K1, B: m.B}.parameters(s)
	delta := parameter(m.Delta, 0.5, maxDelta)
	saturation := 0.0
	if tf > 0 {
		c := float64(tf) / (1 - b + b*float64(length)/avgLen)
		saturation = (k1 + 1) / (1 + k1/(c+delta))
	}
	return Explanation{
		Value: m.Term(s)(tf, length),
		Text:  "BM25L = idf · saturation",
		Parts: []Explanation{
			m.IDF.explain(s),
			{Value: saturation, Text: fmt.Sprintf("saturation = (c+δ)·(k1+1) / (k1+c+δ), c = tf / (1-b+b·length/avglen), tf = %d, length = %d, avglen = %g, k1 = %g, b = %g, δ = %g",
				tf, length, s.AvgLen, k1, b, delta)},
		},
	}
}
