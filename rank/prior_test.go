package rank_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/rank"
)

func TestSaturationByHand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   rank.Saturation
		v, w float64
	}{
		{rank.Saturation{}, 1, 0.5},
		{rank.Saturation{}, 3, 0.75},
		{rank.Saturation{Weight: 2, Half: 10}, 10, 1},
		{rank.Saturation{Weight: 2, Half: 10, Exponent: 2}, 20, 1.6},
		{rank.Saturation{}, 0, 0},
		{rank.Saturation{}, -4, 0},
		{rank.Saturation{}, math.Inf(1), 1},
	} {
		near(t, fmt.Sprintf("%+v of %g", c.of, c.v), c.of.Add(c.v), c.w, 1e-12)
	}
}

func TestLogarithmAndSigmoidByHand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   rank.Prior
		v, w float64
	}{
		{rank.Logarithm{}, math.E - 1, 1},
		{rank.Logarithm{Weight: 2, Scale: 0.001}, 0.001 * (math.E*math.E - 1), 4},
		{rank.Logarithm{Weight: 2, Most: 3}, 1e300, 6},
		{rank.Logarithm{}, math.Inf(1), 20},
		{rank.Logarithm{}, -1, 0},
		{rank.Logarithm{}, math.NaN(), 0},
		{rank.Sigmoid{}, 0, 0.5},
		{rank.Sigmoid{Weight: 4, Middle: 10, Width: 5}, 10, 2},
		{rank.Sigmoid{Weight: 4, Middle: 10, Width: 5}, 15, 4 / (1 + math.Exp(-1))},
		{rank.Sigmoid{}, math.Inf(1), 1},
		{rank.Sigmoid{}, math.Inf(-1), 0},
		{rank.Sigmoid{}, math.NaN(), 0},
	} {
		near(t, fmt.Sprintf("%+v of %g", c.of, c.v), c.of.Add(c.v), c.w, 1e-12)
	}
}

func TestRecencyByHand(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	r := rank.Recency{Weight: 4, Now: now, HalfLife: 24 * time.Hour}
	for days, want := range map[int]float64{-3: 4, 0: 4, 1: 2, 3: 0.5} {
		near(t, fmt.Sprint(days, " days ago"), r.Add(float64(now.AddDate(0, 0, -days).Unix())), want, 1e-9)
	}
}

func TestPriorContract(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		positive := rapid.Float64Range(1e-6, 1e6)
		prior := rapid.SampledFrom([]rank.Prior{
			rank.Saturation{positive.Draw(t, "weight"), positive.Draw(t, "half"), rapid.Float64Range(0.1, 4).Draw(t, "exponent")},
			rank.Saturation{Half: positive.Draw(t, "half")},
			rank.Logarithm{positive.Draw(t, "weight"), positive.Draw(t, "scale"), positive.Draw(t, "most")},
			rank.Sigmoid{positive.Draw(t, "weight"), rapid.Float64Range(-1e6, 1e6).Draw(t, "middle"), positive.Draw(t, "width")},
			rank.Recency{positive.Draw(t, "weight"), time.Unix(1_780_000_000, 0), time.Duration(rapid.Int64Range(1, 1<<60).Draw(t, "life"))},
		}).Draw(t, "prior")
		v := rapid.Float64Range(-10, 2e9).Draw(t, "value")
		more := v + rapid.Float64Range(0, 1e9).Draw(t, "more")
		if rapid.Bool().Draw(t, "next") {
			more = math.Nextafter(v, math.Inf(1))
		}
		a, b := prior.Add(v), prior.Add(more)
		if !(a >= 0) || math.IsInf(a, 0) || b < a-a*0x1p-45 {
			t.Fatalf("%+v adds %g for %g and %g for %g", prior, a, v, b, more)
		}
	})
}

func ExampleSaturation() {
	s := rank.Saturation{Weight: 3, Half: 0.2}
	fmt.Printf("%.2f %.2f %.2f\n", s.Add(0.1), s.Add(0.2), s.Add(5))
	// Output: 1.00 1.50 2.88
}

func ExampleRecency() {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	r := rank.Recency{Weight: 2, Now: now, HalfLife: 7 * 24 * time.Hour}
	fmt.Printf("%.2f %.2f\n", r.Add(float64(now.Unix())), r.Add(float64(now.AddDate(0, 0, -14).Unix())))
	// Output: 2.00 0.50
}

// Log PageRank, with the mean rank of a million pages as the scale.
func ExampleLogarithm() {
	l := rank.Logarithm{Weight: 0.4, Scale: 1e-6, Most: 7}
	fmt.Printf("%.2f %.2f %.2f\n", l.Add(1e-6), l.Add(1e-4), l.Add(0.1))
	// Output: 0.28 1.85 2.80
}

func ExampleSigmoid() {
	s := rank.Sigmoid{Weight: 2, Middle: 0.5, Width: 0.1}
	fmt.Printf("%.2f %.2f %.2f\n", s.Add(0.2), s.Add(0.5), s.Add(0.8))
	// Output: 0.09 1.00 1.91
}
