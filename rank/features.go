package rank

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// Features describe answers to a query in numbers, by which a Model scores them. Other packages have
// some: rank/dynamic of how the words of the query stand in the texts of a document, rank/static of its URL and
// its page.
type Features interface {
	// Names are those of the numbers, in their order, each once.
	Names() []string
	// Of returns the numbers of each hit, as many as there are names, all finite. When ctx ends it returns the
	// cause.
	Of(ctx context.Context, query string, hits []Hit) ([][]float64, error)
}

// Model makes a score of features.
type Model interface {
	// Bind returns the function of features that have these names, in this order. It is an error if the model
	// needs one that is not there.
	Bind(names []string) (func(features []float64) float64, error)
}

// ByModel is the Ranker that scores hits by what a Model makes of Features.
type ByModel struct {
	Features Features
	Model    Model
}

// Rank implements [Ranker].
func (b ByModel) Rank(ctx context.Context, query string, hits []Hit) error {
	score, err := b.Model.Bind(b.Features.Names())
	if err != nil {
		return err
	}
	rows, err := b.Features.Of(ctx, query, hits)
	if err != nil {
		return err
	}
	if len(rows) != len(hits) {
		return fmt.Errorf("rank: %T describes %d hits of %d", b.Features, len(rows), len(hits))
	}
	for i, row := range rows {
		hits[i].Score = score(row)
	}
	Sort(hits)
	return nil
}

// FirstStage are the Features that hits bring along:
//
//	score        of the stage before; 0 if it is no finite number
//	score.share  the same, where that of the worst hit is 0 and that of the best 1
//
// and, by their names, the Columns of each: numbers, and times in seconds since 1970. What a hit does not have, or is
// no finite number, is 0.
type FirstStage struct {
	Columns []string
}

// Names implements [Features].
func (f FirstStage) Names() []string {
	return slices.Concat([]string{"score", "score.share"}, f.Columns)
}

// Of implements [Features].
func (f FirstStage) Of(ctx context.Context, _ string, hits []Hit) ([][]float64, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	share := unitScores(hits)
	rows := make([][]float64, len(hits))
	for i, h := range hits {
		rows[i] = append(make([]float64, 0, 2+len(f.Columns)), orZero(h.Score), share(i))
		for _, name := range f.Columns {
			rows[i] = append(rows[i], number(h.Fields[name]))
		}
	}
	return rows, nil
}

func number(v any) float64 {
	switch v := v.(type) {
	case float64:
		return orZero(v)
	case int64:
		return float64(v)
	case int:
		return float64(v)
	case time.Time:
		return float64(v.UnixMicro()) / 1e6
	}
	return 0
}

func orZero(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// AllFeatures are those of several, behind each other.
type AllFeatures []Features

// Names implements [Features].
func (all AllFeatures) Names() (names []string) {
	for _, f := range all {
		names = append(names, f.Names()...)
	}
	return names
}

// Of implements [Features].
func (all AllFeatures) Of(ctx context.Context, query string, hits []Hit) ([][]float64, error) {
	rows := make([][]float64, len(hits))
	for _, f := range all {
		of, err := f.Of(ctx, query, hits)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			rows[i] = append(rows[i], of[i]...)
		}
	}
	return rows, nil
}

var (
	_ Features = FirstStage{}
	_ Features = AllFeatures(nil)
	_ Ranker   = ByModel{}
)
