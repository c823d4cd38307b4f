package collect

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The bounds of the fields of a word add up to no less than what it scores, and to no more
// than the most that it can, in whatever order they are added.
func TestAllFields(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	for range 10_000 {
		f := allFields{most: []float64{2, 10, math.Inf(1), math.NaN()}[r.IntN(4)]}
		sum, added := 0.0, 0.0
		for range 1 + r.IntN(5) {
			bound := 4 * r.Float64()
			sum += bound
			by := f.add(bound)
			if by < 0 || by > bound {
				t.Fatalf("a bound of %v adds %v", bound, by)
			}
			added += by
		}
		want := sum
		if sum > f.most {
			want = f.most
		}
		if math.Abs(added-want) > 1e-12 {
			t.Fatalf("%v of %v in all, at most %v: added %v", want, sum, f.most, added)
		}
	}
}
