package index_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/indextest"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

type rankerFunc func(ctx context.Context, query string, hits []rank.Hit) error

func (f rankerFunc) Rank(ctx context.Context, query string, hits []rank.Hit) error {
	return f(ctx, query, hits)
}

// ranked20 is an index of twenty documents whose numbers fall as their scores rise.
func ranked20(t *testing.T) *index.Index {
	var docs []index.Document
	for i := range 20 {
		docs = append(docs, index.Document{Key: fmt.Sprintf("%02d", i), Fields: []index.Field{{Name: "body", Value: strings.Repeat("word ", i+1) + "end"}, {Name: "n", Value: 100 - i}}})
	}
	return memory(t, index.Options{Schema: index.Schema{{Name: "body", Stored: true}, {Name: "n", Kind: index.Integer}}}, docs...)
}

func TestRerank(t *testing.T) {
	t.Parallel()
	ix := ranked20(t)
	q := query.Match{Text: "word"}
	plain, err := ix.Search(t.Context(), q, index.SearchOptions{Limit: 20})
	must(t, err)
	var told string
	byNumber := rank.Rescore(func(text string, h rank.Hit) float64 {
		told = text
		if len(h.Fields) != 1 {
			t.Errorf("a hit has the fields %v", h.Fields)
		}
		return float64(h.Fields["n"].(int64))
	})
	opt := index.SearchOptions{Rerank: index.Rerank{By: byNumber, Depth: 8, Fields: []string{"n"}}, Snippets: map[string]highlight.Options{"body": {}}}
	var got []string
	for offset := 0; offset < 24; offset += 6 {
		opt.Offset, opt.Limit = offset, 6
		res, err := ix.Search(t.Context(), q, opt)
		must(t, err)
		if res.Total != plain.Total || res.Next != "" {
			t.Errorf("%v documents, Next %q", res.Total, res.Next)
		}
		for _, h := range res.Hits {
			got = append(got, h.Key)
			if len(h.Fields) > 0 || len(h.Snippets["body"].Spans) == 0 {
				t.Errorf("%+v has fields that were not asked for, or no snippet", h)
			}
			if at := len(got) - 1; at < 8 && h.Score != float64(81+7-at) || at >= 8 && h.Score != plain.Hits[at].Score {
				t.Errorf("hit %d, %s, has the score %v", at, h.Key, h.Score)
			}
		}
	}
	var want []string
	for _, h := range plain.Hits {
		want = append(want, h.Key)
	}
	slices.Reverse(want[:8])
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if told != q.String() {
		t.Errorf("the stage was told %q", told)
	}
	opt.Rerank.Text, opt.Fields, opt.Offset = "as typed", []string{"n"}, 0
	res, err := ix.Search(t.Context(), q, opt)
	must(t, err)
	if told != "as typed" || res.Hits[0].Fields["n"] != int64(88) {
		t.Errorf("told %q, %+v", told, res.Hits[0])
	}
	for depth, wantFirst := range map[int]string{-1: plain.Hits[0].Key, 0: "00", math.MaxInt: "00"} {
		res, err := ix.Search(t.Context(), q, index.SearchOptions{Limit: 3, Rerank: index.Rerank{By: byNumber, Depth: depth, Fields: []string{"n"}}})
		if err != nil || len(res.Hits) != 3 || res.Hits[0].Key != wantFirst {
			t.Errorf("depth %d: %v %v", depth, res, err)
		}
	}
}

// A stage that fails, panics or returns other hits fails the search, and one that a done
// context ends leaves the hits as they were where part of an answer will do.
func TestRerankFails(t *testing.T) {
	t.Parallel()
	ix := ranked20(t)
	q := query.Match{Text: "word"}
	broken := errors.New("broken")
	search := func(ctx context.Context, opt index.SearchOptions, f rankerFunc) (*index.Results, error) {
		opt.Rerank.By = f
		return ix.Search(ctx, q, opt)
	}
	for name, f := range map[string]rankerFunc{
		"error": func(context.Context, string, []rank.Hit) error { return broken },
		"panic": func(context.Context, string, []rank.Hit) error { panic(broken) },
		"twice": func(_ context.Context, _ string, hits []rank.Hit) error { hits[0] = hits[1]; return nil },
		"other": func(_ context.Context, _ string, hits []rank.Hit) error { hits[0].Key = "other"; return nil },
	} {
		res, err := search(t.Context(), index.SearchOptions{}, f)
		if err == nil || res != nil || name == "error" && !errors.Is(err, broken) {
			t.Errorf("%s: %v, %v", name, res, err)
		}
	}
	for _, partial := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		res, err := search(ctx, index.SearchOptions{Effort: index.Effort{Partial: partial}}, func(ctx context.Context, _ string, hits []rank.Hit) error {
			hits[0].Score = 1000
			cancel(broken)
			return context.Cause(ctx)
		})
		if partial && (err != nil || !res.Partial || res.Hits[0].Score == 1000) || !partial && !errors.Is(err, broken) {
			t.Errorf("partial %v: %v, %v", partial, res, err)
		}
	}
	leave := func(context.Context, string, []rank.Hit) error { return nil }
	for _, opt := range []index.SearchOptions{{Sort: []index.SortBy{{Field: "n"}}}, {After: "x"}} {
		if _, err := search(t.Context(), opt, leave); !errors.As(err, new(*query.Error)) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	for _, opt := range []index.SearchOptions{{Fields: []string{"none"}}, {Rerank: index.Rerank{Fields: []string{"none"}}}, {Snippets: map[string]highlight.Options{"none": {}}}} {
		if _, err := search(t.Context(), opt, leave); !errors.As(err, new(*index.SchemaError)) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	if res, err := search(t.Context(), index.SearchOptions{Limit: -1}, func(context.Context, string, []rank.Hit) error { return broken }); err != nil || res.Total.Value != 20 {
		t.Errorf("counting: %v, %v", res, err)
	}
}

// A stage that changes nothing changes no answer.
func TestRerankOfNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	var docs []index.Document
	for range 100 {
		docs = append(docs, indextest.RandomDocument(r, 80))
	}
	ix := memory(t, indextest.Options(), docs...)
	for range 100 {
		q := indextest.RandomQuery(r, 2)
		opt := index.SearchOptions{Limit: 1 + r.IntN(20), Offset: r.IntN(30), Fields: []string{"title", "price"}, Snippets: map[string]highlight.Options{"body": {}}}
		if r.IntN(2) == 0 {
			opt.Collapse.Field, opt.Facets = "host", map[string]facet.Facet{"x": facet.Terms{Field: "label"}}
		}
		want, err := ix.Search(t.Context(), q, opt)
		must(t, err)
		opt.Rerank = index.Rerank{By: rankerFunc(func(context.Context, string, []rank.Hit) error { return nil }), Depth: 1 + r.IntN(40), Fields: []string{"year"}}
		got, err := ix.Search(t.Context(), q, opt)
		must(t, err)
		got.Took, want.Took, want.Next = 0, 0, ""
		for _, res := range []*index.Results{got, want} {
			for i := range res.Hits {
				if len(res.Hits[i].Fields) == 0 {
					res.Hits[i].Fields = nil
				}
			}
		}
		if len(got.Hits) == 0 && len(want.Hits) == 0 {
			got.Hits, want.Hits = nil, nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s by %+v\n got %+v\nwant %+v", q, opt, got, want)
		}
	}
}
