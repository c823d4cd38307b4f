// Package sink has ready sinks for the results of a crawl: lines of JSON, rows of
// CSV, the link graph, groups that are committed together, several sinks at once. Archives are
// written by package crawler/warc. An index is filled by [Into], so that this
// package knows of none.
//
// All keep the promise of [crawler.Sink]: when Put returns nil, the page is on
// the disk. Those who put at the same time share the wait for it.
//
// Where to look:
//
//	batch.go  how are pages committed in groups, to an index for instance?
//	tee.go    how do pages go to several sinks?
//	jsonl.go  how do pages become lines of a file?
//	csv.go    how do they become rows of a table?
//	tail.go   what of such a file does a crash leave?
//	record.go what is in a line?
//	links.go  who links to whom?
//	graph.go  how is that read back?
package sink
