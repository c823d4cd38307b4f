package index

import (
	"maps"
	"time"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/rank"
)

// Options configure an index. The zero value opens an existing index as it is,
// or makes one for web pages, in whatever language: with stored text fields "title" (weight 2) and
// "body".
type Options struct {
	// Schema lists the fields. Of an existing index it may leave out fields,
	// add some and change weights; any other difference is a [*SchemaError].
	Schema Schema
	// Analyzers are those that the schema names, besides those of analysis.Named,
	// such as "standard", "auto", "english" and "german". One name must mean the same analyzer for the life of the
	// index.
	Analyzers map[string]analysis.Analyzer
	// Scorer scores the words of a query. It ranks what this Index and its snapshots
	// search, and is kept with the index when that is created and by each commit of a
	// Writer of this Index. nil: the one that is kept ranks, and stays; an index that
	// keeps none ranks by rank.BM25F{}.
	//
	// Kept are those of package rank with the parameters that they have when the index is
	// created or its Writer is opened. Of a scorer of any other type
	// only the name of the type is kept: a program that searches without setting it
	// ranks by rank.BM25F{}, and its answers carry [query.WarnNoScorer].
	Scorer rank.Scorer
	// MemoryBudget is about how many bytes the writer gathers before it writes
	// a segment; 0: 64 MiB. Less than 1 MiB is taken as that. A document that takes
	// more by itself, or more than 16 MiB if that is more, is refused with
	// [ErrTooLarge]. One takes about four times its text if that is stored, and one and
	// a half times if not, or more if most of its words are different.
	MemoryBudget int64
	// CommitWithin makes the writer commit by itself, so that what was added or
	// deleted is found about so long afterwards; 0: only Commit commits. What
	// such a commit meets is told by the next call of the writer.
	CommitWithin time.Duration
	// AnchorsWithin lets commits leave new anchors of documents that are there
	// already to a later time, so much later or nine times as long as that took
	// the last time, so that many small commits stay cheap: they are durable at once,
	// and found then, or after Merge or Close. 0: each commit makes its anchors found.
	AnchorsWithin time.Duration
	// KeepUnchanged makes Add leave a document as it is that comes again with
	// the same fields, as most pages do that are visited again. Only its columns
	// of numbers and times are set, where they differ (see [Writer.Set]). It takes
	// eight bytes for each document that is added with it, and a look-up.
	KeepUnchanged bool
	// KeepFilters is how many filters each segment remembers the matches of, as one
	// bit a document in memory; 0 or less: none. Filters are the queries inside a Constant, a
	// Not or a Boost by 0, but for single terms. One is remembered when it is asked for
	// the second time, until so many others have been, the segment is merged, or a
	// commit deletes documents of it, sets columns of it or joins its anchors: what is
	// found is the same.
	KeepFilters int
	// Order is how the documents of the segments that are written lie. It is not
	// kept with the index: each program that writes gives it, or its merges bring back
	// the order of keys, segment by segment.
	Order Order
	// OrderColumn is the column of ByColumn: an Integer, Float or Time field.
	OrderColumn string

	hooks []durable.Hook // of tests, to make the disk fail
}

const (
	presetBudget = 64 << 20
	leastBudget  = 1 << 20

	largestDocument = 16 << 20 // may be taken up with any budget
)

func (o Options) budget() int64 {
	if o.MemoryBudget == 0 {
		return presetBudget
	}
	return max(o.MemoryBudget, leastBudget)
}

// largest is how much a document may take.
func (o Options) largest() int64 { return max(o.budget(), largestDocument) }

// analyzers returns those that a schema can name.
func (o Options) analyzers() map[string]analysis.Analyzer {
	all := map[string]analysis.Analyzer{}
	for _, name := range analysis.Names() {
		all[name] = analysis.Named(name)
	}
	maps.Copy(all, o.Analyzers)
	return all
}
