package rank_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/webquarry/quarry/rank"
)

func ExampleBM25() {
	score := rank.BM25{}.Term(rank.Stats{Docs: 1000, DocFreq: 10, AvgLen: 120})
	fmt.Printf("once:  %.3f\n", score(1, 120))
	fmt.Printf("twice: %.3f\n", score(2, 120))
	fmt.Printf("twice in a page three times as long: %.3f\n", score(2, 360))
	// Output:
	// once:  4.557
	// twice: 6.266
	// twice in a page three times as long: 4.010
}

// The variant with log2(N/df), over three documents of 26, 21 and 49 tokens.
func ExampleBM25_logRatio() {
	model := rank.BM25{K1: 1.75, B: 0.75, IDF: rank.LogRatio}
	freiburg := model.Term(rank.Stats{Docs: 3, DocFreq: 2, AvgLen: 32})
	albert := model.Term(rank.Stats{Docs: 3, DocFreq: 1, AvgLen: 32})
	fmt.Printf("freiburg, 3 times in 26: %.10f\n", freiburg(3, 26))
	fmt.Printf("freiburg, 2 times in 21: %.10f\n", freiburg(2, 21))
	fmt.Printf("albert, once in 26:      %.10f\n", albert(1, 26))
	// Output:
	// freiburg, 3 times in 26: 1.0715011288
	// freiburg, 2 times in 21: 0.9752838378
	// albert, once in 26:      1.7407388463
}

func ExampleBM25_Explain() {
	fmt.Print(rank.BM25{}.Explain(rank.Stats{Docs: 1000, DocFreq: 10, AvgLen: 120}, 2, 120))
	// Output:
	// 6.2664  BM25 = idf · saturation
	//   4.55738  idf = ln(1 + (N-df+0.5)/(df+0.5)), N = 1000, df = 10
	//   1.375  saturation = tf·(k1+1) / (tf + k1·(1-b+b·length/avglen)), tf = 2, length = 120, avglen = 120, k1 = 1.2, b = 0.75
}

// A word that stands in title and body counts as one word that stands there more
// often.
func ExampleBM25F() {
	fields := []rank.FieldStats{{Name: "title", Weight: 2, AvgLen: 6}, {Name: "body", Weight: 1, AvgLen: 120}}
	word := rank.BM25F{}.Combine(rank.Stats{Docs: 1000, DocFreq: 10}, fields)
	title, body := word.Frequency[0](1, 6), word.Frequency[1](1, 120)
	fmt.Printf("in the title %.3f, in the body %.3f, in both %.3f\n", word.Score(title), word.Score(body), word.Score(title+body))
	// Output: in the title 6.266, in the body 4.557, in both 7.162
}

func ExampleTFIDF() {
	score := rank.TFIDF{IDF: rank.LogRatio}.Term(rank.Stats{Docs: 8, DocFreq: 2})
	fmt.Printf("%.3f %.3f\n", score(1, 4), score(2, 4))
	// Output: 1.000 1.693
}

func ExampleIDF_Weight() {
	fmt.Printf("%.3f %.3f\n", rank.Probabilistic.Weight(1000, 10), rank.LogRatio.Weight(1000, 10))
	// Output: 4.557 6.644
}

// Entry pages first: a page near the root of its site gains a little.
func ExampleRescore() {
	shallow := rank.Rescore(func(_ string, hit rank.Hit) float64 {
		return hit.Score + 1/float64(strings.Count(hit.Key, "/"))
	})
	hits := []rank.Hit{
		{Key: "https://example.org/docs/api/v2/errors", Score: 4.1},
		{Key: "https://example.org/docs", Score: 4.0},
	}
	if err := shallow.Rank(context.Background(), "errors", hits); err != nil {
		fmt.Println(err)
	}
	for _, hit := range hits {
		fmt.Printf("%.2f %s\n", hit.Score, hit.Key)
	}
	// Output:
	// 4.33 https://example.org/docs
	// 4.27 https://example.org/docs/api/v2/errors
}

func ExampleSort() {
	hits := []rank.Hit{{Key: "b", Score: 1}, {Key: "a", Score: 1}, {Key: "c", Score: 2}}
	rank.Sort(hits)
	fmt.Println(hits[0].Key, hits[1].Key, hits[2].Key)
	// Output: c a b
}
