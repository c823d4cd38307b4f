package rank_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/rank"
)

func thousand(docFreq, collFreq int) func(string) rank.Stats {
	return func(string) rank.Stats {
		return rank.Stats{Docs: 1000, DocFreq: docFreq, CollFreq: collFreq, AvgLen: 10}
	}
}

func TestRM3ByHand(t *testing.T) {
	t.Parallel()
	docs := []rank.FeedbackDoc{{Score: 3, Terms: map[string]int{"fox": 2, "den": 2}}, {Score: 1, Terms: map[string]int{"fox": 1, "owl": 4}}, {Score: 9, Terms: map[string]int{"late": 1}}}
	// fox: 3/4·1/2 + 1/4·1/5 = 0.425, den: 0.375, owl: 0.2; of the first two, den and fox.
	words, query := rank.RM3{Docs: 2, Words: 2}.Expand(docs, thousand(5, 7))
	if len(words) != 2 || words[0].Word != "fox" || words[1].Word != "den" || query != 0.8 {
		t.Fatalf("%v, %v", words, query)
	}
	near(t, "fox", words[0].Weight, 0.425/0.8, 1e-12)
	near(t, "den", words[1].Weight, 0.375/0.8, 1e-12)
	common, query := rank.RM3{Query: -1}.Expand(docs, func(word string) rank.Stats {
		return rank.Stats{Docs: 1000, DocFreq: map[string]int{"fox": 101}[word]}
	})
	if len(common) != 3 || common[0].Word == "fox" || query != 0 {
		t.Errorf("%v, %v: fox is in more than a tenth", common, query)
	}
}

func TestBo1ByHand(t *testing.T) {
	t.Parallel()
	docs := []rank.FeedbackDoc{{Terms: map[string]int{"fox": 2, "den": 1}}, {Terms: map[string]int{"fox": 1}}}
	words, query := rank.Bo1{Words: 2, Query: 0.5}.Expand(docs, thousand(15, 20)) // λ = 0.02
	fox := 3*math.Log2(1.02/0.02) + math.Log2(1.02)
	den := math.Log2(1.02/0.02) + math.Log2(1.02)
	if len(words) != 2 || words[0].Word != "fox" || query != 0.5 {
		t.Fatalf("%v, %v", words, query)
	}
	near(t, "fox", words[0].Weight, fox/(fox+den), 1e-12)
}

func TestFeedbackProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var docs []rank.FeedbackDoc
		for range rapid.IntRange(0, 6).Draw(t, "docs") {
			docs = append(docs, rank.FeedbackDoc{
				Score: anyFloat(rapid.Float64Range(0, 50)).Draw(t, "score"),
				Terms: rapid.MapOf(rapid.SampledFrom([]string{"", "a", "fox", "den", "owl", "hen"}), rapid.IntRange(1, 9)).Draw(t, "terms"),
			})
		}
		stats := drawStats(t)
		of := func(string) rank.Stats { return stats }
		for _, by := range []rank.Feedback{rank.RM3{Docs: rapid.IntRange(-1, 4).Draw(t, "of"), Words: rapid.IntRange(-1, 3).Draw(t, "words")}, rank.Bo1{Query: 2}, rank.RM3{}} {
			words, query := by.Expand(docs, of)
			sum, last := 0.0, math.Inf(1)
			for _, w := range words {
				if !(w.Weight > 0) || w.Weight > last {
					t.Fatalf("%#v: %v", by, words)
				}
				sum, last = sum+w.Weight, w.Weight
			}
			if len(words) > 0 && math.Abs(sum-1) > 1e-9 || !(query >= 0 && query <= 1) || by.Size() < 1 {
				t.Fatalf("%#v: %v sum up to %v, the query keeps %v", by, words, sum, query)
			}
		}
	})
}
