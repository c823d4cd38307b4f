package query_test

import (
	"context"
	"fmt"
	"log"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// fewPages is an index of a few documents, for the examples.
func fewPages() *index.Index {
	ix, err := index.New(index.Options{Schema: index.Schema{{Name: "title", Analyzer: "standard", Stored: true}, {Name: "body", Analyzer: "standard", Stored: true}}})
	if err != nil {
		log.Fatal(err)
	}
	w, err := ix.Writer()
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	for key, text := range map[string]string{
		"vacuum":  "Vacuum full rewrites the table",
		"analyze": "Analyze looks at the table, vacuum does not",
		"ranking": "Ranking of full text",
	} {
		if err := w.Add(context.Background(), index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: text}}}); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Commit(context.Background()); err != nil {
		log.Fatal(err)
	}
	return ix
}

// show asks and prints the keys that are found.
func show(ix *index.Index, q query.Query, opt index.SearchOptions) {
	res, err := ix.Search(context.Background(), q, opt)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(q, ":")
	for _, hit := range res.Hits {
		fmt.Print(" ", hit.Key)
	}
	fmt.Println()
}

func ExampleWildcard() {
	ix := fewPages()
	defer ix.Close()
	show(ix, query.Wildcard{Field: "body", Pattern: "*uum"}, index.SearchOptions{})
	show(ix, query.Wildcard{Field: "body", Pattern: "t?xt"}, index.SearchOptions{})
	// Output:
	// body:*uum: vacuum analyze
	// body:t?xt: ranking
}

func ExampleRegexp() {
	ix := fewPages()
	defer ix.Close()
	show(ix, query.Regexp{Field: "body", Pattern: "rank(s|ing)|rewrites?"}, index.SearchOptions{})
	// Output:
	// body:/rank(s|ing)|rewrites?/: ranking vacuum
}

// A word with typing errors: how many are forgiven goes by its length.
func ExampleFuzzy() {
	ix := fewPages()
	defer ix.Close()
	show(ix, query.Fuzzy{Text: "vaccum"}, index.SearchOptions{})
	show(ix, query.Fuzzy{Text: "tabel", Distance: 1}, index.SearchOptions{})
	// Output:
	// vaccum~: vacuum analyze
	// tabel~1: vacuum analyze
}

func ExampleAtLeast() {
	ix := fewPages()
	defer ix.Close()
	words := []query.Query{query.Match{Text: "vacuum"}, query.Match{Text: "full"}, query.Match{Text: "text"}}
	show(ix, query.AtLeast{N: 2, Of: words}, index.SearchOptions{})
	// Output:
	// (vacuum OR full OR text)~2: ranking vacuum
}

// More like this.
func ExampleLike() {
	ix := fewPages()
	defer ix.Close()
	show(ix, query.Like{Key: "vacuum"}, index.SearchOptions{})
	// Output:
	// ~"vacuum": analyze ranking
}

// A query is a tree of values, and prints itself in the language of Parse.
func ExampleQuery() {
	q := query.And{
		query.Match{Text: "vacuum"},
		query.Or{
			query.Phrase{Field: "title", Text: "table bloat", Slop: 2},
			query.Boost{Query: query.Prefix{Text: "autovac"}, By: 0.5},
		},
		query.Not{Query: query.Term{Field: "site", Text: "old.example.org"}},
	}
	fmt.Println(q)
	// Output:
	// vacuum AND (title:"table bloat"~2 OR autovac*^0.5) AND -site:="old.example.org"
}

func ExampleLeaves() {
	q, _ := query.ParseLenient(`"table bloat" autovac* (vacuum OR title:full) -old`, query.ParseOptions{Schema: query.Names{"title"}})
	for leaf := range query.Leaves(q) {
		fmt.Println(leaf)
	}
	// Output:
	// autovac*
	// "table bloat"
	// vacuum
	// title:full
}
