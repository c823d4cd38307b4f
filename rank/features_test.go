package rank_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/webquarry/quarry/rank"
)

func TestFirstStage(t *testing.T) {
	t.Parallel()
	f := rank.FirstStage{Columns: []string{"n", "missing"}}
	hits := []rank.Hit{
		{Key: "a", Score: 5, Fields: map[string]any{"n": int64(3)}},
		{Key: "b", Score: 1, Fields: map[string]any{"n": 2.5}},
		{Key: "c", Score: math.NaN(), Fields: map[string]any{"n": time.UnixMicro(1_500_000)}},
		{Key: "d", Score: 2, Fields: map[string]any{"n": math.Inf(1)}},
		{Key: "e", Score: 2, Fields: map[string]any{"n": "text"}},
	}
	rows, err := f.Of(t.Context(), "", hits)
	want := [][]float64{{5, 1, 3, 0}, {1, 0, 2.5, 0}, {0, 0, 1.5, 0}, {2, 0.25, 0, 0}, {2, 0.25, 0, 0}}
	if err != nil || !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("%v, %v", rows, err)
	}
	if got, want := f.Names(), []string{"score", "score.share", "n", "missing"}; !slices.Equal(got, want) {
		t.Errorf("names %v", got)
	}
}

// sumOf is a Model.
type sumOf []string

func (m sumOf) Bind(names []string) (func([]float64) float64, error) {
	for _, of := range m {
		if !slices.Contains(names, of) {
			return nil, errors.New("none")
		}
	}
	return func(x []float64) (sum float64) {
		for _, of := range m {
			sum += x[slices.Index(names, of)]
		}
		return sum
	}, nil
}

// ragged describes too few hits.
type ragged struct{ rank.FirstStage }

func (ragged) Of(context.Context, string, []rank.Hit) ([][]float64, error) { return nil, nil }

func TestByModel(t *testing.T) {
	t.Parallel()
	all := rank.AllFeatures{rank.FirstStage{}, rank.FirstStage{Columns: []string{"n"}}}
	hits := []rank.Hit{{Key: "a", Score: 2}, {Key: "b", Score: 1, Fields: map[string]any{"n": 9}}}
	if err := (rank.ByModel{all, sumOf{"score", "n"}}).Rank(t.Context(), "", hits); err != nil || hits[0].Key != "b" || hits[0].Score != 10 {
		t.Errorf("%v, %v", hits, err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := (rank.ByModel{all, sumOf{"n"}}).Rank(ctx, "", hits); !errors.Is(err, cause) || hits[0].Score != 10 {
		t.Errorf("cancelled: %v, %v", err, hits)
	}
	for _, b := range []rank.ByModel{{all, sumOf{"m"}}, {ragged{}, sumOf{"score"}}} {
		if err := b.Rank(t.Context(), "", hits); err == nil || hits[0].Score != 10 {
			t.Errorf("%v: %v, %v", b, err, hits)
		}
	}
	if err := (rank.ByModel{all, sumOf{}}).Rank(t.Context(), "", nil); err != nil {
		t.Error("no hits:", err)
	}
}

func ExampleFirstStage() {
	rows, err := rank.FirstStage{Columns: []string{"pagerank"}}.Of(context.Background(), "", []rank.Hit{
		{Key: "a", Score: 8, Fields: map[string]any{"pagerank": 0.3}}, {Key: "b", Score: 6}, {Key: "c", Score: 4},
	})
	fmt.Println(rows, err)
	// Output: [[8 1 0.3] [6 0.5 0] [4 0 0]] <nil>
}
