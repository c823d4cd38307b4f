package exec

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/query"
)

// Stats are the statistics that score a query, see index.TermStats.
type Stats struct {
	Docs   int                       `json:"docs"`           // documents
	Tokens map[string]uint64         `json:"tokens"`         // in all documents, by field
	Terms  map[string]int            `json:"terms"`          // documents with each word of the query
	Near   map[string]map[string]int `json:"near,omitempty"` // documents with each term near a word with typing errors
	// Occurrences are how often each word of the query stands in all documents, where the
	// scorer needs that.
	Occurrences map[string]int `json:"occurrences,omitempty"`
}

// Init makes the maps.
func (t *Stats) Init() {
	if t.Tokens == nil {
		t.Tokens, t.Terms, t.Near = map[string]uint64{}, map[string]int{}, map[string]map[string]int{}
	}
	if t.Occurrences == nil {
		t.Occurrences = map[string]int{}
	}
}

// Tell returns the statistics that score q, which is not searched.
func (p *Planner) Tell(q query.Query, fields schema.Fields) (*Stats, error) {
	if p.Run.Ctx.Err() != nil {
		return nil, context.Cause(p.Run.Ctx)
	}
	p.Global = nil
	p.told = &Stats{Docs: p.Commit.Docs}
	p.told.Init()
	if err := p.Commit.Tokens(p.told.Tokens, fields); err != nil {
		return nil, err
	}
	if _, err := p.Root(q, nil); err != nil {
		return nil, err
	}
	return p.told, p.Run.Err
}

// docs is how many documents there are, in all shards.
func (p *Planner) docs() int {
	if p.Global != nil {
		return p.Global.Docs
	}
	return p.Commit.Docs
}

// avgLen is the mean length of a field, in all shards, that has so many tokens in this one.
func (p *Planner) avgLen(field string, tokens uint64) (float64, error) {
	if p.Global != nil {
		var ok bool
		if tokens, ok = p.Global.Tokens[field]; !ok {
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
func (p *Planner) docsWith(w *word, kind string, docs int) (int, error) {
	if p.scoreless() || p.told == nil && p.Global == nil {
		return docs, nil
	}
	name := StatName(kind, w.field.Name, w.text)
	if p.told != nil {
		p.told.Terms[name] = docs
		return docs, nil
	}
	docs, ok := p.Global.Terms[name]
	if !ok {
		return 0, notGlobal(name)
	}
	return docs, nil
}

// mostOf is how many documents, in all shards, have the most frequent of the terms near a
// word, of which those in this one are given, and the most here.
func (p *Planner) mostOf(field, text string, near map[string]int, here int) (most int, err error) {
	name := StatName("near", field, text)
	if p.told == nil && p.Global == nil {
		return here, nil
	}
	if p.told != nil {
		terms := make(map[string]int, len(near))
		for term, n := range near {
			terms[strconv.Quote(term)] = n
		}
		p.told.Near[name] = terms
	}
	if p.Global != nil {
		var ok bool
		if near, ok = p.Global.Near[name]; !ok {
			return 0, notGlobal(name)
		}
	}
	for n := range maps.Values(near) {
		most = max(most, n)
	}
	return most, nil
}

// StatName is the name of a word in Terms, Near and Occurrences.
func StatName(kind, field, text string) string {
	return kind + " " + strconv.Quote(field) + " " + strconv.Quote(text)
}

func notGlobal(name string) error {
	return &query.Error{Pos: -1, Msg: fmt.Sprintf("Global is not of this search: it lacks %s", name)}
}
