package index_test

import (
	"context"
	"fmt"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// shop makes an index of offers, with columns.
func shop() *index.Index {
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "title", Stored: true},
		{Name: "price", Kind: index.Float},
		{Name: "seen", Kind: index.Time},
		{Name: "shop", Kind: index.Keyword, Column: true},
	}})
	check(err)
	w, err := ix.Writer()
	check(err)
	defer w.Close()
	ctx := context.Background()
	for i, d := range []struct {
		title, shop string
		price       float64
	}{
		{"red kettle", "north", 19.9}, {"blue kettle", "south", 24.5}, {"kettle, whistling", "north", 34}, {"teapot", "south", 12},
	} {
		check(w.Add(ctx, index.Document{Key: fmt.Sprint("offer-", i), Fields: []index.Field{
			{Name: "title", Value: d.title}, {Name: "shop", Value: d.shop}, {Name: "price", Value: d.price},
			{Name: "seen", Value: time.Date(2026, time.Month(i+1), 15, 12, 0, 0, 0, time.UTC)},
		}}))
	}
	check(w.Commit(ctx))
	return ix
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func ExampleSortBy() {
	ix := shop()
	defer ix.Close()
	res, err := ix.Search(context.Background(), query.Match{Field: "title", Text: "kettle"}, index.SearchOptions{
		Sort:   []index.SortBy{{Field: "price", Descending: true}},
		Fields: []string{"title", "price"},
	})
	check(err)
	for _, h := range res.Hits {
		fmt.Println(h.Text("price"), h.Text("title"))
	}
	// Output:
	// 34 kettle, whistling
	// 24.5 blue kettle
	// 19.9 red kettle
}

func ExampleRange() {
	ix := shop()
	defer ix.Close()
	for _, q := range []query.Query{
		query.Between("price", 15, 30),
		query.Range{Field: "price", To: "19.9", BeforeTo: true},
		query.Range{Field: "seen", From: "2026-02", To: "2026-03"}, // all of both months
	} {
		res, err := ix.Search(context.Background(), q, index.SearchOptions{})
		check(err)
		fmt.Println(q, res.Total.Value)
	}
	// Output:
	// price:[15 TO 30] 2
	// price:[* TO 19.9} 1
	// seen:[2026-02 TO 2026-03] 2
}

func ExampleSearchOptions_facets() {
	ix := shop()
	defer ix.Close()
	res, err := ix.Search(context.Background(), query.All{}, index.SearchOptions{Facets: map[string]facet.Facet{
		"shops":  facet.Terms{Field: "shop"},
		"prices": facet.Ranges{Field: "price", Bounds: []float64{20, 30}},
		"months": facet.Dates{Field: "seen", Every: facet.Quarter},
		"price":  facet.Numbers{Field: "price"},
	}})
	check(err)
	for _, name := range []string{"shops", "prices", "months"} {
		for _, b := range res.Facets[name].Buckets {
			fmt.Printf("%s: %s (%d)\n", name, b.Name, b.Count)
		}
	}
	s := res.Facets["price"].Stats
	fmt.Printf("%g to %g, mean %g\n", s.Min, s.Max, s.Mean)
	// Output:
	// shops: north (2)
	// shops: south (2)
	// prices: below 20 (2)
	// prices: 20 - 30 (1)
	// prices: from 30 (1)
	// months: 2026-Q1 (3)
	// months: 2026-Q2 (1)
	// 12 to 34, mean 22.6
}

func ExampleCollapse() {
	ix := shop()
	defer ix.Close()
	res, err := ix.Search(context.Background(), query.All{}, index.SearchOptions{
		Sort:     []index.SortBy{{Field: "price"}},
		Collapse: index.Collapse{Field: "shop"}, // the cheapest of each
		Fields:   []string{"shop", "price"},
	})
	check(err)
	for _, h := range res.Hits {
		fmt.Println(h.Text("shop"), h.Text("price"))
	}
	// Output:
	// south 12
	// north 19.9
}

// The second page goes on behind the last hit of the first, in the same
// snapshot.
func ExampleSearchOptions_after() {
	ix := shop()
	defer ix.Close()
	s, err := ix.Snapshot()
	check(err)
	defer s.Close()
	opt := index.SearchOptions{Limit: 3, Sort: []index.SortBy{{Field: "price"}}}
	for page := 1; ; page++ {
		res, err := s.Search(context.Background(), query.All{}, opt)
		check(err)
		for _, h := range res.Hits {
			fmt.Println(page, h.Key)
		}
		if opt.After = res.Next; res.Next == "" {
			break
		}
	}
	// Output:
	// 1 offer-3
	// 1 offer-0
	// 1 offer-1
	// 2 offer-2
}

// A price changes without its page: only the column is written anew.
func ExampleWriter_Set() {
	ix := shop()
	defer ix.Close()
	w, err := ix.Writer()
	check(err)
	defer w.Close()
	ctx := context.Background()
	found, err := w.Set(ctx, "offer-1", index.Field{Name: "price", Value: 9.5})
	check(err)
	check(w.Commit(ctx))
	res, err := ix.Search(ctx, query.Match{Text: "blue"}, index.SearchOptions{Fields: []string{"price"}})
	check(err)
	fmt.Println(found, res.Hits[0].Text("price"))
	// Output: true 9.5
}

// Of equally good matches those seen lately come first.
func ExampleStatic() {
	ix := shop()
	defer ix.Close()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	res, err := ix.Search(context.Background(), query.Match{Field: "title", Text: "kettle"}, index.SearchOptions{
		Static: []index.Static{{Field: "seen", Prior: rank.Recency{Weight: 2, Now: now}}},
		Fields: []string{"title", "seen"},
	})
	check(err)
	for _, h := range res.Hits {
		fmt.Println(h.Text("seen")[:10], h.Text("title"))
	}
	// Output:
	// 2026-03-15 kettle, whistling
	// 2026-02-15 blue kettle
	// 2026-01-15 red kettle
}

func ExampleExists() {
	ix := shop()
	defer ix.Close()
	res, err := ix.Search(context.Background(), query.Not{Query: query.Exists{Field: "price"}}, index.SearchOptions{})
	check(err)
	fmt.Println(res.Total.Value)
	// Output: 0
}

func ExampleConstant() {
	ix := shop()
	defer ix.Close()
	res, err := ix.Search(context.Background(), query.Constant{Query: query.Match{Field: "title", Text: "teapot"}, Score: 2}, index.SearchOptions{})
	check(err)
	fmt.Println(res.Hits[0].Score)
	// Output: 2
}
