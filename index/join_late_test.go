package index

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/index/query"
)

// Anchors that took long to join are joined less often than was asked for.
func TestAnchorsRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		ix, err := New(Options{Schema: Schema{{Name: "body"}, {Name: "anchor", Anchors: 2}}, AnchorsWithin: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		w, err := ix.Writer()
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(w.Add(ctx, Document{Key: "a", Fields: []Field{{"body", "text"}}}), w.Commit(ctx))
		w.anchors.took = time.Hour
		err = errors.Join(err, w.AddAnchors(ctx, Anchor{Target: "a", Source: "s", Text: "late"}), w.Commit(ctx))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			after time.Duration
			want  int
		}{{9*time.Hour - time.Second, 0}, {time.Second, 1}} {
			time.Sleep(c.after)
			synctest.Wait()
			if res, err := ix.Search(ctx, query.Term{Field: "anchor", Text: "late"}, SearchOptions{}); err != nil || len(res.Hits) != c.want {
				t.Errorf("%v are found, %v; want %d", res, err, c.want)
			}
		}
		if err := errors.Join(w.Close(), ix.Close()); err != nil {
			t.Fatal(err)
		}
	})
}
