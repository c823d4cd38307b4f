package invert

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Terms have the numbers that a map gives them, the empty one too.
func TestTerms(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var have terms
		var b batch
		want := map[string]uint32{}
		for range 400 {
			tokens := make([]Token, rnd.IntN(batchLen+1))
			for i := range tokens {
				if n := int(rnd.ExpFloat64() * 300); n > 0 {
					tokens[i].Term = fmt.Sprint(n)
				}
			}
			for i, n := range have.number(tokens, &b) {
				term := tokens[i].Term
				if _, ok := want[term]; !ok {
					want[term] = uint32(len(want))
				}
				if n != want[term] || string(have.term(n)) != term {
					t.Fatalf("%q is number %d, %q, and should be %d", term, n, have.term(n), want[term])
				}
			}
		}
		for term, n := range want {
			if got, ok := have.find(term); !ok || got != n {
				t.Fatalf("%q is found as %d, %v", term, got, ok)
			}
		}
		if n, ok := have.find("none"); ok {
			t.Fatalf("a term that is not there is %d", n)
		}
	}
}
