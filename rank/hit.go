package rank

import "context"

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
