package rank

import (
	"cmp"
	"context"
	"slices"
)

// Hit is one answer to a query.
type Hit struct {
	Key    string         // key of the document
	Score  float64        // greater is better
	Fields map[string]any // what was asked for of the document, as the index has it: strings, numbers, times
}

// Ranker is a second stage: it scores and orders the best hits of the first
// anew. index.SearchOptions.Rerank runs one over the hits of a search.
type Ranker interface {
	// Rank orders hits in place, and may change their scores and nothing else. When ctx
	// ends it returns the cause.
	Rank(ctx context.Context, query string, hits []Hit) error
}

// Sort orders hits as all of Quarry does: best score first, equal scores by
// key, scores that are no number last.
func Sort(hits []Hit) {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key))
	})
}
