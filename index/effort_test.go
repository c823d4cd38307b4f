package index_test

import (
	"context"
	"errors"
	"testing"

	"github.com/webquarry/quarry/index"
)

// countdown is a context that ends after so many looks at it.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// A search that may answer in part does so, whenever its time ends; others
// fail.
func TestPartial(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{})
	for i := range 4 {
		put(t, ix, numberedDocs(i*1500, i*1500+1500)...)
	}
	q, err := index.Parse("number OR 5* OR /.*7/ OR 12~1", index.ParseOptions{})
	must(t, err)
	for _, sort := range [][]index.SortBy{nil, {{}}} {
		ask := func(ctx context.Context, partial bool) (*index.Results, error) {
			return ix.Search(ctx, q, index.SearchOptions{Limit: 10_000, Sort: sort, Effort: index.Effort{Partial: partial}})
		}
		all, err := ask(t.Context(), false)
		must(t, err)
		right := map[string]float64{}
		for _, h := range all.Hits {
			right[h.Key] = h.Score
		}
		parts, most := 0, 0
		for left := 0; ; left++ {
			_, err := ask(&countdown{t.Context(), left}, false)
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			res, partErr := ask(&countdown{t.Context(), left}, true)
			must(t, partErr)
			for _, h := range res.Hits {
				if right[h.Key] != h.Score {
					t.Fatalf("%s scores %v, not %v", h.Key, h.Score, right[h.Key])
				}
			}
			if !res.Partial {
				if res.Total != all.Total || len(res.Hits) != len(all.Hits) {
					t.Errorf("all is %v, not %v", res.Total, all.Total)
				}
				break
			}
			if err == nil || res.Total.Exact || res.Total.Value > all.Total.Value {
				t.Errorf("a part has %+v; without Partial: %v", res.Total, err)
			}
			parts, most = parts+1, max(most, len(res.Hits))
		}
		if parts < 5 || most == 0 || most == len(all.Hits) {
			t.Errorf("%d parts, at most %d of %d hits", parts, most, len(all.Hits))
		}
	}
}
