// Package exec plans queries over the segments of a commit and runs them: from a tree of
// query nodes to plans, from a plan to an iterator over the matches in each segment, which
// scores them, bounds their scores and counts them. It keeps nothing of what it finds: see
// package collect.
//
// Where to look:
//
//	plan.go        from a query to a plan: what each node means; identity.go: which nodes
//	               are equal
//	text.go        leaves of text: words, phrases, what an Expander adds; joints.go: words
//	               that mean something together; like.go: the words that tell a document
//	               from others
//	variants.go    the terms that a pattern stands for; fuzzy.go: those near a word;
//	               sieving.go: what makes finding them quick, beside the searches
//	termvector.go  the terms of a document; feedback.go: words of the best documents that
//	               are added to a query
//	combine.go     words that score over all fields at once
//	knn.go         the documents with the nearest vectors
//	column.go      queries of columns; dictionary.go: strings of all segments, numbered
//	filter.go      matches of filters that are remembered
//	word.go        fields and words with the statistics that score them; stats.go: those of
//	               several shards; docstats.go: what few scorers need besides
//	collection.go  what the searches of a commit share; room.go: memory that they hand on;
//	               run.go: a search under way, its context and its steps
//
// Iterators:
//
//	iterator.go    what an iterator promises; all, none, not, boosted and constant
//	term.go        one term; union.go, merged.go: several that count as one
//	and.go         all of; or.go: any of, also the best of; atleast.go: so many of
//	phrase.go      words that stand together; stand.go, phrase_exact.go,
//	               phrase_sloppy.go: whether they do
//	range.go       documents by value; marks.go: alternatives that do not score
//	static.go      what columns add to scores
//	mark.go        how many matches there are
//	gate.go        leaving out what scores too little, and why that is exact
//	ceiling.go     what the documents of a block can score at most; ratings.go: the same
//	               for one document, quickly
//	explain.go     where a score comes from
package exec
