// Package index keeps documents, on disk or in memory, and answers queries over
// them: the best first, by BM25 or any other [rank.Scorer].
//
// A [Document] is fields of text under a key, such as the URL of a page; the
// [Schema] says how each field is searched. The one [Writer] adds, replaces and
// deletes documents; what it commits appears in one step and survives a crash.
// Readers, also those of other processes, hold a [Snapshot] of one commit, which
// never changes, and never wait for the writer. A [query.Query] is a tree of plain
// values; [query.Parse] and [query.ParseLenient] read one from text.
//
// Scores are exact: they come from the statistics of all live documents and do
// not depend on how these lie in segments, on what was deleted, or on merges.
// Equal scores are in the order of keys.
//
// Numbers in options have one convention: 0 is what the field says it is, a negative number
// is none, and math.MaxInt is all. Where there is no none, a negative number is the least
// there is, or an error, as the field says.
//
// The package holds no ranking formula (see package rank), fetches nothing, and
// does not know what a page is. A single folder is read by many processes on one
// machine; it is not a network service.
//
// Where to look:
//
//	index.go       opening, creating, searching what is newest
//	options.go     what can be configured; order.go: how documents lie in segments;
//	               effort.go: what a search may cost
//	schema.go      what fields there are, and which of them a query searches that names none
//	document.go    what is put in; anchors.go: what others say of it
//	query/         what can be asked, as values and as text
//	results.go     what is answered, the contract of a search: in which order, how many hits
//	               of a kind; facet/: what to count; rerank.go: second stages
//	errors.go      what can go wrong
//	snapshot.go    what a reader holds; reading back a document
//	termstats.go   statistics of several shards, for scores as of one index
//	terms.go       the vocabulary; stats.go: how much there is
//	backup.go      a copy, while the writer goes on; salvage.go: what damage leaves
//	explain.go     why a document scores what it does
//	highlight/     the part of a text that answers a query
//
// How a document gets in:
//
//	writer.go      adding, deleting, committing; faults
//	analyse.go     from values to tokens
//	gather.go      side by side into memory; flush.go: from memory to a segment
//	parts.go       from segments to a commit
//	unchanged.go   what need not be indexed again
//	fresh.go       committing without being asked
//	merging.go     merging beside the writer; policy.go: what is merged when
//	set.go         columns that are set later
//	anchor_files.go where anchors are kept until a commit
//	join.go        from anchors to a field of the documents that they lead to
//
// How a query is answered:
//
//	search.go      from a query to an answer; hits.go, column_show.go: the keys and fields
//	               of hits; snippets.go
//
// The rooms below, from the bottom up:
//
//	internal/segment  segments, byte by byte; beside it their parts
//	internal/vector   vectors, and the graph by which the nearest are found
//	internal/schema   fields in plain types, and values of columns as numbers
//	internal/fault    damaged files, files that cannot be read any more, panics
//	internal/commit   what a commit is, byte by byte, and its files, open for reading
//	internal/links    which anchors a document keeps, and their files
//	internal/repair   what can be read of a damaged index
//	internal/exec     from a query to iterators over its matches, with scores and bounds
//	internal/collect  from matches to the best of them: pruning, orders, facets, cursors
package index
