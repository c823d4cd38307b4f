package index_test

import (
	"context"
	"fmt"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// An index whose searches add a static rank has the best pages first in its
// segments: what it finds is the same, and found sooner.
func ExampleOrder() {
	ix, err := index.New(index.Options{
		Schema:      index.Schema{{Name: "body"}, {Name: "rank", Kind: index.Float}},
		Order:       index.ByColumn,
		OrderColumn: "rank",
	})
	if err != nil {
		panic(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		panic(err)
	}
	defer w.Close()
	ctx := context.Background()
	for key, r := range map[string]float64{"https://a.example/": 0.2, "https://b.example/": 7, "https://c.example/": 7} {
		d := index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: "a page"}, {Name: "rank", Value: r}}}
		if err := w.Add(ctx, d); err != nil {
			panic(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		panic(err)
	}
	res, err := ix.Search(ctx, query.Match{Text: "page"}, index.SearchOptions{
		Static:    []index.Static{{Field: "rank", Prior: rank.Saturation{Weight: 1, Half: 5}}},
		CountUpTo: 1,
	})
	if err != nil {
		panic(err)
	}
	for _, h := range res.Hits {
		fmt.Println(h.Key)
	}
	// Output:
	// https://b.example/
	// https://c.example/
	// https://a.example/
}
