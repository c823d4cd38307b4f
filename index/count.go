package index

import (
	"maps"
	"math"
	"slices"

	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/tally"
)

// counting is a facet of a search.
type counting struct {
	name    string
	column  *columnPlan
	dict    *dictionary // of strings
	counter tally.Counter
	view    int
	cursor  *column.Cursor
	values  []int64
}

func (p *planner) countings(facets map[string]facet.Facet) (out []*counting, err error) {
	for _, name := range slices.Sorted(maps.Keys(facets)) {
		f := facets[name]
		if f == nil {
			return nil, &QueryError{Msg: "facet " + quoted(name) + " is nil"}
		}
		c := &counting{name: name}
		if c.column, err = p.openColumn(f.Of()); err != nil {
			return nil, err
		}
		k := c.column.Kind
		of := tally.Column{
			Text:  -1,
			Time:  k == Time,
			Name:  func(n int64) (string, error) { return format(k, n), nil },
			Float: func(n int64) float64 { return asFloat(k, n) },
			From:  func(f float64) int64 { return leastFrom(k, f) },
		}
		if k == Keyword {
			if c.dict, err = p.strings(c.column); err != nil {
				return nil, err
			}
			of.Text, of.Name = c.dict.len(), c.dict.text
		}
		if c.counter, err = tally.New(f, of); err != nil {
			return nil, &SchemaError{f.Of(), "is " + k.String() + ": " + err.Error()}
		}
		out = append(out, c)
	}
	return out, nil
}

// leastFrom returns the least value of a column that is not less than a bound.
func leastFrom(k Kind, f float64) int64 {
	switch k {
	case Float:
		return orderedBits(f)
	case Time:
		f *= 1e6
	}
	switch f = math.Ceil(f); {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

func (c *counting) open(r *run, view int) {
	c.view, c.cursor = view, c.column.of[view].Cursor()
	r.columns = append(r.columns, c.cursor)
}

func (c *counting) add(doc uint32) {
	c.values = c.cursor.Values(c.values[:0], doc)
	if c.dict != nil {
		for i, n := range c.values {
			c.values[i] = c.dict.number(c.view, n)
		}
	}
	c.counter.Add(c.values)
}

func results(counts []*counting) (map[string]facet.Result, error) {
	if len(counts) == 0 {
		return nil, nil
	}
	out := map[string]facet.Result{}
	for _, c := range counts {
		res, err := c.counter.Result()
		if err != nil {
			return nil, err
		}
		out[c.name] = res
	}
	return out, nil
}
