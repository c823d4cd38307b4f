// Package query is what an index can be asked: a tree of plain values, which a program
// builds, or which [Parse] and [ParseLenient] read from text.
//
//	query.And{query.Match{Text: "vacuum"}, query.Not{Query: query.Term{Field: "site", Text: "old.example.org"}}}
//
// Package index answers such a tree and package highlight shows where a text matches it.
// This package knows neither documents nor their words.
//
// Where to look:
//
//	query.go        what a query is, what it says of itself, and walks over trees of them
//	words.go        words and phrases
//	combine.go      queries made of others
//	pattern.go      words by a pattern, and words with typing errors
//	typos.go        words whose typing errors are forgiven
//	range.go        values from one to another
//	like.go         documents like a given one; knn.go: those with the nearest vectors
//	parse.go        the language, and how a text is read: parse_sequence.go: clauses side
//	                by side; parse_clause.go: one with its signs; parse_word.go: a word;
//	                parse_joined.go: words joined by signs; parse_pattern.go: patterns;
//	                parse_range.go: ranges
//	schema.go       what a reader of text knows of the fields
//	print.go        what printing a query takes: signs, quotes, parentheses
//	errors.go       a query that cannot be read or answered
//	warning.go      what was asked in vain
package query
