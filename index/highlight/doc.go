// Package highlight shows where a text answers a query: [New] makes a [Snippet], the
// passages with the words of the query, and where these stand in them.
//
// It is for texts that are at hand. Package index makes the snippets of hits by it, with
// the analyzers of their fields.
//
// Where to look:
//
//	snippet.go     what a snippet is, and how it is put together
//	match.go       where a text has the words and phrases of a query
//	cut.go         which passages are shown
//	cluster.go     where a text may be cut
package highlight
