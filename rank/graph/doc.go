// Package graph ranks pages by the links between them: PageRank, harmonic
// centrality, HITS, and what is made of these for a search.
//
// [Build] makes a [Graph] of a stream of edges, also of one that is larger than memory. Nodes
// are numbers from 0 up; [Names] gives them to URLs, and [Graph.Grouped] makes
// of a graph of pages that of their hosts. All results are the same to the last bit,
// however many processors there are.
//
// It knows no index and no crawler. What it makes is a number for each node, for
// an index as the values of a column (see index.Static), for a crawler as a priority.
//
// Where to look:
//
//	graph.go     how a graph lies in memory, and what can be asked of it
//	build.go     from a stream of edges to a graph
//	runs.go      edges that wait on disk, sorted
//	names.go     numbers for URLs, and the graph of their hosts
//	pagerank.go  PageRank, personalised and weighted; TrustRank
//	harmonic.go  harmonic centrality, exact and estimated
//	hits.go      hubs and authorities
//	scale.go     numbers made fit for a score
//	opic.go      which page to crawl next, while the graph is found
//	rows.go      work on the rows of a graph side by side
package graph
