package index_test

import (
	"fmt"

	"github.com/webquarry/quarry/index"
)

// A query is a tree of values, and prints itself in the language of Parse.
func ExampleQuery() {
	q := index.And{
		index.Match{Text: "vacuum"},
		index.Or{
			index.Phrase{Field: "title", Text: "table bloat", Slop: 2},
			index.Boost{Query: index.Prefix{Text: "autovac"}, By: 0.5},
		},
		index.Not{Query: index.Term{Field: "site", Text: "old.example.org"}},
	}
	fmt.Println(q)
	// Output:
	// vacuum AND (title:"table bloat"~2 OR autovac*^0.5) AND -site:="old.example.org"
}

func ExampleLeaves() {
	q, _ := index.ParseLenient(`"table bloat" autovac* (vacuum OR title:full) -old`, index.ParseOptions{Fields: []string{"title"}})
	for leaf := range index.Leaves(q) {
		fmt.Println(leaf)
	}
	// Output:
	// "table bloat"
	// autovac*
	// vacuum
	// title:full
}
