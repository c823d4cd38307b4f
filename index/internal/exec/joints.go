package exec

import (
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/wordruns"
	"github.com/webquarry/quarry/index/query"
)

// together is words that stand for something else together, as synonyms of several
// words do, in the fields where they do. It is made by a planner only.
type together struct{ query.Match }

// separate is an And of words that also stand for something together.
type separate struct{ query.And }

// joined returns the members of an And, in which words side by side that stand for
// something together may be found as that, too.
func (p *Planner) joined(members []query.Query) []query.Query {
	runs := p.runs(members)
	if len(runs) == 0 {
		return members
	}
	var out []query.Query
	at := 0
	for _, r := range runs {
		out = append(out, members[at:r.from]...)
		out = append(out, query.Or{separate{members[r.from:r.to]}, together{wordruns.Join(members[r.from:r.to])}})
		at = r.to
	}
	return append(out, members[at:]...)
}

// alsoJoined returns the members of an Or, with what they stand for together.
func (p *Planner) alsoJoined(members []query.Query) []query.Query {
	for _, r := range p.runs(members) {
		members = append(slices.Clip(members), together{wordruns.Join(members[r.from:r.to])})
	}
	return members
}

// wordRun is members that are single words of one field.
type wordRun struct{ from, to int }

// runs lists the longest runs of members that stand for something in some field.
func (p *Planner) runs(members []query.Query) (out []wordRun) {
	for from, to := range wordruns.Of(members) {
		of := wordruns.Join(members[from:to])
		for _, r := range p.joints(of.Field, strings.Fields(of.Text)) {
			out = append(out, wordRun{from + r.from, from + r.to})
		}
	}
	return out
}

// joints lists where words stand for something together, in any of the fields:
// the first, of these the longest.
func (p *Planner) joints(field string, words []string) (out []wordRun) {
	if len(words) < 2 {
		return nil
	}
	var all []wordRun
	for _, f := range p.Schema {
		if !f.SearchedBy(field) || p.Analyzers[f.Analyzer] == nil {
			continue
		}
		for _, j := range analysis.Joints(p.Analyzers[f.Analyzer], words) {
			all = append(all, wordRun{j.From, j.To})
		}
	}
	slices.SortFunc(all, func(a, b wordRun) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	end := 0
	for _, r := range all {
		if r.from >= end {
			out, end = append(out, r), r.to
		}
	}
	return out
}

// together plans what words stand for together.
func (p *Planner) together(q together) (Plan, error) {
	words := strings.Fields(q.Text)
	return p.leaf(q.Field, func(f *fieldPlan) (Plan, error) {
		var terms []string
		for _, j := range analysis.Joints(p.Analyzers[f.Analyzer], words) {
			if j.From == 0 && j.To == len(words) {
				terms = append(terms, j.Term)
			}
		}
		if len(terms) == 0 {
			return nil, nil
		}
		w, err := p.exact(f, terms)
		if err != nil {
			return nil, err
		}
		return p.wordPlan(w), nil
	})
}
