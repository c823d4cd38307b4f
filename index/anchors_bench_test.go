package index_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/webquarry/quarry/index"
)

// What a commit of anchors costs: of a thousand new ones, for documents of a
// segment of 100,000 that have five each.
func BenchmarkCommitAnchors(b *testing.B) {
	ix := opens(b, b.TempDir(), linked)
	w := writer(b, ix)
	const docs = 100_000
	r := rand.New(rand.NewPCG(1, 1))
	links := func(n, source int) {
		var all []index.Anchor
		for range n {
			all = append(all, index.Anchor{Target: fmt.Sprintf("n%d", r.IntN(docs)), Source: fmt.Sprintf("http://h%d.example/%d", r.IntN(1000), source),
				Text: fmt.Sprintf("word%d and word%d", r.IntN(20_000), r.IntN(100))})
		}
		must(b, w.AddAnchors(b.Context(), all...))
	}
	must(b, w.Add(b.Context(), numberedDocs(0, docs)...))
	for i := range 50 {
		links(10_000, i)
	}
	must(b, w.Merge(b.Context()))
	for i := 100; b.Loop(); i++ {
		links(1000, i)
		must(b, w.Commit(b.Context()))
	}
}
