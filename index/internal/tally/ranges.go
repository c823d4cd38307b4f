package tally

import (
	"errors"
	"math"
	"sort"
	"strconv"

	"github.com/webquarry/quarry/index/facet"
)

type ranges struct {
	facet.Ranges
	bounds  []int64
	counts  []int // one more than bounds
	missing int
}

func newRanges(f facet.Ranges, c Column) (*ranges, error) {
	if c.Text >= 0 {
		return nil, errors.New("ranges are of numbers and times")
	}
	r := &ranges{Ranges: f, counts: make([]int, len(f.Bounds)+1)}
	for i, b := range f.Bounds {
		if math.IsNaN(b) || i > 0 && b <= f.Bounds[i-1] {
			return nil, errors.New("the bounds of ranges must ascend")
		}
		r.bounds = append(r.bounds, c.From(b))
	}
	return r, nil
}

func (r *ranges) Add(values []int64) {
	if len(values) == 0 {
		r.missing++
	}
	for _, v := range values {
		r.counts[sort.Search(len(r.bounds), func(i int) bool { return r.bounds[i] > v })]++
	}
}

func (r *ranges) Merge(c Counter) {
	other := c.(*ranges)
	r.missing += other.missing
	for i, n := range other.counts {
		r.counts[i] += n
	}
}

func (r *ranges) Result(func() error) (facet.Result, error) {
	res := facet.Result{Missing: r.missing}
	for i, n := range r.counts {
		b := facet.Bucket{Count: n, From: math.Inf(-1), To: math.Inf(1)}
		if i > 0 {
			b.From = r.Bounds[i-1]
		}
		if i < len(r.Bounds) {
			b.To = r.Bounds[i]
		}
		switch {
		case len(r.Bounds) == 0:
			b.Name = "all"
		case i == 0:
			b.Name = "below " + number(b.To)
		case i == len(r.Bounds):
			b.Name = "from " + number(b.From)
		default:
			b.Name = number(b.From) + " - " + number(b.To)
		}
		res.Buckets = append(res.Buckets, b)
	}
	return res, nil
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
