package collect

import (
	"fmt"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/query"
)

// Collapse lets few hits share a value of a column, see index.Collapse.
type Collapse struct {
	Field string // "": nothing
	Keep  int    // hits that may share a value; 0: 1
}

// collapsing is a collapse of a search.
type collapsing struct {
	column  *exec.ColumnPlan
	dict    *exec.Dictionary // of strings
	keep    int
	members map[int64][]*item // of a group, those among the best
	before  map[int64]int     // of a group, those on the pages before, as far as they were counted
	earlier map[int64]int     // the same when all were
}

// collapsing returns nil when nothing is collapsed.
func (p *search) collapsing(c Collapse) (*collapsing, error) {
	if c.Field == "" {
		return nil, nil
	}
	if c.Keep < 0 {
		return nil, &query.Error{Pos: -1, Msg: fmt.Sprintf("%d hits may share a value of %q", c.Keep, c.Field)}
	}
	col, err := p.OpenColumn(c.Field)
	if err != nil {
		return nil, err
	}
	out := &collapsing{column: col, keep: max(1, c.Keep), members: map[int64][]*item{}, before: map[int64]int{}}
	if col.Kind == schema.Keyword {
		out.dict, err = p.Strings(col)
	}
	return out, err
}

// fork returns one for some of the segments.
func (c *collapsing) fork() *collapsing {
	if c == nil {
		return nil
	}
	return &collapsing{column: c.column, dict: c.dict, keep: c.keep, members: map[int64][]*item{}, before: map[int64]int{}, earlier: c.earlier}
}

// groupReader reads the groups of the documents of a view.
type groupReader struct {
	*collapsing
	view   int
	cursor *column.Cursor
}

func (c *collapsing) open(r *exec.Run, view int) groupReader {
	cur := c.column.Of[view].Cursor()
	r.Columns = append(r.Columns, cur)
	return groupReader{c, view, cur}
}

// of returns the group of a document; of several values the least.
func (g *groupReader) of(doc uint32) (int64, bool) {
	n, ok := g.cursor.At(doc)
	if ok && g.dict != nil {
		n = g.dict.Number(g.view, n)
	}
	return n, ok
}
