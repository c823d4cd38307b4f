package index_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

func foundBy(res *index.Results) (keys []string) {
	for _, h := range res.Hits {
		keys = append(keys, h.Key)
	}
	slices.Sort(keys)
	return keys
}

// A field that is NamedOnly, or has the weight 0 in a search, is searched only by what
// names it; a weight brings one in again. Filters that are remembered know the difference.
func TestWeights(t *testing.T) {
	t.Parallel()
	schema := index.Schema{{Name: "title", Weight: 2}, {Name: "body"}, {Name: "aside", NamedOnly: true, Stored: true}, {Name: "tag", Kind: index.Keyword}}
	doc := func(key, field, text string) index.Document {
		return index.Document{Key: key, Fields: []index.Field{{Name: field, Value: text}}}
	}
	ix := memory(t, index.Options{Schema: schema, KeepFilters: 8}, doc("t", "title", "red shoe"), doc("b", "body", "red hat"), doc("a", "aside", "red coat"), doc("n", "body", "nothing"))
	red := query.Match{Text: "red"}
	for range 3 { // the third time filters are remembered
		for _, c := range []struct {
			weights map[string]float64
			q       query.Query
			want    []string
		}{
			{nil, red, []string{"b", "t"}},
			{nil, query.Match{Field: "aside", Text: "red"}, []string{"a"}},
			{nil, query.Or{query.Prefix{Text: "re"}, query.Fuzzy{Text: "rad", Distance: 1}, query.Phrase{Text: "red coat"}}, []string{"b", "t"}},
			{map[string]float64{"title": 0}, red, []string{"b"}},
			{map[string]float64{"title": 0}, query.Match{Field: "title", Text: "red"}, []string{"t"}},
			{map[string]float64{"aside": 1}, red, []string{"a", "b", "t"}},
			{map[string]float64{"title": 0, "body": 0, "aside": 3}, red, []string{"a"}},
			{map[string]float64{"title": 0, "body": 0}, red, nil},
		} {
			for _, scorer := range []rank.Scorer{rank.BM25{}, nil} {
				for _, q := range []query.Query{c.q, query.Constant{Query: query.Or{c.q, c.q, query.Match{Text: "none"}}, Score: 1}} {
					res, err := ix.Search(t.Context(), q, index.SearchOptions{Weights: c.weights, Scorer: scorer})
					if err != nil || !slices.Equal(foundBy(res), c.want) {
						t.Errorf("%s by %v: %v, want %v; %v", q, c.weights, foundBy(res), c.want, err)
					}
				}
			}
		}
	}
	plain, err := ix.Search(t.Context(), red, index.SearchOptions{Scorer: rank.BM25{}})
	must(t, err)
	double, err := ix.Search(t.Context(), red, index.SearchOptions{Scorer: rank.BM25{}, Weights: map[string]float64{"title": 4, "body": 2}})
	must(t, err)
	for i, h := range double.Hits {
		if h.Key != plain.Hits[i].Key || h.Score != 2*plain.Hits[i].Score {
			t.Errorf("%v, twice as much %v", plain.Hits[i], h)
		}
	}
	for name, w := range map[string]float64{"none": 1, "tag": 1, "title": -1, "body": math.NaN(), "aside": math.Inf(1)} {
		_, err := ix.Search(t.Context(), red, index.SearchOptions{Weights: map[string]float64{name: w}})
		if e, ok := errors.AsType[*index.SchemaError](err); !ok || e.Field != name {
			t.Errorf("weight %v of %s: %v", w, name, err)
		}
	}
	if _, err := index.New(index.Options{Schema: index.Schema{{Name: "n", Kind: index.Keyword, NamedOnly: true}}}); err == nil {
		t.Error("a keyword field that is NamedOnly")
	}
}

// Whether a field is NamedOnly can be changed, and is kept.
func TestNamedOnlyIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		schema index.Schema
		want   int
	}{
		{index.Schema{{Name: "a"}, {Name: "b"}}, 1}, {index.Schema{{Name: "b", NamedOnly: true}}, 0}, {nil, 0}, {index.Schema{{Name: "b"}}, 1},
	} {
		ix, err := index.Open(dir, index.Options{Schema: c.schema})
		must(t, err)
		put(t, ix, index.Document{Key: "k", Fields: []index.Field{{Name: "b", Value: "word"}}})
		res, err := ix.Search(t.Context(), query.Match{Text: "word"}, index.SearchOptions{})
		if err != nil || res.Total.Value != c.want {
			t.Errorf("%+v: %v hits, %v", c.schema, res.Total, err)
		}
		must(t, ix.Close())
	}
}
