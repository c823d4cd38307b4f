package index_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/indextest"
	"github.com/webquarry/quarry/index/query"
)

// Words of many blocks, of which the best are looked at first.
func TestPrunedFrequentWords(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 14))
	ix := memory(t, indextest.Options())
	var docs []index.Document
	for i := range 13_000 {
		common := 1
		for common < 40 && r.IntN(3) > 0 {
			common += 1 + r.IntN(common)
		}
		text := strings.Repeat("common ", common) + strings.Repeat("other ", r.IntN(3)*r.IntN(20))
		docs = append(docs, index.Document{Key: fmt.Sprintf("%05d", 7*i%13_000), Fields: []index.Field{{Name: "body", Value: text}}})
	}
	w := writer(t, ix)
	must(t, w.Add(t.Context(), docs...), w.Merge(t.Context()))
	must(t, w.Add(t.Context(), docs[:200]...), w.Commit(t.Context()))
	for range 300 {
		must(t, w.Delete(t.Context(), fmt.Sprintf("%05d", r.IntN(20_000))))
	}
	must(t, w.Commit(t.Context()))
	pruned := false
	for range 60 / few {
		opt := index.SearchOptions{Limit: 1 + r.IntN(16) + r.IntN(2)*r.IntN(200), CountUpTo: 1 + r.IntN(3), Offset: r.IntN(2) * r.IntN(9)}
		word := []string{"common", "other"}[r.IntN(2)]
		pruned = comparePruned(t, ix, query.Match{Field: "body", Text: word}, opt) || pruned
	}
	if !pruned {
		t.Error("no search was pruned")
	}
}
