package sched

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/webquarry/quarry/frontier/internal/request"
)

func TestPriorityKey(t *testing.T) {
	t.Parallel()
	ps := []float64{math.Inf(1), math.MaxFloat64, 2, 1, math.SmallestNonzeroFloat64, 0, -math.SmallestNonzeroFloat64, -1, math.Inf(-1)}
	for i := range ps[1:] {
		if request.PriorityKey(ps[i]) >= request.PriorityKey(ps[i+1]) {
			t.Errorf("%v does not come before %v", ps[i], ps[i+1])
		}
	}
	if request.PriorityKey(0) != request.PriorityKey(math.Copysign(0, -1)) {
		t.Error("minus zero is another priority than zero")
	}
}

// shelfItem is a request in a run of the test.
type shelfItem struct {
	request.Rank
	stamp uint32
	gone  bool // it was brought to memory
}

// TestLayers shelves, brings and merges at random, and compares what the layers
// of a lane say of each request with what became of it.
func TestLayers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		var f Shelf
		var ho Host
		var items []shelfItem
		seq := uint64(0)
		for range 60 {
			switch rnd.IntN(3) {
			case 0: // shelve some; their run gets its stamp in the end
				var out []shelfItem
				for range 1 + rnd.IntN(4) {
					seq++
					out = append(out, shelfItem{Rank: request.Rank{Key: uint64(rnd.IntN(8)), Seq: seq}})
				}
				best := slices.MinFunc(out, func(a, b shelfItem) int { return compareRanks(a.Rank, b.Rank) })
				f.Put(&ho, request.DueLane, best.Rank, len(out), 0)
				f.Stamp++
				for i := range out {
					out[i].stamp = f.Stamp
				}
				items = append(items, out...)
			case 1: // bring the best
				bringBest(&f, &ho, items, 1+rnd.IntN(3))
			case 2: // merge all runs; those that are gone are left out
				f.Stamp++
				items = slices.DeleteFunc(items, func(x shelfItem) bool { return x.gone })
				for i := range items {
					items[i].stamp = f.Stamp
				}
			}
			waiting := 0
			for _, x := range items {
				if !x.gone {
					waiting++
				}
				visible := false
				if l := ho.Lanes[request.DueLane]; l != 0 {
					upTo, ok := f.UpTo(f.Lanes.At(l), x.stamp)
					visible = ok && upTo.Before(x.Rank)
				}
				if visible == x.gone {
					t.Fatalf("seed %d: %+v is visible: %v", seed, x, visible)
				}
			}
			if f.N != waiting {
				t.Fatalf("seed %d: %d requests, want %d", seed, f.N, waiting)
			}
		}
	}
}

func compareRanks(a, b request.Rank) int {
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Seq, b.Seq))
}

func bringBest(f *Shelf, ho *Host, items []shelfItem, n int) {
	var order []*shelfItem
	for i := range items {
		if !items[i].gone {
			order = append(order, &items[i])
		}
	}
	if len(order) == 0 {
		return
	}
	slices.SortFunc(order, func(a, b *shelfItem) int { return compareRanks(a.Rank, b.Rank) })
	n = min(n, len(order))
	for _, x := range order[:n] {
		x.gone = true
	}
	head := order[min(n, len(order)-1)].Rank
	f.Brought(ho, request.DueLane, order[n-1].Rank, head, n)
}
