package rank_test

import (
	"math"
	"testing"

	"github.com/webquarry/quarry/rank"
)

// Scores of Lucene 10.6 for single words over these documents, of which the lengths are such as Lucene keeps exactly:
//
//	fox den fox
//	den owl owl owl owl hen fox fox fox fox
//	owl
//	hen den hen
//	fox fox hen owl den cub cub
func TestLucene(t *testing.T) {
	t.Parallel()
	lengths := []uint32{3, 10, 1, 3, 7}
	words := map[string]struct {
		stats rank.Stats
		tfs   []uint32
	}{
		"fox": {rank.Stats{Docs: 5, DocFreq: 3, CollFreq: 8, AvgLen: 24.0 / 5}, []uint32{2, 4, 0, 0, 2}},
		"den": {rank.Stats{Docs: 5, DocFreq: 4, CollFreq: 4, AvgLen: 24.0 / 5}, []uint32{1, 1, 0, 1, 1}},
		"cub": {rank.Stats{Docs: 5, DocFreq: 1, CollFreq: 2, AvgLen: 24.0 / 5}, []uint32{0, 0, 0, 0, 2}},
	}
	for _, c := range []struct {
		scorer, word string
		want         []float64
	}{
		{"bm25_lucene", "fox", []float64{0.37659144, 0.34914753, 0, 0, 0.2984064}},
		{"bm25_lucene", "den", []float64{0.15446018, 0.09060852, 0, 0.15446018, 0.110117555}},
		{"bm25_lucene", "cub", []float64{0, 0, 0, 0, 0.7674986}},
		{"bm25_lucene(k1=0.9, b=0.4)", "fox", []float64{0.38987088, 0.4075588, 0, 0, 0.35171062}},
		{"bm25_lucene(k1=0.9, b=0.4)", "den", []float64{0.16299269, 0.12562536, 0, 0.16299269, 0.13931336}},
		{"bm25_lucene(k1=0.9, b=0.4)", "cub", []float64{0, 0, 0, 0, 0.9045966}},
		{"in_expb2", "fox", []float64{0.66830045, 0.6315485, 0, 0, 0.5473964}},
		{"in_expb2", "den", []float64{0.5546684, 0.34574467, 0, 0.5546684, 0.4112063}},
		{"in_expb2", "cub", []float64{0, 0, 0, 0, 1.6629611}},
		{"lm_dirichlet", "fox", []float64{0.0012750508, 0.00055263884, 0, 0, 0}},
		{"lm_dirichlet", "den", []float64{0.0009980041, 0, 0, 0.0009980041, 0}},
		{"lm_dirichlet(mu=10)", "fox", []float64{0.17946848, 0.05406722, 0, 0, 0}},
		{"lm_dirichlet(mu=10)", "cub", []float64{0, 0, 0, 0, 0.450201}},
		{"lm_jm", "fox", []float64{2.8716795, 2.3978953, 0, 0, 2.097141}},
		{"lm_jm", "den", []float64{2.7725887, 1.704748, 0, 2.7725887, 2.0053334}},
		{"lm_jm(lambda=0.7)", "fox", []float64{0.58425313, 0.3894648, 0, 0, 0.29277116}},
		{"lm_jm(lambda=0.7)", "cub", []float64{0, 0, 0, 0, 0.7032996}},
	} {
		m, err := rank.ParseScorer(c.scorer)
		if err != nil {
			t.Fatal(err)
		}
		w := words[c.word]
		score := m.Term(w.stats)
		for doc, want := range c.want {
			got := score(w.tfs[doc], lengths[doc])
			if c.scorer == "in_expb2" { // Lucene adds 1 to F and df here, which Amati does not
				got *= float64(w.stats.CollFreq+2) / float64(w.stats.DocFreq+1) * float64(w.stats.DocFreq) / float64(w.stats.CollFreq+1)
			}
			if math.Abs(got-want) > 1e-6*(0.001+want)*10 {
				t.Errorf("%s, %s in document %d: %.8g, Lucene %.8g", c.scorer, c.word, doc, got, want)
			}
		}
	}
}
