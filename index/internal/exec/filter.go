package exec

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/query"
)

// longestFilter is how long the text of a filter that is kept is at most.
const longestFilter = 1 << 12

// filter plans a query whose scores do not matter, whose matches may be known.
func (p *Planner) filter(q query.Query) (Plan, error) {
	most := p.filters
	text := fmt.Sprint(p.Terms, p.unnamed(), p.Typos, p.languages, q)
	if len(text) > longestFilter {
		return p.plan(q)
	}
	known, complete, wanted := make(filterPlan, len(p.Commit.Views)), len(p.Commit.Views) > 0, false
	for i, v := range p.Commit.Views {
		var again bool
		known[i], again = v.Filters.Find(text, most)
		complete = complete && known[i].Matches != nil
		wanted = wanted || again
	}
	if complete {
		return known, nil
	}
	if p.unopened > 0 {
		return p.plan(q)
	}
	warned := p.warned // what is cut, or asked in vain, depends on more than the segment
	of, err := p.plan(q)
	if err != nil || of == nil || !wanted || p.warned > warned {
		return of, err
	}
	for i, v := range p.Commit.Views {
		if known[i].Matches != nil {
			continue
		}
		matches, err := p.Run.marked(of, i, v)
		if err != nil {
			return nil, err
		}
		known[i] = commit.Filter{Text: text, Matches: matches}
		v.Filters.Keep(known[i], most)
	}
	return known, nil
}

// unnamed lists what is searched when a query names no field.
func (p *Planner) unnamed() (names []string) {
	for _, f := range p.Schema {
		if f.Unnamed() {
			names = append(names, strconv.Quote(f.Name))
		}
	}
	return names
}

// marked finds all matches of a plan in a view.
func (r *Run) marked(of Plan, i int, v *commit.View) (*bitset.Set, error) {
	bits := make([]uint64, (v.Seg.Docs+63)/64)
	r.docs = v.Seg.Docs
	w := of.Open(r, i)
	for lo := uint32(0); lo < v.Seg.Docs && !r.Stop(); {
		n := min(countSpan, v.Seg.Docs-lo)
		mark(r, w, lo, n, bits[lo/64:][:(n+63)/64])
		lo += n
	}
	return bitset.Of(bits), r.Done(v)
}

// filtering reports whether a filter may be kept, and is worth it: it costs more
// than a list of documents, and what it matches in a segment depends on nothing
// else.
func (p *Planner) filtering(q query.Query) bool {
	switch q.(type) {
	case query.All, query.None, query.Term, query.Exists:
		return false
	}
	return p.filters > 0 && p.local(q)
}

// local reports whether what a query matches in a segment does not depend on other
// segments, nor on an Expander.
func (p *Planner) local(q query.Query) bool {
	switch q.(type) {
	case query.Like, query.KNN:
		return false
	case query.Match:
		return p.Expander == nil
	}
	_, members := query.Split(q)
	return !slices.ContainsFunc(members, func(q query.Query) bool { return !p.local(q) })
}

// filterPlan is the matches of a filter, by view.
type filterPlan []commit.Filter

func (p filterPlan) Open(_ *Run, view int) Iterator { return &UnionIterator{p[view].Matches} }
