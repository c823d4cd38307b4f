// Package facet says what to count over all documents that a query matches:
// how many there are of each shop, in each range of prices, in each month, and
// the least, greatest and mean of a number. It is the questions and the
// answers, as plain values; package index answers them, while it searches, in
// the same pass over the matches:
//
//	res, err := ix.Search(ctx, q, index.SearchOptions{Facets: map[string]facet.Facet{
//		"shops":  facet.Terms{Field: "shop"},
//		"prices": facet.Ranges{Field: "price", Bounds: []float64{10, 50, 100}},
//	}})
//	for _, b := range res.Facets["shops"].Buckets { ... }
//
// The field of a facet is a column: an Integer, Float or Time, or a Keyword with
// a column. All counts are exact. A search with facets looks at every match.
//
// Where to look:
//
//	facet.go    what can be asked
//	result.go   what is answered
package facet
