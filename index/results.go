package index

import (
	"context"
	"time"

	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// Searcher answers queries.
type Searcher interface {
	// Search returns the best documents for q: greater scores first, or as
	// opt.Sort says; equal ones by ascending key. The same query over the same
	// documents gives the same hits with the same scores, bit for bit, however
	// they lie in segments. A done context ends it within 20 ms with the context's cause.
	Search(ctx context.Context, q query.Query, opt SearchOptions) (*Results, error)
}

// SearchOptions says how much of an answer is wanted. The zero value asks for
// the ten best keys. A field that is not in the schema, or cannot do what is asked of
// it, is a [*SchemaError].
type SearchOptions struct {
	Limit  int      // hits wanted; 0: 10; negative: none, count only; math.MaxInt: all
	Offset int      // hits to leave out before them
	Fields []string // fields to return with each hit, stored ones or columns
	// Snippets asks for pieces of stored Text fields that show where they answer the
	// query, by field: what the Expander yields, or Typos forgives, is shown too. Field, Expander, Typos
	// and the analyzer are those of the search. The cost is that of analysing the text.
	Snippets map[string]highlight.Options
	// Weights are those of Text fields in what names no field, for this search: a field
	// that is not here has that of the schema, and 0 leaves one out. Leaves that name a
	// field have the weight 1 whatever is said here.
	Weights  map[string]float64
	Scorer   rank.Scorer    // nil: that of Options, or else the one that is kept with the index
	Expander query.Expander // nil: none; else other words that may stand for a word of a Match
	// Typos forgives typing errors in the words of Match leaves in Text fields. Where an
	// Expander yields others too, a document scores what it does by the better of both.
	Typos query.Typos
	// Languages are those that what is asked is read in, as ISO 639 codes, by analyzers that go by
	// the language of a text, such as "auto"; nil: those of [Snapshot.Languages]. To a shard those
	// of the whole collection are given.
	Languages []string
	// Global are the statistics of a collection of which this index is a shard, see
	// [Snapshot.TermStats]; nil: this index is the collection.
	Global *TermStats
	// CountUpTo is how many matches must be counted; 0: all of them; negative: none.
	// Beyond that many Total may be a lower bound: what cannot be among the hits
	// is skipped, which makes searches for frequent words several times as fast.
	// The hits and their scores are the same. None is fastest.
	CountUpTo int
	Effort    Effort // what the search may cost
	// Feedback expands the query by words of the best documents of a first search, such as
	// rank.RM3{} and rank.Bo1{} do, see [Snapshot.Expand]; nil: none.
	Feedback rank.Feedback

	Rerank   Rerank                 // a second stage, which orders the best hits anew
	Static   []Static               // what columns add to the score of every match
	Sort     []SortBy               // how to order the matches; none: by score
	After    string                 // Results.Next of the page before: go on behind it
	Collapse Collapse               // how many hits may share a value; the zero value: any number
	Facets   map[string]facet.Facet // what to count over all matches, by any name; with any, all are counted

	test exec.TestOptions
}

// SortBy orders matches by a column, the least first. Of a Keyword with several
// values the least counts, or, if Descending, the greatest. Matches that are
// equal in all that a search sorts by are in the order of their keys.
type SortBy struct {
	Field        string // "": the score, best first
	Descending   bool   // the greatest first
	MissingFirst bool   // documents without a value come first, not last
}

// Collapse lets few hits share a value of a column, such as a host or a group
// of near duplicates: the first of them in the order of the search. Documents
// without a value are left as they are. Total counts all matches.
type Collapse struct {
	Field string // "": nothing
	Keep  int    // hits that may share a value; 0: 1; negative is an error; math.MaxInt: all
}

// Static is what a column of numbers or times adds to the score of every match.
// A Time is given to the prior in seconds since 1970. A document without a value
// has nothing added. An index that is mostly searched so answers sooner with
// [ByColumn].
type Static struct {
	Field string
	Prior rank.Prior // nil: rank.Saturation{}
}

// Hit is a document that was found.
type Hit struct {
	Key   string
	Score float64 // greater is better
	// Fields are the values of SearchOptions.Fields, of the types that
	// [Snapshot.Document] says: string or []string, int64, float64, time.Time, []float32. A field
	// without a value is left out.
	Fields map[string]any
	// Snippets are those that SearchOptions.Snippets asked for, by field. A document
	// without that field has none.
	Snippets map[string]highlight.Snippet
	// Sort is what placed the hit, one value for each of SearchOptions.Sort: a float64
	// for the score, else of the type of the column; nil where the document has none.
	Sort []any
}

// Text is a value of Fields as a string, as [Document.Text] gives it; "" if there is none.
func (h Hit) Text(name string) string {
	v, ok := h.Fields[name]
	if !ok {
		return ""
	}
	if s, ok := v.(string); ok {
		return s
	}
	return Document{Fields: []Field{{name, v}}}.Text(name)
}

// Results is an answer.
type Results struct {
	Hits     []Hit
	Total    Count // documents that match
	Partial  bool  // the context ended before all was looked at; only with Effort.Partial
	Took     time.Duration
	Warnings []query.Warning         // what the query asked for in vain, such as an unknown field
	Facets   map[string]facet.Result // by the names that were asked for
	// Next is what After needs to go on behind the last hit; "" when there are
	// fewer hits than asked for, or with Rerank. On the same snapshot, pages leave nothing out and
	// repeat nothing; on a later one, but for what has changed. A search that orders
	// otherwise, by another query, Scorer, Expander, Typos, Weights, Languages, Global, Static, Sort, Collapse,
	// Effort.Terms or weights in the schema, refuses it. Of a Scorer, Prior or Expander
	// that is a pointer only its type counts, and its String method if it has one.
	Next string
}

// Ranking gives the keys and scores of the hits to package rank, for its measures and
// fusions.
func (r *Results) Ranking() []rank.Hit {
	hits := make([]rank.Hit, len(r.Hits))
	for i, h := range r.Hits {
		hits[i] = rank.Hit{Key: h.Key, Score: h.Score}
	}
	return hits
}

// Count is a number of documents, exact or a lower bound.
type Count struct {
	Value int
	Exact bool
}
