package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/query"
)

// checkNumbers reports a value that its column does not take.
func (a *analyst) checkNumbers(d Document) error {
	for i, f := range d.Fields {
		t := a.schema[a.numbers[f.Name]]
		if t.Kind < Integer {
			continue
		}
		if _, _, err := toNumber(t.Kind, f.Value); err != nil {
			return &SchemaError{f.Name, fmt.Sprintf("%v, in document %s", err, quoted(d.Key))}
		}
		for _, other := range d.Fields[:i] {
			if other.Name == f.Name {
				return &SchemaError{f.Name, "takes one value, in document " + quoted(d.Key)}
			}
		}
	}
	return nil
}

// columns returns what a document, which was checked, has in columns.
func (a *analyst) columns(d Document) (out []invert.ColumnValue) {
	for _, f := range d.Fields {
		number := a.numbers[f.Name]
		switch t := a.schema[number]; {
		case !t.Column:
		case t.Kind == Keyword:
			v := invert.ColumnValue{Field: number, IsText: true}
			for s := range f.values() {
				v.Strings = append(v.Strings, s)
			}
			out = append(out, v)
		default:
			if n, ok, err := toNumber(t.Kind, f.Value); ok && err == nil {
				out = append(out, invert.ColumnValue{Field: number, Number: n})
			}
		}
	}
	return out
}

// column opens the column of a field by its number; nil when no document of the
// segment has a value.
func (v *view) column(field int) (*column.Column, error) {
	return v.overlay.open(v.handle, field)
}

// columnPlan is a column of a search: what all that use it share.
type columnPlan struct {
	FieldType
	field int              // its number
	of    []*column.Column // by view; nil: no document has a value
	dict  *dictionary      // of a Keyword, when asked for
}

// openColumn finds the column of a name. The error is a [*SchemaError] when
// there is none.
func (p *planner) openColumn(name string) (*columnPlan, error) {
	if c := p.columns[name]; c != nil {
		return c, nil
	}
	t, ok := p.schema.Field(name)
	switch {
	case !ok:
		return nil, &SchemaError{name, "not in the schema"}
	case !t.Column:
		return nil, &SchemaError{name, "a " + t.Kind.String() + " field without a column"}
	}
	c := &columnPlan{FieldType: t, field: slices.IndexFunc(p.commit.schema, func(f FieldType) bool { return f.Name == name }), of: make([]*column.Column, len(p.commit.views))}
	for i, v := range p.commit.views {
		if c.field < 0 {
			break // it was added by the options of this index, and is in no commit
		}
		var err error
		if c.of[i], err = v.column(c.field); err != nil {
			return nil, err
		}
	}
	if p.columns == nil {
		p.columns = map[string]*columnPlan{}
	}
	p.columns[name] = c
	return c, nil
}

// strings opens the dictionary of a column of strings.
func (p *planner) strings(c *columnPlan) (_ *dictionary, err error) {
	if c.dict == nil {
		c.dict, err = p.dictionary(c.field, c.of)
	}
	return c.dict, err
}

// textLeaf plans a leaf that looks for a text: in a column of numbers or times the value that
// it is, else what of makes of a field.
func (p *planner) textLeaf(field, text string, of func(*fieldPlan) (plan, error)) (plan, error) {
	t, _ := p.schema.Field(field)
	switch {
	case t.Kind < Integer:
		return p.leaf(field, of)
	case strings.TrimSpace(text) == "":
		return nil, nil
	}
	return p.ranged(query.Range{Field: field, From: text, To: text})
}

// patternLeaf plans a leaf that stands for terms. Numbers have none.
func (p *planner) patternLeaf(field string, of func(*fieldPlan) (plan, error)) (plan, error) {
	t, _ := p.schema.Field(field)
	if t.Kind < Integer {
		return p.leaf(field, of)
	}
	p.warn(query.WarnUnfitField, field, "field %s is %v: it has no words", field, t.Kind)
	return nonePlan{}, nil
}

