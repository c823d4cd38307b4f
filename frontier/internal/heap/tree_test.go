package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// numbers is a forest of numbers by their values.
type numbers struct {
	value []int
	link  []Links
}

func (f *numbers) Before(a, b uint32) bool { return f.value[a] < f.value[b] }
func (f *numbers) Links(x uint32) *Links   { return &f.link[x] }

// TestTree plants, pulls and changes at random, and looks for the least of all.
func TestTree(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		f := &numbers{value: make([]int, 65), link: make([]Links, 65)}
		in := map[uint32]bool{}
		root := uint32(0)
		for range 500 {
			x := uint32(1 + rnd.IntN(64))
			if in[x] {
				f.value[x] = rnd.IntN(100) // what is pulled may have changed
				root = Pull(f, root, x)
				delete(in, x)
			}
			if rnd.IntN(5) > 0 {
				f.value[x] = rnd.IntN(100)
				root = Plant(f, root, x)
				in[x] = true
			}
			found := map[uint32]bool{}
			Walk(f, root, func(x uint32) bool {
				if found[x] || !in[x] || f.Before(x, root) {
					t.Fatalf("seed %d: %d is twice in the tree, or not, or before %d", seed, x, root)
				}
				found[x] = true
				return true
			})
			if len(found) != len(in) || (root == 0) != (len(in) == 0) {
				t.Fatalf("seed %d: %d in the tree, want %d", seed, len(found), len(in))
			}
		}
	}
}

type places []int

func (p places) Placed(x uint32, at int) { p[x] = at }

// TestHeap pushes, removes and fixes at random.
func TestHeap(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 3))
	at := make(places, 300)
	for i := range at {
		at[i] = -1
	}
	var h []Entry
	key := func() Key { return Key{rnd.Uint64N(4), rnd.Uint64N(4), rnd.Uint64N(4)} }
	for round := range 20_000 {
		x := uint32(rnd.IntN(len(at)))
		switch {
		case at[x] < 0 && rnd.IntN(2*len(at)) > len(h)+round/100:
			h = Push(at, h, x, key())
		case at[x] >= 0 && rnd.IntN(2) == 0:
			Fix(at, h, at[x], key())
		case at[x] >= 0:
			h = Remove(at, h, at[x])
			at[x] = -1
		}
		for i, e := range h {
			if at[e.X] != i || e.Before(h[max(i-1, 0)/2].Key) {
				t.Fatalf("round %d: entry %d of %d is out of place", round, i, len(h))
			}
		}
	}
	if slices.ContainsFunc(at, func(i int) bool { return i >= len(h) }) || cap(h) > 4*max(len(h), 64) {
		t.Errorf("%d entries, room for %d", len(h), cap(h))
	}
}
