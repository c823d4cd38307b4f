package tally

import (
	"cmp"
	"slices"

	"github.com/webquarry/quarry/index/facet"
)

// presetLimit is how many values are returned when no number is given.
const presetLimit = 10

type terms struct {
	facet.Terms
	c       Column
	dense   []int         // by number of a string
	sparse  map[int64]int // by value
	missing int
}

func newTerms(f facet.Terms, c Column) *terms {
	if c.Text >= 0 {
		return &terms{Terms: f, c: c, dense: make([]int, c.Text)}
	}
	return &terms{Terms: f, c: c, sparse: map[int64]int{}}
}

func (t *terms) Add(values []int64) {
	if len(values) == 0 {
		t.missing++
	}
	for _, v := range values {
		if t.sparse != nil {
			t.sparse[v]++
		} else if v >= 0 && v < int64(len(t.dense)) {
			t.dense[v]++
		}
	}
}

func (t *terms) Merge(c Counter) {
	other := c.(*terms)
	t.missing += other.missing
	for v, n := range other.dense {
		t.dense[v] += n
	}
	for v, n := range other.sparse {
		t.sparse[v] += n
	}
}

// counted is how many documents have a value.
type counted struct {
	value int64
	docs  int
}

func (t *terms) Result(check func() error) (facet.Result, error) {
	var all []counted
	for v, n := range t.dense {
		if n > 0 {
			all = append(all, counted{int64(v), n})
		}
	}
	for v, n := range t.sparse {
		all = append(all, counted{v, n})
	}
	var err error
	slices.SortFunc(all, func(a, b counted) int {
		if err == nil {
			err = check()
		}
		if err != nil {
			return 0 // so that it ends in no time
		}
		return cmp.Or(cmp.Compare(b.docs, a.docs), cmp.Compare(a.value, b.value))
	})
	if err != nil {
		return facet.Result{}, err
	}
	limit := max(0, cmp.Or(t.Limit, presetLimit))
	res := facet.Result{Missing: t.missing, Other: max(0, len(all)-limit)}
	for _, v := range all[:min(limit, len(all))] {
		if err := check(); err != nil {
			return facet.Result{}, err
		}
		name, err := t.c.Name(v.value)
		if err != nil {
			return facet.Result{}, err
		}
		res.Buckets = append(res.Buckets, facet.Bucket{Name: name, Count: v.docs})
	}
	return res, nil
}
