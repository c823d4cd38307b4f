package exec

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/query"
)

// term plans a term as it is.
func (p *Planner) term(f *fieldPlan, text string) (Plan, error) {
	w, err := p.exact(f, []string{text})
	if err != nil {
		return nil, err
	}
	return p.wordPlan(w), nil
}

// match plans a Match: all its words.
func (p *Planner) match(q query.Match) (Plan, error) {
	if t, _ := p.Schema.Find(q.Field); t.Kind == schema.Keyword || t.Kind >= schema.Integer {
		return p.textLeaf(q.Field, q.Text, func(f *fieldPlan) (Plan, error) { return p.term(f, q.Text) })
	}
	words := strings.Fields(q.Text)
	if len(words) == 1 {
		if pieces := p.pieces(q.Field, words[0]); pieces != nil {
			return p.or([]query.Query{pieces, query.Phrase{Field: q.Field, Text: words[0]}})
		}
	}
	if len(words) == 1 {
		return p.matchVariants(q.Field, words[0])
	}
	var all query.And
	for _, w := range words {
		all = append(all, query.Match{Field: q.Field, Text: w})
	}
	if all == nil {
		return nil, nil
	}
	return p.and(all)
}

// matchVariants plans a word of a Match in each way in which it may be written, and with
// its accents where these count. It scores as the best of them.
func (p *Planner) matchVariants(field, word string) (Plan, error) {
	pl, err := p.oneWord(field, word)
	if err != nil || pl == nil {
		return nil, err
	}
	plans := []Plan{pl}
	for _, f := range p.Schema {
		a := p.Analyzers[f.Analyzer]
		if f.Kind != schema.Text || field != "" && field != f.Name || a == nil {
			continue
		}
		also := 0
		add := func(pl Plan, err error) error {
			if pl != nil && (p.unopened > 0 || !never(pl)) {
				plans = append(plans, pl)
			}
			also++
			return err
		}
		if exact := analysis.Exact(a, word); exact != "" {
			pl, err := p.leaf(field, func(f *fieldPlan) (Plan, error) { return p.term(f, exact) })
			if pl != nil {
				pl = boosted(pl, analysis.ExactWeight)
			}
			if err := add(pl, err); err != nil {
				return nil, err
			}
		}
		for _, v := range analysis.Variants(a, word) {
			if err := add(p.leaf(field, func(f *fieldPlan) (Plan, error) { return p.phrase(f, v, 0, false) })); err != nil {
				return nil, err
			}
		}
		if also > 0 {
			return p.bestOf(plans), nil
		}
	}
	return pl, nil
}

// never reports whether a leaf surely matches nothing: a word that it needs is nowhere.
func never(pl Plan) bool {
	absent := func(w *word) bool {
		return !slices.ContainsFunc(w.entries, func(of []postings.Entry) bool { return len(of) > 0 })
	}
	switch pl := pl.(type) {
	case *wordPlan:
		return absent(pl.word)
	case *phrasePlan:
		return slices.ContainsFunc(pl.Words, absent)
	case boostPlan:
		return never(pl.of)
	case *CombinedPlan:
		return never(pl.of)
	case orPlan:
		return !slices.ContainsFunc(pl, func(of Plan) bool { return !never(of) })
	}
	return false
}

// oneWord plans a word of a Match as it is written.
func (p *Planner) oneWord(field, text string) (Plan, error) {
	near, forgiven := p.Typos.Fuzzy(query.Match{Field: field, Text: text})
	if forgiven && p.Expander == nil {
		return p.fuzzy(near)
	}
	of, err := p.expandedWord(field, text)
	if err != nil || of == nil || !forgiven {
		return of, err
	}
	other, err := p.fuzzy(near)
	if err != nil || other == nil {
		return of, err
	}
	return p.bestOf([]Plan{of, other}), nil
}

// expandedWord plans a word with what the Expander makes of it.
func (p *Planner) expandedWord(field, text string) (Plan, error) {
	if p.Expander != nil {
		fields, ok := p.searched(field)
		if by, across := p.combiner(fields); ok && across {
			return p.matchAcross(by, field, text)
		}
	}
	return p.leaf(field, func(f *fieldPlan) (Plan, error) { return p.matchWord(f, text) })
}

// pieces returns the query for some of the pieces of a word, by the first of the fields
// that takes it apart; nil: none does. Where they stand in a row they score as a phrase
// besides.
func (p *Planner) pieces(field, word string) query.Query {
	for _, f := range p.Schema {
		a := p.Analyzers[f.Analyzer]
		if !f.SearchedBy(field) || a == nil {
			continue
		}
		pieces := analysis.Pieces(a, word)
		if pieces == nil {
			continue
		}
		some := query.AtLeast{N: analysis.LeastPieces(len(pieces))}
		for _, piece := range pieces {
			some.Of = append(some.Of, query.Match{Field: field, Text: piece})
		}
		return some
	}
	return nil
}

