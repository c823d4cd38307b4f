package index

import (
	"context"
	"fmt"
	"maps"
	"strconv"

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
	t.init()
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

func (t *TermStats) init() {
	if t.Tokens == nil {
		t.Tokens, t.Terms, t.Near = map[string]uint64{}, map[string]int{}, map[string]map[string]int{}
	}
	if t.Occurrences == nil {
		t.Occurrences = map[string]int{}
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
		defer p.run.leave()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p.global = nil
		p.told = &TermStats{Docs: s.commit.docs}
		p.told.init()
		if err := s.commit.tokens(p.told.Tokens, s.schema); err != nil {
			return err
		}
		if _, err := p.root(q, nil); err != nil {
			return err
		}
		out = p.told
		return p.run.err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// tokens adds up how many tokens the fields hold that have any by their kind.
func (c *commit) tokens(sum map[string]uint64, s Schema) error {
	for _, f := range s {
		if f.Kind < StoredOnly {
			sum[f.Name] = 0
		}
	}
	for _, v := range c.views {
		counts, err := v.tokens()
		if err != nil {
			return err
		}
		for name, n := range counts {
			sum[name] += n
		}
	}
	return nil
}

// docs is how many documents there are, in all shards.
func (p *planner) docs() int {
	if p.global != nil {
		return p.global.Docs
	}
	return p.commit.docs
}

// avgLen is the mean length of a field, in all shards, that has so many tokens in this one.
func (p *planner) avgLen(field string, tokens uint64) (float64, error) {
	if p.global != nil {
		var ok bool
		if tokens, ok = p.global.Tokens[field]; !ok {
			return 0, notGlobal("field " + field)
		}
	}
	if p.docs() == 0 {
		return 0, nil
	}
	return float64(tokens) / float64(p.docs()), nil
}

// docsWith is how many documents, in all shards, have a word of which so many are in this
// one. Words of one kind and text are the same.
func (p *planner) docsWith(w *word, kind string, docs int) (int, error) {
	if p.scoreless() || p.told == nil && p.global == nil {
		return docs, nil
	}
	name := statName(kind, w.field.Name, w.text)
	if p.told != nil {
		p.told.Terms[name] = docs
		return docs, nil
	}
	docs, ok := p.global.Terms[name]
	if !ok {
		return 0, notGlobal(name)
	}
	return docs, nil
}

// mostOf is how many documents, in all shards, have the most frequent of the terms near a
// word, of which those in this one are given, and the most here.
func (p *planner) mostOf(field, text string, near map[string]int, here int) (most int, err error) {
	name := statName("near", field, text)
	if p.told == nil && p.global == nil {
		return here, nil
	}
	if p.told != nil {
		terms := make(map[string]int, len(near))
		for term, n := range near {
			terms[strconv.Quote(term)] = n
		}
		p.told.Near[name] = terms
	}
	if p.global != nil {
		var ok bool
		if near, ok = p.global.Near[name]; !ok {
			return 0, notGlobal(name)
		}
	}
	for n := range maps.Values(near) {
		most = max(most, n)
	}
	return most, nil
}

func statName(kind, field, text string) string {
	return kind + " " + strconv.Quote(field) + " " + strconv.Quote(text)
}

func notGlobal(name string) error {
	return &query.Error{Pos: -1, Msg: fmt.Sprintf("Global is not of this search: it lacks %s", name)}
}
