package index

import (
	"iter"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
)

// together is words that stand for something else together, as synonyms of several
// words do, in the fields where they do. It is made by a planner only.
type together struct{ query.Match }

// separate is an And of words that also stand for something together.
type separate struct{ query.And }

// joined returns the members of an And, in which words side by side that stand for
// something together may be found as that, too.
func (p *planner) joined(members []query.Query) []query.Query {
	runs := p.runs(members)
	if len(runs) == 0 {
		return members
	}
	var out []query.Query
	at := 0
	for _, r := range runs {
		out = append(out, members[at:r.from]...)
		out = append(out, query.Or{separate{members[r.from:r.to]}, r.as(members)})
		at = r.to
	}
	return append(out, members[at:]...)
}

// alsoJoined returns the members of an Or, with what they stand for together.
func (p *planner) alsoJoined(members []query.Query) []query.Query {
	for _, r := range p.runs(members) {
		members = append(slices.Clip(members), r.as(members))
	}
	return members
}

// wordRun is members that are single words of one field.
type wordRun struct{ from, to int }

func (r wordRun) as(members []query.Query) together {
	words := make([]string, 0, r.to-r.from)
	for _, q := range members[r.from:r.to] {
		words = append(words, strings.TrimSpace(q.(query.Match).Text))
	}
	return together{query.Match{Field: members[r.from].(query.Match).Field, Text: strings.Join(words, " ")}}
}

// runs lists the longest runs of members that stand for something in some field.
func (p *planner) runs(members []query.Query) (out []wordRun) {
	for from, to := range matchRuns(members) {
		of := wordRun{from, to}.as(members)
		for _, r := range p.joints(of.Field, strings.Fields(of.Text)) {
			out = append(out, wordRun{from + r.from, from + r.to})
		}
	}
	return out
}

// matchRuns yields where single words of one field stand side by side.
func matchRuns(members []query.Query) iter.Seq2[int, int] {
	word := func(i int) (m query.Match, ok bool) {
		if i < len(members) {
			m, ok = members[i].(query.Match)
		}
		return m, ok && len(strings.Fields(m.Text)) == 1
	}
	return func(yield func(from, to int) bool) {
		for from := 0; from < len(members); {
			first, is := word(from)
			to := from + 1
			for next, ok := word(to); is && ok && next.Field == first.Field; next, ok = word(to) {
				to++
			}
			if to > from+1 && !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// joints lists where words stand for something together, in any of the fields:
// the first, of these the longest.
func (p *planner) joints(field string, words []string) (out []wordRun) {
	if len(words) < 2 {
		return nil
	}
	var all []wordRun
	for _, f := range p.schema {
		if f.Kind != Text || field != "" && field != f.Name || p.analyzers[f.Analyzer] == nil {
			continue
		}
		for _, j := range analysis.Joints(p.analyzers[f.Analyzer], words) {
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
func (p *planner) together(q together) (plan, error) {
	words := strings.Fields(q.Text)
	return p.leaf(q.Field, func(f *fieldPlan) (plan, error) {
		var terms []string
		for _, j := range analysis.Joints(p.analyzers[f.Analyzer], words) {
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
