// Package collect keeps the best of the matches that package exec finds: by score, or in
// an order by columns, few of a group; it counts them, and says how to go on behind a page.
//
// Where to look:
//
//	answer.go      what is asked for, and what is answered
//	collector.go   from matches to the best of them; topk.go: those of a segment;
//	               parallel.go: several segments at a time; scratch.go: memory that is
//	               handed on
//	clauses.go     a query as members of an And: groups of words, filters, what is extra
//	maxscore.go    the best of what words add up to; summand.go: a word of it; branch.go:
//	               what is no word; fields.go: words over several fields; phrase.go
//	allof.go       the best of words that are all required; term.go: of one word
//	arrange.go     matches in an order by columns; sort.go: the order; ladder.go: the best
//	               of them; collapse.go: few of a group
//	facets.go      what is counted over all matches
//	cursor.go      page after page
package collect
