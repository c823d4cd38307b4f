package ltr

import (
	"context"
	"fmt"
	"slices"

	"github.com/webquarry/quarry/rank"
)

// Ranker orders hits by a model: it is what a search is given as index.Rerank. Its Fields are
// those that the extractor reads, and its Text what was typed.
type Ranker struct {
	model *Model
	x     *Extractor
	from  []int // where the features of the model stand among those of the extractor
}

var _ rank.Ranker = (*Ranker)(nil)

// NewRanker makes a Ranker. The features of the model are found among those of the extractor by name; one that
// is not there, and two of one name, are an [*InputError].
func NewRanker(m *Model, x *Extractor) (*Ranker, error) {
	r := &Ranker{model: m, x: x}
	names := x.Features()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, &InputError{fmt.Sprintf("the extractor makes two features of the name %q", clip(name))}
		}
	}
	for _, name := range m.Features {
		at := slices.Index(names, name)
		if at < 0 {
			return nil, &InputError{fmt.Sprintf("the model has the feature %q, which the extractor does not make", clip(name))}
		}
		r.from = append(r.from, at)
	}
	return r, nil
}

// Rank implements rank.Ranker. The hits must come the best first, as a search has them.
func (r *Ranker) Rank(ctx context.Context, query string, hits []rank.Hit) error {
	rows, err := r.rows(ctx, query, hits)
	if err != nil {
		return err
	}
	for i, row := range rows {
		hits[i].Score = r.model.Score(row)
	}
	rank.Sort(hits)
	return nil
}

// rows returns the features of the model for each hit.
func (r *Ranker) rows(ctx context.Context, query string, hits []rank.Hit) ([][]float64, error) {
	all, err := r.x.Extract(ctx, query, hits)
	if err != nil {
		return nil, err
	}
	rows := make([][]float64, len(all))
	for i := range all {
		rows[i] = make([]float64, len(r.from))
		for j, at := range r.from {
			rows[i][j] = all[i][at]
		}
	}
	return rows, nil
}

// Explain tells where the score that Rank gives each hit comes from. The hits are those that Rank was given, in the same order, and
// stay as they are.
func (r *Ranker) Explain(ctx context.Context, query string, hits []rank.Hit) ([]rank.Explanation, error) {
	rows, err := r.rows(ctx, query, hits)
	if err != nil {
		return nil, err
	}
	out := make([]rank.Explanation, len(rows))
	for i, row := range rows {
		out[i] = r.model.Explain(row)
	}
	return out, nil
}
