package index

import (
	"maps"
	"math"
	"slices"

	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/tally"
	"github.com/webquarry/quarry/index/query"
)

// counting is a facet of a search.
type counting struct {
	name    string
	facet   facet.Facet
	column  *columnPlan
	values  tally.Column // as the counter knows it
	dict    *dictionary  // of strings
	counter tally.Counter
	view    int
	cursor  *column.Cursor
	now     []int64 // values of a document
}

func (p *planner) countings(facets map[string]facet.Facet) (out []*counting, err error) {
	for _, name := range slices.Sorted(maps.Keys(facets)) {
		f := facets[name]
		if f == nil {
			return nil, &query.Error{Pos: -1, Msg: "facet " + quoted(name) + " is nil"}
		}
		c := &counting{name: name, facet: f}
		if c.column, err = p.openColumn(f.Of()); err != nil {
			return nil, err
		}
		k := c.column.Kind
		c.values = tally.Column{
			Text:  -1,
			Time:  k == Time,
			Name:  func(n int64) (string, error) { return format(k, n), nil },
			Float: func(n int64) float64 { return asFloat(k, n) },
			From:  func(f float64) int64 { return leastFrom(k, f) },
		}
		switch k {
		case Integer:
			c.values.Unit = 1
		case Time:
			c.values.Unit = 1e6
		case Keyword:
			if c.dict, err = p.strings(c.column); err != nil {
				return nil, err
			}
			c.values.Text, c.values.Name = c.dict.len(), c.dict.text
		}
		if c.counter, err = tally.New(f, c.values); err != nil {
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

// fork returns one for some of the segments.
func (c *counting) fork() *counting {
	out := &counting{name: c.name, facet: c.facet, column: c.column, values: c.values, dict: c.dict}
	out.counter, _ = tally.New(c.facet, c.values) // as it was before
	return out
}

func (c *counting) open(r *run, view int) {
	c.view, c.cursor = view, c.column.of[view].Cursor()
	r.columns = append(r.columns, c.cursor)
}

func (c *counting) add(doc uint32) {
	c.now = c.cursor.Values(c.now[:0], doc)
	if c.dict != nil {
		for i, n := range c.now {
			c.now[i] = c.dict.number(c.view, n)
		}
	}
	c.counter.Add(c.now)
}

// check counts a step, and says why the search must end.
func (r *run) check() error {
	r.stop()
	return r.err
}

func results(r *run, counts []*counting) (map[string]facet.Result, error) {
	if len(counts) == 0 {
		return nil, nil
	}
	out := map[string]facet.Result{}
	for _, c := range counts {
		res, err := c.counter.Result(r.check)
		if err != nil {
			return nil, err
		}
		out[c.name] = res
	}
	return out, nil
}
