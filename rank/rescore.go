package rank

import "context"

// Rescore is a second stage that gives each hit a new score, by itself, and
// sorts. The function sees the score of the stage before in hit.Score.
type Rescore func(query string, hit Hit) float64

// Rank scores and sorts hits. When ctx ends it returns the cause and leaves
// hits as they were.
func (f Rescore) Rank(ctx context.Context, query string, hits []Hit) error {
	scores := make([]float64, len(hits))
	for i, hit := range hits {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		scores[i] = f(query, hit)
	}
	for i := range hits {
		hits[i].Score = scores[i]
	}
	Sort(hits)
	return nil
}

// Stages are Rankers that run one after another, each on what the one before
// has left.
type Stages []Ranker

// Rank runs the stages. It stops at the first error.
func (s Stages) Rank(ctx context.Context, query string, hits []Hit) error {
	for _, stage := range s {
		if err := stage.Rank(ctx, query, hits); err != nil {
			return err
		}
	}
	return nil
}

var (
	_ Ranker = Rescore(nil)
	_ Ranker = Stages(nil)
)
