// Package suggest completes what somebody types into a search box, and offers a
// better spelling of a query that finds little. Its words are those of an index, so it
// suggests nothing that cannot be found, and learns what is committed.
//
// A [Suggester] needs a field whose terms are whole words, as people write them. A
// stemmed field has none: it would suggest "astronomi". The usual way is a Keyword
// field of its own, filled by [Words]. Two more fields are worth having: titles, which are completed
// as a whole, and pairs of words, which tell "weather forecast" from "wether forecast":
//
//	schema := index.Schema{
//		{Name: "title", Analyzer: "english", Stored: true},
//		{Name: "body", Analyzer: "english", Stored: true},
//		{Name: "word", Kind: index.Keyword},
//		{Name: "name", Kind: index.Keyword},
//		{Name: "pair", Kind: index.Keyword},
//	}
//	doc := index.Document{Key: url, Fields: []index.Field{
//		{Name: "title", Value: title},
//		{Name: "body", Value: text},
//		{Name: "word", Value: suggest.Words(title, text)},
//		{Name: "name", Value: title},
//		{Name: "pair", Value: suggest.Pairs(title, text)},
//	}}
//	s := &suggest.Suggester{Index: ix, Field: "word", Titles: "name", Pairs: "pair"}
//
// Package index/serve shows what it suggests on a search page.
//
//	suggest.go     what a Suggester is
//	complete.go    completion
//	correct.go     did you mean?
//	vocabulary.go  what is read of the index, and when
//	words.go       what is put into the index
package suggest
