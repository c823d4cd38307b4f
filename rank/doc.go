// Package rank holds the formulas that order things: what one term is worth in
// one document, and what a second stage makes of the best hits.
//
// It knows numbers only. It never reads an index, a page or a socket, so a
// formula can be tried on a sheet of paper, and its tests do that.
//
// Where to look:
//
//	hit.go      what an answer is, and how answers are ordered
//	score.go    what a Scorer promises to the index that prunes by it
//	idf.go      how much rarity counts
//	bm25.go     BM25, and how to set it up
//	bm25f.go    BM25 over several fields at once
//	bm25plus.go BM25+ and BM25L, for long documents
//	dfr.go      divergence from randomness: In_expB2, PL2, DPH
//	lm.go       query likelihood: Dirichlet, Jelinek-Mercer
//	prior.go    what a document is worth whatever the query
//	tfidf.go    the vector space: tf-idf and its cosine
//	names.go    scorers as text
//	explain.go  where a score comes from
//	fusion.go   one list of several: reciprocal rank, CombSUM, CombMNZ
//	diversity.go unlike hits first, few of a host on a page
//	features.go answers in numbers, and second stages by a model of them
//	rescore.go  second stages: score anew, one after another
//	feedback.go words by which to expand a query: RM3, Bo1
//
// Features of texts are in rank/dynamic, those of URLs and pages in rank/static, and linear models of features in rank/linear.
package rank
