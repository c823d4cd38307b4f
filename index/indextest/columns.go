package indextest

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// columnValues are the values of a document in a column, ascending: *big.Rat,
// time.Time or string.
func columnValues(d index.Document, f index.FieldType) (out []any) {
	if f.Kind == index.Keyword {
		all := values(d, f.Name)
		slices.Sort(all)
		for _, s := range slices.Compact(all) {
			out = append(out, s)
		}
		return out
	}
	for _, field := range d.Fields {
		if field.Name != f.Name {
			continue
		}
		switch v := field.Value.(type) {
		case int:
			out = append(out, new(big.Rat).SetInt64(int64(v)))
		case int64:
			out = append(out, new(big.Rat).SetInt64(v))
		case float64:
			out = append(out, new(big.Rat).SetFloat64(v))
		case time.Time:
			out = append(out, v.Truncate(time.Microsecond).UTC())
		}
	}
	return out
}

func compareValues(a, b any) int {
	switch a := a.(type) {
	case *big.Rat:
		return a.Cmp(b.(*big.Rat))
	case time.Time:
		return a.Compare(b.(time.Time))
	}
	return cmp.Compare(a.(string), b.(string))
}

// span is what a text stands for: from first to last, without last if open.
type span struct {
	first, last any
	open        bool
}

// spanOf reads a bound of a Range; false: it makes no sense.
func spanOf(k index.Kind, s string) (span, bool) {
	switch k {
	case index.Keyword:
		return span{first: s, last: s}, true
	case index.Float:
		v, err := strconv.ParseFloat(s, 64)
		return span{first: new(big.Rat).SetFloat64(v), last: new(big.Rat).SetFloat64(v)}, err == nil
	case index.Integer:
		v, ok := new(big.Rat).SetString(s)
		return span{first: v, last: v}, ok
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return span{first: t, last: t}, true
	}
	for layout, next := range map[string]func(time.Time) time.Time{
		"2006":       func(t time.Time) time.Time { return t.AddDate(1, 0, 0) },
		"2006-01":    func(t time.Time) time.Time { return t.AddDate(0, 1, 0) },
		"2006-01-02": func(t time.Time) time.Time { return t.AddDate(0, 0, 1) },
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return span{t, next(t), true}, true
		}
	}
	return span{}, false
}

// ranged answers a Range.
func (e *evaluation) ranged(q query.Range) *answer {
	out := e.nothing()
	f, ok := e.schema.Field(q.Field)
	if f.Kind == index.Text && ok {
		return e.wordsBetween(f, q)
	}
	if !ok || f.Kind < index.Integer && f.Kind != index.Keyword {
		e.warnField(ok)
		return out
	}
	for _, s := range []string{q.From, q.To} {
		if _, ok := spanOf(f.Kind, s); s != "" && !ok {
			e.warn(query.WarnBadValue)
			return out
		}
	}
	for i, d := range e.docs {
		for _, v := range columnValues(d.Document, f) {
			out.match[i] = out.match[i] || within(f.Kind, q, v)
		}
	}
	return out
}

// wordsBetween answers a Range of a text field.
func (e *evaluation) wordsBetween(f index.FieldType, q query.Range) *answer {
	out := e.nothing()
	from, to := analysis.Fold(e.analyzer(f), q.From), analysis.Fold(e.analyzer(f), q.To)
	for i, d := range e.docs {
		for _, t := range d.tokens[f.Name] {
			low, high := strings.Compare(t.Text, from), strings.Compare(t.Text, to)
			above := low > 0 || low == 0 && !q.AfterFrom || from == ""
			below := high < 0 || high == 0 && !q.BeforeTo || to == ""
			out.match[i] = out.match[i] || above && below
		}
	}
	return out
}

func within(k index.Kind, q query.Range, v any) bool {
	if s, _ := spanOf(k, q.From); q.From != "" {
		switch c := compareValues(v, s.first); {
		case c < 0:
			return false
		case q.AfterFrom:
			if c = compareValues(v, s.last); c < 0 || c == 0 && !s.open {
				return false
			}
		}
	}
	if s, _ := spanOf(k, q.To); q.To != "" {
		switch c := compareValues(v, s.last); {
		case c > 0 || c == 0 && s.open:
			return false
		case q.BeforeTo && compareValues(v, s.first) >= 0:
			return false
		}
	}
	return true
}

