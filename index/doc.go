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
//	schema.go      what fields there are, and how a schema may change; weights.go: which
//	               of them a query searches that names none
//	document.go    what is put in; anchors.go: what others say of it
//	query/         what can be asked, as values and as text
//	sort.go        in which order, and how many hits of a kind; facet/: what to count
//	results.go     what is answered, the contract of a search; rerank.go: second stages
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
//	analyse.go     from values to tokens; language.go: in which language
//	gather.go      side by side into memory; flush.go: from memory to a segment
//	parts.go       from segments to a commit
//	manifest.go    what a commit is, byte by byte
//	unchanged.go   what need not be indexed again
//	fresh.go       committing without being asked
//	merging.go     merging beside the writer; policy.go: what is merged when
//	set.go         columns that are set later; column_file.go: their files
//	anchor_fold.go which anchors a document keeps; anchor_files.go: where
//	join.go        from anchors to a field of the documents that they lead to;
//	internal/      segments, byte by byte: start at internal/segment/format.go
//
// How a query is answered:
//
//	search.go      from a query to an answer; hits.go: the keys and fields of hits
//	plan.go        from a query to the lists it needs: what each node means
//	variants.go    the terms that a pattern stands for; fuzzy.go: those near a word;
//	               sieving.go: what makes finding them quick, beside the searches
//	combine.go     words that score over all fields at once
//	walk_best.go   terms that stand for one word
//	joints.go      words that mean something together
//	like.go        the words that tell a document from others
//	scorer.go      which scorer ranks, and how it is kept with the index
//	word.go        a place of a query, with the statistics that score it
//	walk.go        from lists to matches, in one segment; one file a kind of node
//	phrase.go      whether words stand together, somehow; phrase_exact.go: in a row
//	collect.go     from matches to the best of them; parallel.go: in several
//	               segments at a time; topk.go: those of a segment
//	column.go      queries of columns; value.go: what a value is there
//	walk_range.go  documents by value; walk_marks.go: alternatives that do not score
//	static.go      what columns add to scores
//	arrange.go     matches in an order by columns; ladder.go: the best of them
//	collapse.go    few of a group; count.go: facets; cursor.go: page after page
//	dictionary.go  strings of all segments, numbered
//	mark.go        how many matches there are
//	filter.go      matches of filters that are remembered
//	room.go        memory that searches hand on
//	prune.go       what need not be looked at, and why that is exact
//	prune_bound.go what the documents of a block can score at most
//	prune_table.go the same for one document, quickly; prune_word.go: words of an And or Or
//	prune_combined.go words over several fields
//	prune_clauses.go a query as members of an And: groups of words, filters, what is extra
//	prune_all.go   the best of words that are all required; prune_sum.go: of all else;
//	               prune_branch.go: what is no word there; prune_term.go: of one word
//	commit.go      reading what was committed; handle.go: when files are closed
package index
