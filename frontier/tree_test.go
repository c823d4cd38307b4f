package frontier

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// numbers is a forest of numbers by their values.
type numbers struct {
	value []int
	link  []links
}

func (f *numbers) before(a, b uint32) bool { return f.value[a] < f.value[b] }
func (f *numbers) links(x uint32) *links   { return &f.link[x] }

// TestTree plants, pulls and changes at random, and looks for the least of all.
func TestTree(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		f := &numbers{value: make([]int, 65), link: make([]links, 65)}
		in := map[uint32]bool{}
		root := uint32(0)
		for range 500 {
			x := uint32(1 + rnd.IntN(64))
			if in[x] {
				f.value[x] = rnd.IntN(100) // what is pulled may have changed
				root = pull(f, root, x)
				delete(in, x)
			}
			if rnd.IntN(5) > 0 {
				f.value[x] = rnd.IntN(100)
				root = plant(f, root, x)
				in[x] = true
			}
			found := map[uint32]bool{}
			walk(f, root, func(x uint32) bool {
				if found[x] || !in[x] || f.before(x, root) {
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

// TestIndex sets and removes keys at random, many of which have one home.
func TestIndex(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		var x index
		want := map[uint64]uint32{}
		most := 1 + rnd.IntN(400)
		for round := range 4000 {
			key := uint64(rnd.IntN(4))<<62 | uint64(rnd.IntN(most))
			if round > 3000 {
				most = 1
			}
			if _, ok := want[key]; ok && (rnd.IntN(2) == 0 || round > 3000) {
				x.remove(key)
				delete(want, key)
			} else if round <= 3000 {
				want[key] = 1 + rnd.Uint32N(1000)
				x.set(key, want[key])
			}
			if got, ok := x.find(key); got != want[key] || ok != (got != 0) || x.n != len(want) {
				t.Fatalf("seed %d: key %x is %d, %v of %d, want %d of %d", seed, key, got, ok, x.n, want[key], len(want))
			}
			if 4*x.n > 3*len(x.cells) || len(x.cells) > leastIndex && 4*x.n < len(x.cells) {
				t.Fatalf("seed %d: %d cells for %d", seed, len(x.cells), x.n)
			}
		}
		for key, n := range want {
			if got, _ := x.find(key); got != n {
				t.Fatalf("seed %d: key %x is %d, want %d", seed, key, got, n)
			}
		}
	}
}

type places []int

func (p places) placed(x uint32, at int) { p[x] = at }

// TestHeap pushes, removes and fixes at random.
func TestHeap(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 3))
	at := make(places, 300)
	for i := range at {
		at[i] = -1
	}
	var h []entry
	key := func() sortKey { return sortKey{rnd.Uint64N(4), rnd.Uint64N(4), rnd.Uint64N(4)} }
	for round := range 20_000 {
		x := uint32(rnd.IntN(len(at)))
		switch {
		case at[x] < 0 && rnd.IntN(2*len(at)) > len(h)+round/100:
			h = push(at, h, x, key())
		case at[x] >= 0 && rnd.IntN(2) == 0:
			fix(at, h, at[x], key())
		case at[x] >= 0:
			h = remove(at, h, at[x])
			at[x] = -1
		}
		for i, e := range h {
			if at[e.x] != i || e.before(h[max(i-1, 0)/2].sortKey) {
				t.Fatalf("round %d: entry %d of %d is out of place", round, i, len(h))
			}
		}
	}
	if slices.ContainsFunc(at, func(i int) bool { return i >= len(h) }) || cap(h) > 4*max(len(h), 64) {
		t.Errorf("%d entries, room for %d", len(h), cap(h))
	}
}
