package vector

import (
	"testing"
	"time"
)

func measure(t *testing.T, n, dims int) {
	all, queries := clustered(1, n, dims), clustered(2, 200, dims)
	start := time.Now()
	b := written(t, Options{Dims: dims, Approximate: true}, n, given(all, 1), nil)
	t.Logf("%d vectors of %d: written in %v, %d bytes each", n, dims, time.Since(start).Round(time.Millisecond), len(b)/n)
	r := opened(t, b, n)
	for _, ef := range []int{10, 50, 100, 200} {
		s := Search{K: 10, Candidates: ef, Check: never}
		for _, exact := range []bool{true, false} {
			s.Exact = exact
			start := time.Now()
			for _, v := range queries {
				s.Vector = v
				if _, err := r.Nearest(s); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("ef %d exact %v: %v a search", ef, exact, (time.Since(start) / time.Duration(len(queries))).Round(time.Microsecond))
		}
		t.Logf("ef %d: recall %.4f", ef, recall(t, r, queries, s))
	}
}
