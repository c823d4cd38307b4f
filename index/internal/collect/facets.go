package collect

import (
	"maps"
	"slices"
	"strconv"

	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/tally"
	"github.com/webquarry/quarry/index/query"
)

// counting is a facet of a search.
type counting struct {
	name    string
	facet   facet.Facet
	column  *exec.ColumnPlan
	values  tally.Column     // as the counter knows it
	dict    *exec.Dictionary // of strings
	counter tally.Counter
	view    int
	cursor  *column.Cursor
	now     []int64 // values of a document
}

func (p *search) countings(facets map[string]facet.Facet) (out []*counting, err error) {
	for _, name := range slices.Sorted(maps.Keys(facets)) {
		f := facets[name]
		if f == nil {
			return nil, &query.Error{Pos: -1, Msg: "facet " + strconv.Quote(name) + " is nil"}
		}
		c := &counting{name: name, facet: f}
		if c.column, err = p.OpenColumn(f.Of()); err != nil {
			return nil, err
		}
		k := c.column.Kind
		c.values = tally.Column{
			Text:  -1,
			Time:  k == schema.Time,
			Name:  func(n int64) (string, error) { return schema.Format(k, n), nil },
			Float: func(n int64) float64 { return schema.AsFloat(k, n) },
			From:  func(f float64) int64 { return schema.LeastFrom(k, f) },
		}
		switch k {
		case schema.Integer:
			c.values.Unit = 1
		case schema.Time:
			c.values.Unit = 1e6
		case schema.Keyword:
			if c.dict, err = p.Strings(c.column); err != nil {
				return nil, err
			}
			c.values.Text, c.values.Name = c.dict.Len(), c.dict.Text
		}
		if c.counter, err = tally.New(f, c.values); err != nil {
			return nil, &schema.Error{Field: f.Of(), Msg: "is " + k.String() + ": " + err.Error()}
		}
		out = append(out, c)
	}
	return out, nil
}

// fork returns one for some of the segments.
func (c *counting) fork() *counting {
	out := &counting{name: c.name, facet: c.facet, column: c.column, values: c.values, dict: c.dict}
	out.counter, _ = tally.New(c.facet, c.values) // as it was before
	return out
}

func (c *counting) open(r *exec.Run, view int) {
	c.view, c.cursor = view, c.column.Of[view].Cursor()
	r.Columns = append(r.Columns, c.cursor)
}

func (c *counting) add(doc uint32) {
	c.now = c.cursor.Values(c.now[:0], doc)
	if c.dict != nil {
		for i, n := range c.now {
			c.now[i] = c.dict.Number(c.view, n)
		}
	}
	c.counter.Add(c.now)
}

func results(r *exec.Run, counts []*counting) (map[string]facet.Result, error) {
	if len(counts) == 0 {
		return nil, nil
	}
	out := map[string]facet.Result{}
	for _, c := range counts {
		res, err := c.counter.Result(r.Check)
		if err != nil {
			return nil, err
		}
		out[c.name] = res
	}
	return out, nil
}
