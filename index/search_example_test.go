package index_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// fewPages is an index of a few documents, for the examples.
func fewPages() *index.Index {
	var docs []index.Document
	for key, text := range map[string]string{
		"vacuum":  "Vacuum full rewrites the table",
		"analyze": "Analyze looks at the table, vacuum does not",
		"ranking": "Ranking of full text",
	} {
		docs = append(docs, index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: text}}})
	}
	return filledIndex(index.Options{}, docs...)
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

// A filter that comes with many searches is remembered by each segment.
func ExampleOptions_keepFilters() {
	ix := filledIndex(index.Options{KeepFilters: 16},
		index.Document{Key: "a", Fields: []index.Field{{Name: "body", Value: "Vacuum of the table"}}},
		index.Document{Key: "b", Fields: []index.Field{{Name: "body", Value: "Vacuum of a tablespace"}}},
		index.Document{Key: "c", Fields: []index.Field{{Name: "body", Value: "Vacuum and analyze"}}})
	defer ix.Close()
	filter := query.Constant{Query: query.Prefix{Field: "body", Text: "tabl"}, Score: 0}
	for _, word := range []string{"vacuum", "of", "tablespace"} {
		show(ix, query.And{query.Match{Text: word}, filter}, index.SearchOptions{})
	}
	// Output:
	// vacuum AND body:tabl*^=0: a b
	// of AND body:tabl*^=0: a b
	// tablespace AND body:tabl*^=0: b
}

// Only the best hits are wanted: what cannot be among them is not looked at, and
// Total is a lower bound beyond 100.
func ExampleSearchOptions_countUpTo() {
	ix := fewPages()
	defer ix.Close()
	res, err := ix.Search(context.Background(), query.Match{Text: "vacuum"}, index.SearchOptions{Limit: 1, CountUpTo: 100})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Hits[0].Key, res.Total.Value, res.Total.Exact)
	// Output: vacuum 2 true
}

// A word that stands in title and body is scored once.
func ExampleSearchOptions_scorer() {
	ix := fewPages()
	defer ix.Close()
	show(ix, query.Match{Text: "table"}, index.SearchOptions{Scorer: rank.BM25F{B: 0.75, Fields: map[string]float64{"title": 0.3}}})
	// Output: table: vacuum analyze
}

// At the deadline the best so far are better than nothing.
func ExampleEffort() {
	ix := fewPages()
	defer ix.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	res, err := ix.Search(ctx, query.Match{Text: "table"}, index.SearchOptions{Effort: index.Effort{Partial: true}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(res.Hits), res.Partial)
	// Output: 2 false
}
