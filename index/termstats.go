package index

import (
	"context"

	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/query"
)

// TermStats are the statistics that score a query. Added up over the shards of a
// collection and given to the search of each as [SearchOptions.Global], they make its
// scores those of one index of all documents, to the last bit.
//
// They hold numbers and strings alone, also as JSON. What the names in Terms and Near mean
// is for this package.
type TermStats struct {
	Docs   int                       `json:"docs"`           // documents
	Tokens map[string]uint64         `json:"tokens"`         // in all documents, by field
	Terms  map[string]int            `json:"terms"`          // documents with each word of the query
	Near   map[string]map[string]int `json:"near,omitempty"` // documents with each term near a word with typing errors
	// Occurrences are how often each word of the query stands in all documents, where the
	// scorer needs that.
	Occurrences map[string]int `json:"occurrences,omitempty"`
}

// Add adds the statistics of another shard for the same query.
func (t *TermStats) Add(other *TermStats) {
	(*exec.Stats)(t).Init()
	t.Docs += other.Docs
	for field, n := range other.Tokens {
		t.Tokens[field] += n
	}
	for word, n := range other.Terms {
		t.Terms[word] += n
	}
	for word, n := range other.Occurrences {
		t.Occurrences[word] += n
	}
	for word, terms := range other.Near {
		if t.Near[word] == nil {
			t.Near[word] = map[string]int{}
		}
		for term, n := range terms {
			t.Near[word][term] += n
		}
	}
}

// TermStats returns the statistics of this snapshot that score q with the same Scorer,
// Expander, Typos, Weights, Languages and Effort.Terms. It costs about what a search does before it
// looks at documents. Where a pattern stands for more terms than Effort.Terms, which of
// them are searched is decided shard by shard. A [query.Like] is a [*query.Error]: only
// one shard has its document.
func (s *Snapshot) TermStats(ctx context.Context, q query.Query, opt SearchOptions) (out *TermStats, err error) {
	err = s.read(func() error {
		p, err := s.planner(ctx, opt)
		if err != nil {
			return err
		}
		defer p.Run.Leave()
		told, err := p.Tell(q, s.schema)
		out = (*TermStats)(told)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
