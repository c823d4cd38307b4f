// Package dynamic describes in numbers how the words of a query stand in a document: stream by stream, that is, in its
// URL, title, headings, body, and the texts of links to it. A second stage scores by them, with weights that are set
// by hand or learnt; rank/linear has such models, and rank/recipe some that are ready.
//
// The texts are those of the hits, so the fields must be stored, and index.Rerank.Fields must name them; its Text is
// the query as typed.
//
// Where to look:
//
//	streams.go  which streams there are, and what is asked of each
//	match.go    the numbers of one stream
package dynamic
