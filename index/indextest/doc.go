// Package indextest holds what an index must do, in three forms: a twin that is
// slow and obviously right, a contract suite for everything that keeps
// documents and answers queries, and random documents and queries to compare
// the two with. It is for tests; it is no index to use.
//
// Where to look:
//
//	twin.go      a searcher without an index: documents in a map
//	eval.go      which documents match, and what they score
//	pattern.go   which terms a pattern stands for; like.go: which words tell most
//	combine.go   what a leaf scores over all fields at once
//	phrase.go    how often words stand together
//	contract.go  the suite: Test; matching.go and scoring.go: its cases
//	random.go    documents and queries by chance
package indextest