// matchWord plans one word of a Match. A word that is a single term matches as
// what the expander makes of it.
func (p *Planner) matchWord(f *fieldPlan, text string) (Plan, error) {
	forms, err := p.forms(f, text)
	if err != nil {
		return nil, err
	}
	if len(forms) == 0 {
		return nil, nil
	}
	slots := forms[0]
	if p.Expander == nil || len(forms) > 1 || len(slots) != 1 || len(slots[0].Terms) != 1 {
		return p.anyForm(f, forms, 0, false)
	}
	or, err := p.alternatives(slots[0].Terms[0])
	if err != nil {
		return nil, err
	}
	words := make([]*word, len(or))
	for i, a := range or {
		if words[i], err = p.exact(f, []string{a.term}); err != nil {
			return nil, err
		}
	}
	p.blend(words)
	plans := make([]Plan, len(or))
	for i, w := range words {
		plans[i] = boosted(p.wordPlan(w), or[i].weight)
	}
	return p.bestOf(plans), nil
}

// bestOf plans what any of the terms that stand for a word matches.
func (p *Planner) bestOf(plans []Plan) Plan {
	if plans = p.quiet(plans); len(plans) > 1 && p.silent == 0 {
		return bestPlan{plans}
	}
	return anyOf(plans)
}

// blend gives terms that stand for one word the statistics of the most frequent of
// them. By its own a rare one would score the more the less it is what was meant.
func (p *Planner) blend(words []*word) {
	most := 0
	for _, w := range words {
		most = max(most, w.stats.DocFreq)
	}
	for _, w := range words {
		w.stats.DocFreq, w.stats.CollFreq = most, 0
		p.scored(w)
	}
}

// alternatives lists the terms that may stand for a term, itself first.
func (p *Planner) alternatives(term string) ([]alternative, error) {
	any := []alternative{{term: term, weight: 1}}
	for other, weight := range p.Expander.Expand(term) {
		i := slices.IndexFunc(any, func(a alternative) bool { return a.term == other })
		switch {
		case i < 0:
			any = append(any, alternative{term: other, weight: weight})
		case i > 0:
			any[i].weight += weight
		}
		if err := query.Check(query.Boost{Query: query.All{}, By: weight}); err != nil {
			return nil, fmt.Errorf("expander, for %q: %w", term, err)
		}
	}
	return any, nil
}

// phrase plans a Phrase or Prefix.
func (p *Planner) phrase(f *fieldPlan, text string, slop int, prefix bool) (Plan, error) {
	if f.Kind == schema.Keyword {
		return p.slots(f, []analysis.Slot{{Terms: []string{text}}}, 0, prefix)
	}
	forms, err := p.forms(f, text)
	if err != nil {
		return nil, err
	}
	return p.anyForm(f, forms, slop, prefix)
}

// anyForm plans phrases of which any will do.
func (p *Planner) anyForm(f *fieldPlan, forms [][]analysis.Slot, slop int, prefix bool) (Plan, error) {
	var plans []Plan
	for _, slots := range forms {
		pl, err := p.slots(f, slots, slop, prefix)
		if err != nil {
			return nil, err
		}
		if pl != nil {
			plans = append(plans, pl)
		}
	}
	return anyOf(plans), nil
}

// forms are the phrases that a text may stand for. Where the leaf scores once over its fields
// they are planned one after the other, see [Planner.overForms].
func (p *Planner) forms(f *fieldPlan, text string) ([][]analysis.Slot, error) {
	a, err := f.AnalyzerIn(p.Analyzers)
	if err != nil {
		return nil, err
	}
	all := analysis.Phrases(a, text)
	if !p.across {
		return all, nil
	}
	p.moreForms = p.moreForms || p.form+1 < len(all)
	return all[min(p.form, len(all)):min(p.form+1, len(all))], nil
}

// analyse analyses the text of a query. The analyzer may be unknown when a
// writer of another process has added the field.
func (p *Planner) analyse(f *fieldPlan, text string) ([]analysis.Slot, error) {
	a, err := f.AnalyzerIn(p.Analyzers)
	if err != nil {
		return nil, err
	}
	return analysis.Slots(a, text), nil
}

// slots plans words that stand in a row. If prefix, any term that begins with
// one of the last slot will do there.
func (p *Planner) slots(f *fieldPlan, slots []analysis.Slot, slop int, prefix bool) (Plan, error) {
	if len(slots) == 0 {
		return nil, nil
	}
	ph := &phrasePlan{field: f, Slop: min(slop, math.MaxInt32)} // positions are less
	for i, s := range slots {
		make := p.exact
		if prefix && i == len(slots)-1 {
			make = p.prefixed
		}
		w, err := make(f, s.Terms)
		if err != nil {
			return nil, err
		}
		ph.Words = append(ph.Words, w)
		ph.offsets = append(ph.offsets, s.Pos)
	}
	if len(slots) == 1 {
		return p.wordPlan(ph.Words[0]), nil
	}
	return ph, nil
}

// outermost returns the prefixes that none of the others is a prefix of,
// ascending.
func outermost(prefixes []string) []string {
	sorted := slices.Sorted(slices.Values(prefixes))
	var out []string
	for _, s := range sorted {
		if n := len(out); n == 0 || !strings.HasPrefix(s, out[n-1]) {
			out = append(out, s)
		}
	}
	return out
}

func hasPrefix(b []byte, prefix string) bool { return bytes.HasPrefix(b, []byte(prefix)) }
