package index_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// benchOffers is an index of 200,000 offers in several segments.
func benchOffers(b *testing.B) *index.Index {
	b.Helper()
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "title"}, {Name: "price", Kind: index.Float}, {Name: "seen", Kind: index.Time}, {Name: "rank", Kind: index.Float},
		{Name: "shop", Kind: index.Keyword, Column: true}, {Name: "tags", Kind: index.Keyword, Column: true},
	}})
	must(b, err)
	w, err := ix.Writer()
	must(b, err)
	defer w.Close()
	r := rand.New(rand.NewPCG(1, 1))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 200_000 {
		must(b, w.Add(b.Context(), index.Document{Key: fmt.Sprintf("https://shop%d.example/%d", i%200, i), Fields: []index.Field{
			{Name: "title", Value: fmt.Sprintf("offer w%d w%d w%d", r.IntN(10), r.IntN(100), r.IntN(10_000))},
			{Name: "price", Value: float64(r.IntN(100_000)) / 100},
			{Name: "seen", Value: start.Add(time.Duration(r.IntN(200*24)) * time.Hour)},
			{Name: "rank", Value: r.Float64() * r.Float64()},
			{Name: "shop", Value: fmt.Sprintf("shop%d", i%200)},
			{Name: "tags", Value: []string{fmt.Sprint("t", r.IntN(50)), fmt.Sprint("t", r.IntN(50))}},
		}}))
		if i%50_000 == 49_999 {
			must(b, w.Commit(b.Context()))
		}
	}
	return ix
}

func BenchmarkColumns(b *testing.B) {
	ix := benchOffers(b)
	word, all := query.Match{Text: "w3"}, query.All{}
	byPrice := []index.SortBy{{Field: "price"}}
	static := []index.Static{{Field: "rank", Prior: rank.Saturation{Weight: 3}}}
	or := query.Or{query.Match{Text: "w3"}, query.Match{Text: "w55"}, query.Match{Text: "offer"}}
	for _, c := range []struct {
		name string
		q    query.Query
		opt  index.SearchOptions
	}{
		{"sort", all, index.SearchOptions{Sort: byPrice}},
		{"sort/uncounted", all, index.SearchOptions{Sort: byPrice, CountUpTo: 1}},
		{"sort/word", word, index.SearchOptions{Sort: byPrice}},
		{"sort/shop", all, index.SearchOptions{Sort: []index.SortBy{{Field: "shop"}, {Field: "price"}}}},
		{"range/count", query.Between("price", 100, 300), index.SearchOptions{Limit: -1}},
		{"range/word", query.And{word, query.Between("price", 100, 300)}, index.SearchOptions{}},
		{"range/days", query.And{word, query.Between("seen", "2026-03-01", "2026-03-07")}, index.SearchOptions{}},
		{"collapse", word, index.SearchOptions{Collapse: index.Collapse{Field: "shop"}}},
		{"collapse/uncounted", word, index.SearchOptions{Collapse: index.Collapse{Field: "shop"}, CountUpTo: 1}},
		{"facet/terms", all, index.SearchOptions{Facets: map[string]facet.Facet{"f": facet.Terms{Field: "shop"}}}},
		{"facet/tags", all, index.SearchOptions{Facets: map[string]facet.Facet{"f": facet.Terms{Field: "tags"}}}},
		{"facet/ranges", all, index.SearchOptions{Facets: map[string]facet.Facet{"f": facet.Ranges{Field: "price", Bounds: []float64{10, 100, 500}}}}},
		{"facet/months", all, index.SearchOptions{Facets: map[string]facet.Facet{"f": facet.Dates{Field: "seen", Every: facet.Month}}}},
		{"facet/numbers", all, index.SearchOptions{Facets: map[string]facet.Facet{"f": facet.Numbers{Field: "price"}}}},
		{"static/none", or, index.SearchOptions{CountUpTo: 1}},
		{"static/or", or, index.SearchOptions{Static: static, CountUpTo: 1}},
		{"static/word", word, index.SearchOptions{Static: static, CountUpTo: 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				_, err := ix.Search(b.Context(), c.q, c.opt)
				must(b, err)
			}
		})
	}
}

func BenchmarkSet(b *testing.B) {
	ix := benchOffers(b)
	w := writer(b, ix)
	b.Run("commit", func(b *testing.B) { // one value in each of some segments
		for i := 0; b.Loop(); i++ {
			_, err := w.Set(b.Context(), fmt.Sprintf("https://shop%d.example/%d", i%200, i%200_000), index.Field{Name: "rank", Value: 0.5})
			must(b, err, w.Commit(b.Context()))
		}
	})
}

// Documents that are there already as they are.
func BenchmarkUnchanged(b *testing.B) {
	opt := index.Options{KeepUnchanged: true, Schema: index.Schema{{Name: "title"}}}
	for i := range 6 {
		opt.Schema = append(opt.Schema, index.FieldType{Name: fmt.Sprint("number", i), Kind: index.Integer})
	}
	ix, err := index.New(opt)
	must(b, err)
	w := writer(b, ix)
	docs := make([]index.Document, 50_000)
	for i := range docs {
		docs[i] = index.Document{Key: fmt.Sprintf("https://shop%d.example/%d", i%200, i), Fields: []index.Field{{Name: "title", Value: fmt.Sprint("offer ", i)}}}
		for n := range 6 {
			docs[i].Fields = append(docs[i].Fields, index.Field{Name: fmt.Sprint("number", n), Value: i * n % 1000})
		}
	}
	must(b, w.Add(b.Context(), docs...), w.Merge(b.Context()))
	for i := 0; b.Loop(); i++ {
		must(b, w.Add(b.Context(), docs[i%len(docs)]))
	}
	if s := w.Stats(); s.Added != len(docs) {
		b.Errorf("%+v", s)
	}
}
