// Package eval measures how good rankings are, by the judgements of people: a
// [Run] holds what was found for each query, [Qrels] hold how relevant
// documents are, and [Evaluate] gives nDCG, MAP and the like, each equal to what
// trec_eval gives for the same files.
//
// [Compare] says whether one run is better than another, or only luckier.
//
// The package reads the files in which test collections come: TREC, BEIR, SMART
// and JSON lines. It searches nothing itself: a run comes from a file, or from
// an index, query by query.
//
// Where to look:
//
//	run.go          what was found; the files of TREC, read and written
//	qrels.go        what is relevant; the same
//	measure.go      which measures there are
//	parse.go        what they are called, "ndcg@10" and "ndcg_cut_10"
//	evaluate.go     measuring a run: which queries count, and as what
//	ranking.go      one query seen by its judges; the rules of trec_eval for ties
//	formulas.go     the measures, one function each
//	compare.go      two runs beside each other
//	significance.go t-test and randomisation test
//	wilcoxon.go     the signed-rank and the sign test; many comparisons
//	page.go         a report as a page of HTML, with plots
//	interleave.go   two rankings shown as one
//	clicks.go       people who click, simulated, and what a log of clicks tells
//	collection.go   documents and queries of a test collection; JSON lines
//	smart.go        those of SMART; smart_qrels.go: its judgements
//	blocks.go       those of LISA, NPL and TREC
//	lines.go        lines of text and what is wrong with them
package eval
