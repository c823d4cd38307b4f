package rank

import (
	"cmp"
	"context"
	"slices"
)

// Hit is one answer to a query.
type Hit struct {
	Key    string            // key of the document
	Score  float64           // greater is better
	Fields map[string]string // stored fields that were asked for
}

// Ranker is a second stage: it scores and orders the best hits of the first
// anew, in place.
type Ranker interface {
	Rank(ctx context.Context, query string, hits []Hit) error
}

// Sort orders hits as all of Quarry does: best score first, equal scores by
// key, scores that are no number last.
func Sort(hits []Hit) {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key))
	})
}
