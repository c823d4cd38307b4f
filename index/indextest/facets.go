package indextest

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
)

// facets counts what is asked for over the matches.
func (t *Twin) facets(all []ordered, asked map[string]facet.Facet) map[string]facet.Result {
	var out map[string]facet.Result
	for name, q := range asked {
		f, _ := t.opt.Schema.Field(q.Of())
		var res facet.Result
		var each []any // a value for each document and value
		for _, o := range all {
			v := columnValues(o.doc.Document, f)
			each = append(each, v...)
			if len(v) == 0 {
				res.Missing++
			}
		}
		switch q := q.(type) {
		case facet.Terms:
			countTerms(&res, f.Kind, each, q)
		case facet.Ranges:
			countRanges(&res, each, q)
		case facet.Dates:
			countMonths(&res, each)
		case facet.Numbers:
			res.Stats.Count = len(all) - res.Missing
			sumUp(&res.Stats, f.Kind, each)
		}
		if out == nil {
			out = map[string]facet.Result{}
		}
		out[name] = res
	}
	return out
}

func kindName(k index.Kind, v any) string {
	switch v := v.(type) {
	case *big.Rat:
		if k == index.Integer {
			return v.Num().String()
		}
		x, _ := v.Float64()
		return strconv.FormatFloat(x, 'g', -1, 64)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return v.(string)
}

func countTerms(res *facet.Result, k index.Kind, each []any, q facet.Terms) {
	slices.SortFunc(each, compareValues)
	for _, v := range each {
		if n := len(res.Buckets); n == 0 || res.Buckets[n-1].Name != kindName(k, v) {
			res.Buckets = append(res.Buckets, facet.Bucket{Name: kindName(k, v)})
		}
		res.Buckets[len(res.Buckets)-1].Count++
	}
	slices.SortStableFunc(res.Buckets, func(a, b facet.Bucket) int { return cmp.Compare(b.Count, a.Count) })
	if limit := max(0, cmp.Or(q.Limit, 10)); len(res.Buckets) > limit {
		res.Other = len(res.Buckets) - limit
		res.Buckets = res.Buckets[:limit]
	}
}

func float(v any) float64 {
	if t, ok := v.(time.Time); ok {
		return float64(t.UnixMicro()) / 1e6
	}
	x, _ := v.(*big.Rat).Float64()
	return x
}

// countRanges leaves the names and bounds of the buckets out.
func countRanges(res *facet.Result, each []any, q facet.Ranges) {
	res.Buckets = make([]facet.Bucket, len(q.Bounds)+1)
	for _, v := range each {
		i := 0
		for i < len(q.Bounds) && float(v) >= q.Bounds[i] {
			i++
		}
		res.Buckets[i].Count++
	}
}

func countMonths(res *facet.Result, each []any) {
	slices.SortFunc(each, compareValues)
	for _, v := range each {
		month := v.(time.Time).Format("2006-01")
		if n := len(res.Buckets); n == 0 || res.Buckets[n-1].Name != month {
			start, _ := time.Parse("2006-01", month)
			res.Buckets = append(res.Buckets, facet.Bucket{Name: month, Start: start})
		}
		res.Buckets[len(res.Buckets)-1].Count++
	}
}

// exact is a value without any rounding.
func exact(v any) *big.Rat {
	if t, ok := v.(time.Time); ok {
		return big.NewRat(t.UnixMicro(), 1e6)
	}
	return v.(*big.Rat)
}

func sumUp(s *facet.Stats, k index.Kind, each []any) {
	slices.SortFunc(each, compareValues)
	sum := new(big.Rat)
	for i, v := range each {
		if i == 0 || compareValues(v, each[i-1]) != 0 {
			s.Distinct++
		}
		if k != index.Keyword {
			sum.Add(sum, exact(v))
		}
	}
	if k == index.Keyword || len(each) == 0 {
		return
	}
	s.Min, s.Max = float(each[0]), float(each[len(each)-1])
	s.Sum, _ = sum.Float64()
	s.Mean = s.Sum / float64(len(each))
}
