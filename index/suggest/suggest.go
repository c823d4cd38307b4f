package suggest

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"github.com/webquarry/quarry/fuzzy"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// Suggester suggests words and titles of an index. Set its fields before the first
// call; its methods may then be called by many goroutines.
//
// It holds all words in memory, some 250 bytes each, titles in some 200 bytes and their
// text twice, pairs in 24 bytes each. They are read anew when documents have been
// committed since, but no more than a twentieth of the time is spent on that: where reading
// takes 0.1 s, suggestions are two seconds late at most. One caller at a time reads; the
// others go on with what was read before.
type Suggester struct {
	Index  *index.Index
	Field  string // whose terms are the words that are suggested
	Titles string // whose terms are titles or queries that are suggested as a whole; "": none
	Pairs  string // whose terms are pairs of words, see [Pairs]; "": none

	// Sound gives equal keys for words that sound alike, and Costs is what errors cost. Nil:
	// those of English where the index has English documents, else none, and TypingCosts.
	Sound func(word string) string
	Costs *fuzzy.Costs

	// Query reads a query as the search does that suggestions are for. Nil:
	// query.ParseLenient, without fields.
	Query func(text string) query.Query

	// Few is up to how many hits a query may be misspelt; 0: 5; negative: none, nothing is corrected.
	Few int

	reading sync.Mutex // held by the caller that reads the vocabulary
	current atomic.Pointer[vocabulary]
}

// few is up to how many hits a query may be misspelt.
func (s *Suggester) few() int { return cmp.Or(s.Few, 5) }

// parse reads a query as the search does.
func (s *Suggester) parse(text string) query.Query {
	if s.Query != nil {
		return s.Query(text)
	}
	q, _ := query.ParseLenient(text, query.ParseOptions{Operator: query.AllWords})
	return q
}

// count counts the documents that match, and the filter unless it is nil.
func count(ctx context.Context, snap *index.Snapshot, q, filter query.Query) (int, error) {
	if filter != nil {
		q = query.And{q, filter}
	}
	res, err := snap.Search(ctx, q, index.SearchOptions{Limit: -1})
	if err != nil {
		return 0, err
	}
	return res.Total.Value, nil
}
