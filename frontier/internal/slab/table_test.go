package slab

import (
	"math/rand/v2"
	"testing"
)

// TestIndex sets and removes keys at random, many of which have one home.
func TestIndex(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		var x Index
		want := map[uint64]uint32{}
		most := 1 + rnd.IntN(400)
		for round := range 4000 {
			key := uint64(rnd.IntN(4))<<62 | uint64(rnd.IntN(most))
			if round > 3000 {
				most = 1
			}
			if _, ok := want[key]; ok && (rnd.IntN(2) == 0 || round > 3000) {
				x.Remove(key)
				delete(want, key)
			} else if round <= 3000 {
				want[key] = 1 + rnd.Uint32N(1000)
				x.Set(key, want[key])
			}
			if got, ok := x.Find(key); got != want[key] || ok != (got != 0) || x.N != len(want) {
				t.Fatalf("seed %d: key %x is %d, %v of %d, want %d of %d", seed, key, got, ok, x.N, want[key], len(want))
			}
			if 4*x.N > 3*len(x.cells) || len(x.cells) > leastIndex && 4*x.N < len(x.cells) {
				t.Fatalf("seed %d: %d cells for %d", seed, len(x.cells), x.N)
			}
		}
		for key, n := range want {
			if got, _ := x.Find(key); got != n {
				t.Fatalf("seed %d: key %x is %d, want %d", seed, key, got, n)
			}
		}
	}
}