// ranged plans a Range. What users may get wrong is a warning.
func (p *planner) ranged(r query.Range) (plan, error) {
	t, ok := p.schema.Field(r.Field)
	switch {
	case !ok:
		p.warnField(r.Field, false)
		return nonePlan{}, nil
	case t.Kind == Keyword:
		return p.rangedStrings(t, r)
	case t.Kind == Text:
		if err := (Schema{t}).checkAnalyzers(p.analyzers); err != nil {
			return nil, err
		}
		a := p.analyzers[t.Analyzer]
		r.From, r.To = analysis.Fold(a, r.From), analysis.Fold(a, r.To)
		return p.rangedStrings(t, r)
	case t.Kind < Integer:
		p.warn(query.WarnUnfitField, r.Field, "field %s has no ranges: it is %v", r.Field, t.Kind)
		return nonePlan{}, nil
	}
	c, err := p.openColumn(r.Field)
	if err != nil {
		return nil, err
	}
	lo, hi, err := numbersOf(t.Kind, r)
	if err != nil {
		p.warn(query.WarnBadValue, r.Field, "field %s: %v", r.Field, err)
		return nonePlan{}, nil
	}
	out := &rangePlan{column: c, commit: p.commit}
	for range c.of {
		out.lo, out.hi = append(out.lo, lo), append(out.hi, hi)
	}
	return out, nil
}

// rangedStrings plans a Range of a Keyword, by its column or by its terms, or of a
// Text field.
func (p *planner) rangedStrings(t FieldType, r query.Range) (plan, error) {
	if !t.Column {
		f, err := p.field(t)
		if err != nil {
			return nil, err
		}
		w, err := p.between(f, r)
		if err != nil {
			return nil, err
		}
		return constantPlan{p.wordPlan(w), 0}, nil
	}
	c, err := p.openColumn(r.Field)
	if err != nil {
		return nil, err
	}
	out := &rangePlan{column: c, commit: p.commit, lo: make([]int64, len(c.of)), hi: make([]int64, len(c.of))}
	for i, of := range c.of {
		if of == nil || of.Dict == nil {
			continue
		}
		lo, hi, err := places(of, r)
		if err != nil {
			return nil, damage(p.commit.views[i].name(), err)
		}
		out.lo[i], out.hi[i] = lo, hi
	}
	return out, nil
}

// places returns the places in the dictionary of the strings that r lets
// through.
func places(of *column.Column, r query.Range) (lo, hi int64, err error) {
	hi = int64(of.Dict.Len()) - 1
	if r.From != "" {
		if lo, err = placeOf(of, r.From, r.AfterFrom); err != nil {
			return 0, 0, err
		}
	}
	if r.To != "" {
		if hi, err = placeOf(of, r.To, !r.BeforeTo); err != nil {
			return 0, 0, err
		}
		hi--
	}
	return lo, hi, nil
}

// placeOf returns the place of the first string that is not less than s, or,
// after, that is greater.
func placeOf(of *column.Column, s string, after bool) (int64, error) {
	it := of.Dict.Iter()
	switch {
	case !it.Seek([]byte(s)):
		return int64(of.Dict.Len()), it.Err()
	case after && string(it.Text()) == s:
		return int64(it.Place()) + 1, nil
	}
	return int64(it.Place()), nil
}

// between makes the word of the terms that r lets through.
func (p *planner) between(f *fieldPlan, r query.Range) (*word, error) {
	w := p.word(f, r.String())
	w.silent = true
	for i, in := range f.readers {
		if in == nil {
			continue
		}
		terms := in.Dict.Iter()
		for ok := terms.Seek([]byte(r.From)); ok; ok = terms.Next() {
			if p.run.stop() {
				return nil, p.run.err
			}
			text := string(terms.Term())
			if c := cmp.Compare(text, r.To); r.To != "" && (c > 0 || c == 0 && r.BeforeTo) {
				break
			}
			if r.AfterFrom && text == r.From {
				continue
			}
			e, err := terms.Entry()
			if err != nil {
				break
			}
			w.entries[i] = append(w.entries[i], e)
		}
		if err := terms.Err(); err != nil {
			return nil, damage(p.commit.views[i].name(), err)
		}
	}
	return w, p.unite(w, "range")
}

// exists plans an Exists.
func (p *planner) exists(name string) (plan, error) {
	t, ok := p.schema.Field(name)
	switch {
	case !ok || t.Kind == StoredOnly:
		p.warnField(name, ok)
		return nonePlan{}, nil
	case t.Column:
		return p.ranged(query.Range{Field: name})
	}
	f, err := p.field(t)
	if err != nil {
		return nil, err
	}
	return filledPlan{f}, nil
}
