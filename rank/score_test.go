package rank_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/rank"
)

// anyFloat draws numbers that a careless caller may pass.
func anyFloat(ordinary *rapid.Generator[float64]) *rapid.Generator[float64] {
	return rapid.OneOf(ordinary, ordinary, ordinary,
		rapid.SampledFrom([]float64{0, -1, 1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64}))
}

func drawStats(t *rapid.T) rank.Stats {
	count := rapid.OneOf(rapid.IntRange(-2, 20), rapid.IntRange(0, 1<<40), rapid.Int())
	return rank.Stats{
		Docs:    count.Draw(t, "docs"),
		DocFreq: count.Draw(t, "df"),
		AvgLen:  anyFloat(rapid.Float64Range(0, 2000)).Draw(t, "avglen"),
	}
}

func drawScorer(t *rapid.T) rank.Scorer {
	idf := rank.IDF(rapid.IntRange(0, 4).Draw(t, "idf"))
	number := func(name string, most float64) float64 { return anyFloat(rapid.Float64Range(0, most)).Draw(t, name) }
	switch rapid.IntRange(0, 8).Draw(t, "scorer") {
	case 0:
		return rank.TFIDF{IDF: idf, Frequency: rank.Frequency(rapid.IntRange(0, 2).Draw(t, "frequency")), Norm: rank.Norm(rapid.IntRange(0, 2).Draw(t, "norm"))}
	case 1:
		return rank.BM25Plus{K1: number("k1", 5), B: number("b", 1), Delta: number("delta", 2), IDF: idf}
	case 2:
		return rank.BM25L{K1: number("k1", 5), B: number("b", 1), Delta: number("delta", 2), IDF: idf}
	case 3:
		return rank.InExpB2{C: number("c", 10)}
	case 4:
		return rank.PL2{C: number("c", 10)}
	case 5:
		return rank.DPH{}
	case 6:
		return rank.Dirichlet{Mu: number("mu", 4000)}
	case 7:
		return rank.JelinekMercer{Lambda: number("lambda", 1)}
	}
	return rank.BM25{K1: number("k1", 5), B: number("b", 1), IDF: idf, Plain: rapid.Bool().Draw(t, "plain")}
}

// TestScoreContract holds what an index relies on when it prunes: for any
// scorer and statistics, to the last bit.
func TestScoreContract(t *testing.T) {
	t.Parallel()
	number := rapid.OneOf(rapid.Uint32Range(0, 30), rapid.Uint32Range(0, 5000), rapid.Uint32())
	rapid.Check(t, func(t *rapid.T) {
		scorer := drawScorer(t)
		score := scorer.Term(drawStats(t))
		tf, length := number.Draw(t, "tf"), number.Draw(t, "length")
		moreTF := max(tf, number.Draw(t, "more tf"))
		moreLength := max(length, number.Draw(t, "more length"))
		for _, next := range []uint32{tf + 1, moreTF} {
			if next > tf && !rank.NeedsOf(scorer).Exhaustive && score(next, length) < score(tf, length) {
				t.Fatalf("falls from %v to %v when tf rises from %d to %d", score(tf, length), score(next, length), tf, next)
			}
		}
		for _, next := range []uint32{length + 1, moreLength} {
			if next > length && !rank.NeedsOf(scorer).Exhaustive && score(tf, next) > score(tf, length) {
				t.Fatalf("rises from %v to %v when length rises from %d to %d", score(tf, length), score(tf, next), length, next)
			}
		}
		for _, got := range []float64{score(tf, length), score(0, length), score(tf, 0), score(0, 0), score(math.MaxUint32, math.MaxUint32)} {
			if !(got >= 0) || math.IsInf(got, 1) {
				t.Fatalf("score %v", got)
			}
		}
		if got := score(0, length); got != 0 {
			t.Fatalf("tf 0 scores %v", got)
		}
	})
}

// TestScoreStepByStep looks where rounding is coarser than the difference of
// two scores, and the plain formula does fall now and then.
func TestScoreStepByStep(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		model := []rank.Scorer{
			rank.BM25{K1: 5 * r.Float64(), B: r.Float64()}, rank.BM25L{K1: 5 * r.Float64(), B: r.Float64()}, rank.BM25Plus{K1: 5 * r.Float64()},
			rank.InExpB2{C: 5 * r.Float64()}, rank.Dirichlet{Mu: 1e6 * r.Float64()}, rank.JelinekMercer{Lambda: r.Float64()},
		}[r.IntN(6)]
		docFreq := r.IntN(1000)
		score := model.Term(rank.Stats{Docs: 1000, DocFreq: docFreq, AvgLen: 500 * r.Float64(), CollFreq: docFreq + r.IntN(10_000)})
		length := r.Uint32N(2000)
		start := uint32(1) << r.IntN(31)
		for n := start; n < start+100; n++ {
			if score(n+1, length) < score(n, length) {
				t.Fatalf("%+v: falls when tf rises from %d to %d at length %d", model, n, n+1, length)
			}
			if score(3, n+1) > score(3, n) {
				t.Fatalf("%+v: rises when length rises from %d to %d", model, n, n+1)
			}
		}
	}
}

func TestExplainEqualsScore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		scorer, stats := drawScorer(t), drawStats(t)
		tf, length := rapid.Uint32Range(0, 100).Draw(t, "tf"), rapid.Uint32Range(0, 5000).Draw(t, "length")
		explained := scorer.(rank.Explainer).Explain(stats, tf, length)
		if want := scorer.Term(stats)(tf, length); explained.Value != want {
			t.Fatalf("explained %v, scored %v", explained.Value, want)
		}
		if len(explained.Parts) == 0 {
			t.Fatal("nothing is explained")
		}
		switch scorer.(type) {
		default:
			return // of which the parts are no factors
		case rank.BM25, rank.BM25L, rank.InExpB2, rank.TFIDF:
		}
		product := 1.0
		for _, part := range explained.Parts {
			product *= part.Value
		}
		// A score is a difference from the most that there can be, and rounded as that.
		if math.Abs(product-explained.Value) > 1e-6*explained.Value+1e-12*(1+explained.Parts[0].Value) {
			t.Fatalf("parts multiply to %v, score %v:\n%v", product, explained.Value, explained)
		}
	})
}
