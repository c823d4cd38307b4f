package rank_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/webquarry/quarry/rank"
)

func keys(hits []rank.Hit) (keys []string) {
	for _, h := range hits {
		keys = append(keys, h.Key)
	}
	return keys
}

func TestSort(t *testing.T) {
	t.Parallel()
	hits := []rank.Hit{{Key: "n", Score: math.NaN()}, {Key: "b", Score: 1}, {Key: "c", Score: 2}, {Key: "a", Score: 1}, {Key: "z", Score: math.Inf(-1)}}
	rank.Sort(hits)
	if got, want := keys(hits), []string{"c", "a", "b", "z", "n"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestStages(t *testing.T) {
	t.Parallel()
	double := rank.Rescore(func(_ string, h rank.Hit) float64 { return 2 * h.Score })
	favour := rank.Rescore(func(query string, h rank.Hit) float64 {
		if h.Key == query {
			return h.Score + 5
		}
		return h.Score
	})
	hits := []rank.Hit{{Key: "a", Score: 3}, {Key: "b", Score: 1}}
	if err := (rank.Stages{double, favour}).Rank(t.Context(), "b", hits); err != nil {
		t.Fatal(err)
	}
	if want := []string{"b", "a"}; !slices.Equal(keys(hits), want) || hits[0].Score != 7 || hits[1].Score != 6 {
		t.Errorf("hits %v, want b 7, a 6", hits)
	}
}

func TestStagesStopAtAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	fail := stage(func() error { return broken })
	never := stage(func() error { t.Error("ran after a failed stage"); return nil })
	if err := (rank.Stages{fail, never}).Rank(t.Context(), "", nil); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

type stage func() error

func (f stage) Rank(context.Context, string, []rank.Hit) error { return f() }

func TestRescoreCancelled(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	hits := []rank.Hit{{Key: "a", Score: 1}, {Key: "b", Score: 2}, {Key: "c", Score: 3}}
	calls := 0
	err := rank.Rescore(func(string, rank.Hit) float64 {
		calls++
		cancel(cause)
		return 9
	}).Rank(ctx, "", hits)
	if !errors.Is(err, cause) || calls != 1 {
		t.Errorf("error %v after %d calls, want %v after 1", err, calls, cause)
	}
	if hits[0].Score != 1 || hits[2].Key != "c" {
		t.Errorf("hits changed: %v", hits)
	}
}
