package collect

import (
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/query"
)

// Request says which matches of a query are wanted, in which order, and what is counted.
type Request struct {
	Query     query.Query
	Offset    int // best matches that are left out
	Limit     int // how many follow; 0: none. The sum of both is an int
	CountUpTo int // how many matches must be counted; 0: all
	Sort      []SortBy
	After     string // the cursor of the page before
	Collapse  Collapse
	Facets    map[string]facet.Facet
	Adds      []exec.Added
	Asked     []string // languages, as they were asked for
}

// Arranged reports whether the matches must be ordered or counted by columns.
func (r Request) Arranged() bool {
	return len(r.Sort) > 0 || r.Collapse.Field != "" || len(r.Facets) > 0
}

// search is a request under way.
type search struct {
	*exec.Planner
	Request
}

// Answer is a page of matches.
type Answer struct {
	Page  []Found
	Total Total

	search   *search
	arranger *arranger // nil: they are in the order of scores
	items    []*item   // of the page, if there is an arranger
}

// Find finds the matches of a plan that are wanted.
func Find(p *exec.Planner, root exec.Plan, r Request) (*Answer, error) {
	s := &search{p, r}
	if r.Arranged() {
		return s.arrange(root)
	}
	f := finding{run: p.Run, in: p.Commit, root: root, k: r.Offset + r.Limit, upTo: r.CountUpTo}
	var err error
	if f.after, err = s.readAfter(); err != nil {
		return nil, err
	}
	all, total, err := f.matches()
	if err != nil {
		return nil, err
	}
	page, err := ranked(p.Run, p.Commit, all, r.Offset, r.Limit)
	if err != nil {
		return nil, err
	}
	return &Answer{Page: page, Total: total, search: s}, nil
}

// SortValues are the values that place match i of the page; nil: it is not sorted.
func (a *Answer) SortValues(i int) ([]any, error) {
	if len(a.search.Sort) == 0 {
		return nil, nil
	}
	return a.arranger.sortValues(a.items[i])
}

// Next is the cursor behind a page of n matches that were read, the last of them of the
// given key; "": there can be no more.
func (a *Answer) Next(n int, key string) (string, error) {
	switch {
	case n == 0 || n < a.search.Limit:
		return "", nil
	case a.arranger == nil:
		return a.search.nextByScore(a.Page[n-1].Score, key), nil
	}
	last := a.items[n-1]
	last.key = key
	return a.search.writeCursor(a.arranger.keys, last)
}

// Counts are the facets.
func (a *Answer) Counts() (map[string]facet.Result, error) {
	if a.arranger == nil {
		return nil, nil
	}
	return results(a.search.Run, a.arranger.counts)
}
