package rank_test

import (
	"math"
	"testing"

	"github.com/webquarry/quarry/rank"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

func TestIDF(t *testing.T) {
	t.Parallel()
	cases := []struct {
		idf      rank.IDF
		docs, df int
		want     float64
		within   float64
	}{
		{rank.Probabilistic, 1000, 10, 4.55738, 5e-6}, // ln(1 + 990.5/10.5); with the parenthesis forgotten it would be 6.899
		{rank.Probabilistic, 1000, 1000, 0.00049963, 5e-9},
		{rank.Probabilistic, 0, 0, math.Ln2, 1e-15},
		{rank.Probabilistic, 5, 9, math.Log(1 + 0.5/5.5), 1e-15}, // as if all five
		{rank.LogRatio, 8, 1, 3, 0},
		{rank.LogRatio, 8, 8, 0, 0},
		{rank.LogRatio, 8, 0, 3, 0},
		{rank.LogRatio, 0, 0, 0, 0},
		{rank.LogRatio, -3, -4, 0, 0},
	}
	for _, c := range cases {
		near(t, c.idf.String(), c.idf.Weight(c.docs, c.df), c.want, c.within)
	}
}

// A rare word outweighs any number of common ones.
func TestRareOutweighsCommon(t *testing.T) {
	t.Parallel()
	the := rank.BM25{}.Term(rank.Stats{Docs: 1000, DocFreq: 999, AvgLen: 1})
	zebra := rank.BM25{}.Term(rank.Stats{Docs: 1000, DocFreq: 1, AvgLen: 1})
	if the(4, 4) >= zebra(1, 1) {
		t.Errorf(`"the the the the" scores %v, "zebra" %v`, the(4, 4), zebra(1, 1))
	}
	everywhere := rank.BM25{}.Term(rank.Stats{Docs: 1000, DocFreq: 1000, AvgLen: 1})
	if everywhere(1, 1) <= 0 {
		t.Error("a term of every document must still count a little")
	}
}

func TestSaturation(t *testing.T) {
	t.Parallel()
	s := rank.Stats{Docs: 1000, DocFreq: 10, AvgLen: 50}
	idf := rank.Probabilistic.Weight(1000, 10)
	score := rank.BM25{K1: 1.2, B: 0.75}.Term(s)
	near(t, "saturation of tf 2 at mean length", score(2, 50)/idf, 1.375, 1e-12) // 2·2.2 / (2+1.2)
	near(t, "score of tf 3 at twice the mean length", score(3, 100), idf*3*2.2/(3+1.2*1.75), 1e-12)
	if !(score(1, 50) < score(2, 50) && score(2, 50) < score(100, 50) && score(100, 50) < idf*2.2) {
		t.Errorf("tf 1, 2, 100 score %v, %v, %v; bound %v", score(1, 50), score(2, 50), score(100, 50), idf*2.2)
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	s := rank.Stats{Docs: 100, DocFreq: 10, AvgLen: 50}
	idf := rank.Probabilistic.Weight(100, 10)
	cases := []struct {
		name  string
		model rank.BM25
		want  float64 // of tf 3, length 100
	}{
		{"zero value", rank.BM25{}, idf * 3 * 2.2 / (3 + 1.2*(0.25+0.75*2))},
		{"no length", rank.BM25{B: -1}, idf * 3 * 2.2 / (3 + 1.2)},
		{"no repetition", rank.BM25{K1: -1}, idf},
		{"all of length", rank.BM25{K1: 2, B: 7}, idf * 3 * 3 / (3 + 2*2)},
		{"not a number", rank.BM25{K1: math.NaN(), B: math.NaN()}, idf * 3 * 2.2 / (3 + 1.2*(0.25+0.75*2))},
		{"endless k1", rank.BM25{K1: math.Inf(1), B: -1}, idf * 3 * 1001 / 1003},
	}
	for _, c := range cases {
		near(t, c.name, c.model.Term(s)(3, 100), c.want, 1e-9)
	}
}

// The documents are "The University of Freiburg, officially the Albert Ludwig
// University of Freiburg, is a public research university located in Freiburg
// im Breisgau, Baden-Württemberg, Germany.", "Freiburg im Breisgau, usually
// called simply Freiburg, is an independent city in the state of
// Baden-Württemberg in Germany." and a longer one on universities in general,
// of 26, 21 and 49 tokens.
func TestLogRatioWorkedExample(t *testing.T) {
	t.Parallel()
	model := rank.BM25{K1: 1.75, B: 0.75, IDF: rank.LogRatio}
	const avgLen = (26.0 + 21 + 49) / 3
	cases := []struct {
		term     string
		df       int
		tf, size uint32
		want     float64
	}{
		{"freiburg", 2, 3, 26, 1.0715011288},
		{"freiburg", 2, 2, 21, 0.9752838378},
		{"university", 2, 3, 26, 1.0715011288},
		{"university", 2, 1, 49, 0.4666443065},
		{"albert", 1, 1, 26, 1.7407388463},
	}
	for _, c := range cases {
		s := rank.Stats{Docs: 3, DocFreq: c.df, AvgLen: avgLen}
		got := model.Term(s)(c.tf, c.size)
		near(t, c.term, got, c.want, 1e-9)
		alpha := 1 - 0.75 + 0.75*float64(c.size)/avgLen
		tf := float64(c.tf)
		near(t, c.term+" by hand", got, math.Log2(3/float64(c.df))*tf*2.75/(1.75*alpha+tf), 1e-12)
	}
}

func TestTFIDF(t *testing.T) {
	t.Parallel()
	score := rank.TFIDF{IDF: rank.LogRatio}.Term(rank.Stats{Docs: 8, DocFreq: 2})
	near(t, "tf 1 of 1", score(1, 1), 2, 1e-12)
	near(t, "tf 1 of 4", score(1, 4), 1, 1e-12)
	near(t, "tf 3 of 9", score(3, 9), 2*(1+math.Log(3))/3, 1e-12)
	near(t, "tf 1 of an empty field", score(1, 0), 2, 1e-12)
	near(t, "tf 0", score(0, 4), 0, 0)
}