// exists answers an Exists.
func (e *evaluation) exists(name string) *answer {
	out := e.nothing()
	f, ok := e.schema.Field(name)
	if !ok || f.Kind == index.StoredOnly {
		e.warnField(ok)
		return out
	}
	for i, d := range e.docs {
		out.match[i] = len(d.tokens[name]) > 0
		if f.Kind != index.Text {
			out.match[i] = len(columnValues(d.Document, f)) > 0
		}
	}
	return out
}

// numeric answers a leaf that asks a column of numbers, as a range of one
// value; false: it does not.
func (e *evaluation) numeric(q query.Query) (a *answer, ok bool) {
	field, text := "", ""
	switch q := q.(type) {
	case query.Term:
		field, text = q.Field, q.Text
	case query.Match:
		field, text = q.Field, q.Text
	case query.Phrase:
		field, text = q.Field, q.Text
	case query.Prefix:
		field = q.Field
	case query.Wildcard:
		field = q.Field
	case query.Regexp:
		field = q.Field
	case query.Fuzzy:
		field = q.Field
	default:
		return nil, false
	}
	f, _ := e.schema.Field(field)
	pattern := !slices.Contains([]string{"query.Term", "query.Match", "query.Phrase"}, fmt.Sprintf("%T", q))
	switch {
	case f.Kind < index.Integer:
		return nil, false
	case pattern:
		e.warn(query.WarnUnfitField)
		return e.nothing(), true
	case strings.TrimSpace(text) == "":
		return nil, true
	}
	return e.ranged(query.Range{Field: field, From: strings.TrimSpace(text), To: strings.TrimSpace(text)}), true
}

// ordered is a match with what it is ordered by.
type ordered struct {
	hit index.Hit
	doc document
}

// order sorts matches.
func (t *Twin) order(all []ordered, by []index.SortBy) {
	if len(by) == 0 {
		by = []index.SortBy{{}}
	}
	slices.SortStableFunc(all, func(a, b ordered) int { // keys ascend already
		for _, s := range by {
			if c := t.compare(a, b, s); c != 0 {
				return c
			}
		}
		return 0
	})
}

func (t *Twin) compare(a, b ordered, s index.SortBy) int {
	if s.Field == "" {
		return cmp.Compare(b.hit.Score, a.hit.Score)
	}
	f, _ := t.opt.Schema.Field(s.Field)
	x, y := columnValues(a.doc.Document, f), columnValues(b.doc.Document, f)
	if len(x) == 0 || len(y) == 0 {
		c := cmp.Compare(min(1, len(y)), min(1, len(x)))
		if s.MissingFirst {
			c = -c
		}
		return c
	}
	if s.Descending {
		return compareValues(y[len(y)-1], x[len(x)-1])
	}
	return compareValues(x[0], y[0])
}

// collapse leaves out what has too many of its group before it.
func (t *Twin) collapse(all []ordered, by index.Collapse) []ordered {
	f, ok := t.opt.Schema.Field(by.Field)
	if !ok {
		return all
	}
	var out []ordered
	for _, o := range all {
		group := columnValues(o.doc.Document, f)
		same := 0
		for _, other := range out {
			if v := columnValues(other.doc.Document, f); len(group) > 0 && len(v) > 0 && compareValues(v[0], group[0]) == 0 {
				same++
			}
		}
		if same < max(1, by.Keep) {
			out = append(out, o)
		}
	}
	return out
}

// static adds to the scores of matches.
func (e *evaluation) static(found *answer, asked []index.Static) {
	for _, s := range asked {
		f, _ := e.schema.Field(s.Field)
		if s.Prior == nil {
			s.Prior = rank.Saturation{}
		}
		for i, d := range e.docs {
			if v := columnValues(d.Document, f); len(v) > 0 && found.match[i] {
				found.score[i] += max(0, s.Prior.Add(float(v[0])))
			}
		}
	}
}
