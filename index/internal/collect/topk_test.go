package collect

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/webquarry/quarry/index/internal/exec"
)

// What is kept is what sorting all of it gives.
func TestTopKAgainstSort(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	for range 400 {
		k := []int{0, 1, 3, fewBest, fewBest + 1, 100, 700}[r.IntN(7)]
		top, all := topK{run: &exec.Run{Ctx: t.Context()}, k: k, byKey: r.IntN(2) == 0}, []Found(nil)
		for doc, place := range r.Perm(r.IntN(4000)) {
			if top.byKey {
				place = doc
			}
			f := Found{Score: float64(1 + r.IntN(1+r.IntN(3000))), Doc: uint32(doc), place: uint32(place)}
			if any := top.least() == 0; any != (k == 0 || len(all) < k) {
				t.Fatalf("k = %d of %d: wants any score: %v", k, len(all), any)
			}
			all = append(all, f)
			top.add(f)
		}
		got := slices.Clone(top.best())
		order := func(a, b Found) int {
			if worse(b, a) {
				return -1
			}
			return 1
		}
		slices.SortFunc(got, order)
		slices.SortFunc(all, order)
		if want := all[:min(k, len(all))]; !slices.Equal(got, want) {
			t.Fatalf("k = %d of %d: got %v, want %v", k, len(all), got, want)
		}
	}
}
