package rank_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/rank"
)

// list makes hits of "a 3, b 2".
func list(keysAndScores ...any) (hits []rank.Hit) {
	for i := 0; i < len(keysAndScores); i += 2 {
		score, ok := keysAndScores[i+1].(float64)
		if !ok {
			score = float64(keysAndScores[i+1].(int))
		}
		hits = append(hits, rank.Hit{Key: keysAndScores[i].(string), Score: score})
	}
	return hits
}

func TestFusionByHand(t *testing.T) {
	t.Parallel()
	words, vectors := list("a", 9, "b", 5, "c", 1), list("b", 0.9, "d", 0.7, "a", 0.5)
	for name, c := range map[string]struct {
		of    rank.Fusion
		lists [][]rank.Hit
		want  []rank.Hit
	}{
		"reciprocal rank": {rank.ReciprocalRank{}, [][]rank.Hit{words, vectors}, list("b", 1/62.0+1/61.0, "a", 1/61.0+1/63.0, "d", 1/62.0, "c", 1/63.0)},
		"k 1, weighted":   {rank.ReciprocalRank{K: 1, Weights: []float64{4}}, [][]rank.Hit{words, vectors}, list("a", 2+0.25, "b", 4/3.0+0.5, "c", 1.0, "d", 1/3.0)},
		"sum":             {rank.CombSUM{}, [][]rank.Hit{words, vectors}, list("b", 1.5, "a", 1.0, "d", 0.5, "c", 0)},
		"sum, weighted":   {rank.CombSUM{Weights: []float64{2, 0}}, [][]rank.Hit{words, vectors}, list("a", 2, "b", 1, "c", 0, "d", 0)},
		"MNZ":             {rank.CombMNZ{}, [][]rank.Hit{words, vectors}, list("b", 3, "a", 2, "d", 0.5, "c", 0)},
		"nothing":         {rank.CombMNZ{}, nil, nil},
		"an empty list":   {rank.CombSUM{}, [][]rank.Hit{nil, list("a", 3)}, list("a", 1)},
		"twice":           {rank.CombMNZ{}, [][]rank.Hit{list("a", 3, "b", 2, "a", 1)}, list("a", 1, "b", 0.5)},
	} {
		got := c.of.Fuse(c.lists...)
		if !slices.Equal(keys(got), keys(c.want)) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i := range got {
			near(t, name+" "+got[i].Key, got[i].Score, c.want[i].Score, 1e-12)
		}
	}
}

func TestFusionKeepsTheFirstFields(t *testing.T) {
	t.Parallel()
	a, b := rank.Hit{Key: "k", Fields: map[string]any{"title": "a"}}, rank.Hit{Key: "k", Fields: map[string]any{"title": "b"}}
	if got := (rank.ReciprocalRank{}).Fuse(nil, []rank.Hit{a}, []rank.Hit{b}); got[0].Fields["title"] != "a" {
		t.Errorf("fields %v", got[0].Fields)
	}
}

// drawHits draws hits of few keys, in any order, with any scores.
func drawHits(t *rapid.T, name string) []rank.Hit {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) rank.Hit {
		return rank.Hit{
			Key:   rapid.SampledFrom([]string{"http://a.example/1", "http://a.example/2", "http://b.example/", "c", "", "https://d.example:8080/%zz"}).Draw(t, "key"),
			Score: anyFloat(rapid.Float64Range(-5, 5)).Draw(t, "score"),
		}
	}), 0, 12).Draw(t, name)
}

// Whatever the scores, each key comes once, with a finite score, best first, and the lists stay as they were.
func TestFusionContract(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(anyFloat(rapid.Float64Range(0, 3)), 0, 3).Draw(t, "weights")
		f := rapid.SampledFrom([]rank.Fusion{rank.ReciprocalRank{anyFloat(rapid.Float64Range(0, 100)).Draw(t, "k"), weights}, rank.CombSUM{weights}, rank.CombMNZ{weights}}).Draw(t, "fusion")
		a, b := drawHits(t, "a"), drawHits(t, "b")
		before := fmt.Sprint(a, b)
		got := f.Fuse(a, b)
		if after := fmt.Sprint(a, b); after != before {
			t.Fatalf("the lists were %s and are %s", before, after)
		}
		want := map[string]bool{}
		for _, h := range slices.Concat(a, b) {
			want[h.Key] = true
		}
		if len(got) != len(want) {
			t.Fatalf("%d hits, want %d", len(got), len(want))
		}
		for i, h := range got {
			if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || i > 0 && h.Score > got[i-1].Score {
				t.Fatalf("hit %d: %v", i, h)
			}
			delete(want, h.Key)
		}
		if len(want) > 0 {
			t.Fatalf("%v are missing", want)
		}
	})
}

// The words find a, the vectors find d, and both find b.
func ExampleReciprocalRank() {
	words := []rank.Hit{{Key: "a", Score: 12.1}, {Key: "b", Score: 11.7}, {Key: "c", Score: 3.2}}
	vectors := []rank.Hit{{Key: "d", Score: 0.93}, {Key: "b", Score: 0.91}}
	for _, h := range (rank.ReciprocalRank{}).Fuse(words, vectors) {
		fmt.Printf("%s %.4f\n", h.Key, h.Score)
	}
	// Output:
	// b 0.0323
	// a 0.0164
	// d 0.0164
	// c 0.0159
}

func ExampleCombMNZ() {
	words := []rank.Hit{{Key: "a", Score: 12}, {Key: "b", Score: 9}, {Key: "c", Score: 2}}
	vectors := []rank.Hit{{Key: "b", Score: 0.9}, {Key: "d", Score: 0.4}}
	for _, h := range (rank.CombMNZ{}).Fuse(words, vectors) {
		fmt.Printf("%s %.1f\n", h.Key, h.Score)
	}
	// Output:
	// b 3.4
	// a 1.0
	// c 0.0
	// d 0.0
}

func ExampleCombSUM() {
	words := []rank.Hit{{Key: "a", Score: 12}, {Key: "b", Score: 9}, {Key: "c", Score: 2}}
	clicks := []rank.Hit{{Key: "b", Score: 120}, {Key: "a", Score: 20}}
	for _, h := range (rank.CombSUM{Weights: []float64{1, 0.2}}).Fuse(words, clicks) {
		fmt.Printf("%s %.1f\n", h.Key, h.Score)
	}
	// Output:
	// a 1.0
	// b 0.9
	// c 0.0
}
