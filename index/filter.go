package index

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/query"
)

// filters keeps the matches of filters in a view, as bits. Neither the view nor
// what it says of its documents changes, so they hold as long as it does; a commit
// that deletes documents of the segment or sets columns of it makes another view.
type filters struct {
	mu   sync.Mutex
	kept []keptFilter // the last asked for first
	once []string     // those that were asked for once, the last first
}

// keptFilter is a filter by how it prints, which no other filter does, and what else
// decides about its matches: how many terms its patterns may stand for, and whether
// its phrases have several forms, see [planner.forms].
type keptFilter struct {
	text    string
	matches *bitset.Set // also deleted documents
}

// find returns the matches of a filter; again says whether it was asked for before.
func (f *filters) find(text string, most int) (of keptFilter, again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.IndexFunc(f.kept, func(k keptFilter) bool { return k.text == text }); i >= 0 {
		of = f.kept[i]
		f.kept = first(slices.Delete(f.kept, i, i+1), of, most)
		return of, true
	}
	again = slices.Contains(f.once, text)
	if !again {
		f.once = first(f.once, text, most)
	}
	return of, again
}

func (f *filters) keep(of keptFilter, most int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	same := func(k keptFilter) bool { return k.text == of.text } // of another search
	f.kept = first(slices.DeleteFunc(f.kept, same), of, most)
}

// first puts x before the others, of which the last go when there are more than
// most.
func first[T any](others []T, x T, most int) []T {
	all := slices.Insert(others, 0, x)
	clear(all[min(most, len(all)):])
	return all[:min(most, len(all))]
}

// longestFilter is how long the text of a filter that is kept is at most.
const longestFilter = 1 << 12

// filter plans a query whose scores do not matter, whose matches may be known.
func (p *planner) filter(q query.Query) (plan, error) {
	most := p.ix.opt.KeepFilters
	text := fmt.Sprint(p.effort.terms(), p.unnamed(), p.typos, p.languages, q)
	if len(text) > longestFilter {
		return p.plan(q)
	}
	known, complete, wanted := make(filterPlan, len(p.commit.views)), len(p.commit.views) > 0, false
	for i, v := range p.commit.views {
		var again bool
		known[i], again = v.filters.find(text, most)
		complete = complete && known[i].matches != nil
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
	for i, v := range p.commit.views {
		if known[i].matches != nil {
			continue
		}
		matches, err := p.run.marked(of, i, v)
		if err != nil {
			return nil, err
		}
		known[i] = keptFilter{text, matches}
		v.filters.keep(known[i], most)
	}
	return known, nil
}

// unnamed lists what is searched when a query names no field.
func (p *planner) unnamed() (names []string) {
	for _, f := range p.schema {
		if f.unnamed() {
			names = append(names, strconv.Quote(f.Name))
		}
	}
	return names
}

// marked finds all matches of a plan in a view.
func (r *run) marked(of plan, i int, v *view) (*bitset.Set, error) {
	bits := make([]uint64, (v.seg.Docs+63)/64)
	r.docs = v.seg.Docs
	w := of.open(r, i)
	for lo := uint32(0); lo < v.seg.Docs && !r.stop(); {
		n := min(countSpan, v.seg.Docs-lo)
		mark(r, w, lo, n, bits[lo/64:][:(n+63)/64])
		lo += n
	}
	return bitset.Of(bits), r.done(v)
}

// filtering reports whether a filter may be kept, and is worth it: it costs more
// than a list of documents, and what it matches in a segment depends on nothing
// else.
func (p *planner) filtering(q query.Query) bool {
	switch q.(type) {
	case query.All, query.None, query.Term, query.Exists:
		return false
	}
	return p.ix.opt.KeepFilters > 0 && p.local(q)
}

// local reports whether what a query matches in a segment does not depend on other
// segments, nor on an Expander.
func (p *planner) local(q query.Query) bool {
	switch q.(type) {
	case query.Like:
		return false
	case query.Match:
		return p.expander == nil
	}
	_, members := query.Split(q)
	return !slices.ContainsFunc(members, func(q query.Query) bool { return !p.local(q) })
}

// filterPlan is the matches of a filter, by view.
type filterPlan []keptFilter

func (p filterPlan) open(_ *run, view int) walk { return &unionWalk{p[view].matches} }
