package collect

import (
	"cmp"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/schema"
)

// SortBy orders matches by a column, see index.SortBy.
type SortBy struct {
	Field        string // "": the score, best first
	Descending   bool   // the greatest first
	MissingFirst bool   // documents without a value come first, not last
}

// rung is a value that matches are ordered by: smaller ones come first.
type rung struct {
	class uint8 // before values, a value, or after them
	value uint64
}

const (
	missingFirst = iota
	present
	missingLast
)

func compareRungs(a, b rung) int {
	return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.value, b.value))
}

// orderKey is a SortBy of a search.
type orderKey struct {
	SortBy
	column *exec.ColumnPlan // nil: the score
	dict   *exec.Dictionary // of strings
}

func (p *search) order(by []SortBy) ([]orderKey, error) {
	if len(by) == 0 {
		by = []SortBy{{}}
	}
	keys := make([]orderKey, len(by))
	for i, s := range by {
		keys[i].SortBy = s
		if s.Field == "" {
			continue
		}
		var err error
		if keys[i].column, err = p.OpenColumn(s.Field); err != nil {
			return nil, err
		}
		if keys[i].column.Kind == schema.Keyword {
			if keys[i].dict, err = p.Strings(keys[i].column); err != nil {
				return nil, err
			}
		}
	}
	return keys, nil
}

// rung places a value of the column; n is of the view, or by number if it is a
// string.
func (k *orderKey) rung(n int64, ok bool) rung {
	switch {
	case ok:
		return k.directed(uint64(n) ^ 1<<63)
	case k.MissingFirst:
		return rung{class: missingFirst}
	}
	return rung{class: missingLast}
}

// directed places a value by its rank among those of the column.
func (k *orderKey) directed(v uint64) rung {
	if k.dict != nil {
		v = v&^(1<<63)*2 + 1 // between them is room for strings that are not there
	}
	if k.Descending {
		v = ^v
	}
	return rung{present, v}
}

// before places a string that is not there and would be number n.
func (k *orderKey) before(n int64) rung {
	v := uint64(n) * 2
	if k.Descending {
		v = ^v
	}
	return rung{present, v}
}

func scoreRung(score float64) rung {
	return rung{present, ^(uint64(schema.OrderedBits(score)) ^ 1<<63)}
}

// value is what a rung stands for; nil if a document has none.
func (k *orderKey) value(r rung) (any, error) {
	switch {
	case r.class != present:
		return nil, nil
	case k.column == nil:
		return scoreOf(r), nil
	case k.dict == nil:
		return schema.GoValue(k.column.Kind, int64(k.undirected(r)^1<<63)), nil
	}
	return k.dict.Text(int64(k.undirected(r) / 2))
}

// undirected takes back what directed does for a descending order.
func (k *orderKey) undirected(r rung) uint64 {
	if k.Descending {
		return ^r.value
	}
	return r.value
}

// scoreOf is the score of a rung.
func scoreOf(r rung) float64 { return schema.FromOrderedBits(int64(^r.value ^ 1<<63)) }

// keyReader reads the values of an orderKey in a view.
type keyReader struct {
	*orderKey
	view   int
	cursor *column.Cursor
	values []int64
}

func (k *orderKey) open(r *exec.Run, view int) keyReader {
	reader := keyReader{orderKey: k, view: view}
	if k.column != nil {
		reader.cursor = k.column.Of[view].Cursor()
		r.Columns = append(r.Columns, reader.cursor)
	}
	return reader
}

func (k *keyReader) at(doc uint32, w exec.Iterator) rung {
	if k.column == nil {
		return scoreRung(w.Score())
	}
	n, ok := k.cursor.At(doc)
	if k.dict == nil || !ok {
		return k.rung(n, ok)
	}
	if k.Descending && !k.column.Of[k.view].Single() {
		k.values = k.cursor.Values(k.values[:0], doc)
		if last := len(k.values) - 1; last >= 0 {
			n = k.values[last]
		}
	}
	return k.rung(k.dict.Number(k.view, n), true)
}

// best returns the best that a document around doc can be, and the last
// document that it holds for.
func (k *keyReader) best(doc uint32) (rung, uint32) {
	s, ok := k.cursor.Span(doc)
	if !ok {
		return rung{}, doc
	}
	missing := k.rung(0, false)
	if s.Present == 0 {
		return missing, s.Last
	}
	n := s.Min
	if k.Descending {
		n = s.Max
	}
	if k.dict != nil {
		n = k.dict.Number(k.view, n)
	}
	best := k.rung(n, true)
	if !s.All() && compareRungs(missing, best) < 0 {
		best = missing
	}
	return best, s.Last
}
