package exec

import (
	"cmp"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/query"
)

// ColumnPlan is a column of a search: what all that use it share.
type ColumnPlan struct {
	schema.Field
	field int              // its number
	Of    []*column.Column // by view; nil: no document has a value
	dict  *Dictionary      // of a Keyword, when asked for
}

// OpenColumn finds the column of a name. The error is a [*schema.Error] when
// there is none.
func (p *Planner) OpenColumn(name string) (*ColumnPlan, error) {
	if c := p.columns[name]; c != nil {
		return c, nil
	}
	t, ok := p.Schema.Find(name)
	switch {
	case !ok:
		return nil, &schema.Error{Field: name, Msg: "not in the schema"}
	case !t.Column || t.Kind == schema.Vector:
		return nil, &schema.Error{Field: name, Msg: "a " + t.Kind.String() + " field without a column"}
	}
	c := &ColumnPlan{Field: t, field: p.Commit.Schema.Number(name), Of: make([]*column.Column, len(p.Commit.Views))}
	for i, v := range p.Commit.Views {
		if c.field < 0 {
			break // it was added by the options of this index, and is in no commit
		}
		var err error
		if c.Of[i], err = v.Column(c.field); err != nil {
			return nil, err
		}
	}
	if p.columns == nil {
		p.columns = map[string]*ColumnPlan{}
	}
	p.columns[name] = c
	return c, nil
}

// Strings opens the dictionary of a column of strings.
func (p *Planner) Strings(c *ColumnPlan) (_ *Dictionary, err error) {
	if c.dict == nil {
		c.dict, err = p.dictionary(c.field, c.Of)
	}
	return c.dict, err
}

// textLeaf plans a leaf that looks for a text: in a column of numbers or times the value that
// it is, else what of makes of a field.
func (p *Planner) textLeaf(field, text string, of func(*fieldPlan) (Plan, error)) (Plan, error) {
	t, _ := p.Schema.Find(field)
	switch {
	case t.Kind < schema.Integer:
		return p.leaf(field, of)
	case strings.TrimSpace(text) == "":
		return nil, nil
	}
	return p.ranged(query.Range{Field: field, From: text, To: text})
}

// patternLeaf plans a leaf that stands for terms. Numbers have none.
func (p *Planner) patternLeaf(field string, of func(*fieldPlan) (Plan, error)) (Plan, error) {
	t, _ := p.Schema.Find(field)
	if t.Kind < schema.Integer {
		return p.leaf(field, of)
	}
	p.Warn(query.WarnUnfitField, field, "field %s is %v: it has no words", field, t.Kind)
	return nonePlan{}, nil
}

// ranged plans a Range. What users may get wrong is a warning.
func (p *Planner) ranged(r query.Range) (Plan, error) {
	t, ok := p.Schema.Find(r.Field)
	switch {
	case !ok:
		p.warnField(r.Field, false)
		return nonePlan{}, nil
	case t.Kind == schema.Keyword:
		return p.rangedStrings(t, r)
	case t.Kind == schema.Text:
		a, err := t.AnalyzerIn(p.Analyzers)
		if err != nil {
			return nil, err
		}
		r.From, r.To = analysis.Fold(a, r.From), analysis.Fold(a, r.To)
		return p.rangedStrings(t, r)
	case t.Kind < schema.Integer:
		p.Warn(query.WarnUnfitField, r.Field, "field %s has no ranges: it is %v", r.Field, t.Kind)
		return nonePlan{}, nil
	}
	c, err := p.OpenColumn(r.Field)
	if err != nil {
		return nil, err
	}
	lo, hi, err := schema.NumbersOf(t.Kind, r)
	if err != nil {
		p.Warn(query.WarnBadValue, r.Field, "field %s: %v", r.Field, err)
		return nonePlan{}, nil
	}
	out := &rangePlan{column: c, commit: p.Commit}
	for range c.Of {
		out.lo, out.hi = append(out.lo, lo), append(out.hi, hi)
	}
	return out, nil
}

// rangedStrings plans a Range of a Keyword, by its column or by its terms, or of a
// Text field.
func (p *Planner) rangedStrings(t schema.Field, r query.Range) (Plan, error) {
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
	c, err := p.OpenColumn(r.Field)
	if err != nil {
		return nil, err
	}
	out := &rangePlan{column: c, commit: p.Commit, lo: make([]int64, len(c.Of)), hi: make([]int64, len(c.Of))}
	for i, of := range c.Of {
		if of == nil || of.Dict == nil {
			continue
		}
		lo, hi, err := places(of, r)
		if err != nil {
			return nil, fault.Damage(p.Commit.Views[i].Name(), err)
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
func (p *Planner) between(f *fieldPlan, r query.Range) (*word, error) {
	w := p.word(f, r.String())
	w.silent = true
	for i, in := range f.readers {
		if in == nil {
			continue
		}
		terms := in.Dict.Iter()
		for ok := terms.Seek([]byte(r.From)); ok; ok = terms.Next() {
			if p.Run.Stop() {
				return nil, p.Run.Err
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
			return nil, fault.Damage(p.Commit.Views[i].Name(), err)
		}
	}
	return w, p.unite(w, "range")
}

// exists plans an Exists.
func (p *Planner) exists(name string) (Plan, error) {
	t, ok := p.Schema.Find(name)
	switch {
	case !ok || t.Kind == schema.StoredOnly:
		p.warnField(name, ok)
		return nonePlan{}, nil
	case t.Kind == schema.Vector:
		return p.vectors(t)
	case t.Column:
		return p.ranged(query.Range{Field: name})
	}
	f, err := p.field(t)
	if err != nil {
		return nil, err
	}
	return filledPlan{f}, nil
}
