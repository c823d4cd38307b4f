package index_test

import (
	"context"
	"fmt"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// Texts of links are found on other pages, before and after the page that they
// lead to is indexed.
func ExampleWriter_AddAnchors() {
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "body", Stored: true},
		{Name: "anchor", Weight: 2, Anchors: 2}, // at most two texts of each host
	}})
	check(err)
	defer ix.Close()
	w, err := ix.Writer()
	check(err)
	defer w.Close()
	ctx := context.Background()
	const target = "https://example.com/kettles/4711"
	check(w.AddAnchors(ctx, index.Anchor{Target: target, Source: "https://shop.example/", Text: "the red kettle"}))
	check(w.Add(ctx, index.Document{Key: target, Fields: []index.Field{{Name: "body", Value: "Boils a litre in two minutes."}}}))
	check(w.AddAnchors(ctx, index.Anchor{Target: target, Source: "https://tea.example/", Text: "a kettle that we like"}))
	check(w.Commit(ctx))

	res, err := ix.Search(ctx, query.Match{Text: "red kettle"}, index.SearchOptions{Fields: []string{"body"}})
	check(err)
	fmt.Println(res.Hits[0].Key, res.Hits[0].Text("body"))
	s, err := ix.Snapshot()
	check(err)
	defer s.Close()
	anchors, err := s.Anchors(target)
	check(err)
	for _, a := range anchors {
		fmt.Println(a.Source, a.Text)
	}
	// Output:
	// https://example.com/kettles/4711 Boils a litre in two minutes.
	// https://shop.example/ the red kettle
	// https://tea.example/ a kettle that we like
}

// A page that has moved takes the links to it along.
func ExampleSnapshot_Anchors() {
	ix, err := index.New(index.Options{Schema: index.Schema{{Name: "body"}, {Name: "anchor", Anchors: 2}}})
	check(err)
	defer ix.Close()
	w, err := ix.Writer()
	check(err)
	defer w.Close()
	ctx := context.Background()
	check(w.AddAnchors(ctx, index.Anchor{Target: "https://old.example/", Source: "https://tea.example/", Text: "kettles"}))
	check(w.Add(ctx, index.Document{Key: "https://new.example/"}))
	check(w.Commit(ctx))

	s, err := ix.Snapshot()
	check(err)
	defer s.Close()
	anchors, err := s.Anchors("https://old.example/")
	check(err)
	for i := range anchors {
		anchors[i].Target = "https://new.example/"
	}
	check(w.AddAnchors(ctx, anchors...))
	check(w.DeleteAnchors(ctx, "https://old.example/"))
	check(w.Commit(ctx))

	res, err := ix.Search(ctx, query.Match{Field: "anchor", Text: "kettles"}, index.SearchOptions{})
	check(err)
	fmt.Println(res.Total.Value, res.Hits[0].Key)
	// Output:
	// 1 https://new.example/
}
