package query

import (
	"slices"
	"strings"
)

// Schema tells the parsers which fields there are and what they hold. index.Schema is
// one; [Names] is one where only the names are known.
type Schema interface {
	// FieldKind returns what the field of that name holds.
	FieldKind(name string) FieldKind
	// CheckValue reports why text, which is not empty, can be no value of a field of
	// [Values], nor the bound of a range of them.
	CheckValue(name, text string) error
}

// FieldKind is what a field holds, as far as reading a query goes.
type FieldKind int

// The kinds of fields.
const (
	NoField    FieldKind = iota // there is no such field
	Unsearched                  // it is only kept: no query can ask for it
	Words                       // text, which is taken apart into words
	Strings                     // strings as they are, such as a site
	Values                      // numbers or times
)

// Names are the names of fields, each taken to hold [Words].
type Names []string

// FieldKind implements [Schema].
func (n Names) FieldKind(name string) FieldKind {
	if slices.Contains(n, name) {
		return Words
	}
	return NoField
}

// CheckValue implements [Schema]: anything will do.
func (Names) CheckValue(string, string) error { return nil }

// kind is what a field holds. Without a schema Parse takes any name for a field of words,
// and ParseLenient none.
func (p *parser) kind(field string) FieldKind {
	switch {
	case p.opt.Schema != nil && field != "":
		return p.opt.Schema.FieldKind(field)
	case p.lenient && field != "":
		return NoField
	}
	return Words
}

// fitted returns what a leaf in a field asks of the field, by what that holds; false: it
// cannot be asked that, which was noted with the place at.
func (p *parser) fitted(at int, q Query) (Query, bool) {
	kind := p.kind(p.field)
	switch leaf := q.(type) {
	case nil:
		return nil, true
	case Boost:
		of, ok := p.fitted(at, leaf.Query)
		return Boost{of, leaf.By}, ok
	case Constant:
		of, ok := p.fitted(at, leaf.Query)
		return Constant{of, leaf.Score}, ok
	case Exists, Range, Term, Match, Phrase:
		if kind == Values {
			return p.value(at, q)
		}
	default:
		if kind == Values {
			p.note(at, Warning{WarnUnfitField, p.field, "field " + p.field + " has values and no words"})
			return nil, false
		}
	}
	if kind == Unsearched {
		p.note(at, Warning{WarnUnfitField, p.field, "field " + p.field + " is not searched: it is only kept"})
		return nil, false
	}
	return q, true
}

// value returns what a leaf asks of a field of values: a range of them.
func (p *parser) value(at int, q Query) (Query, bool) {
	text := ""
	switch q := q.(type) {
	case Range:
		return q, p.bounded(at, q)
	case Term:
		text = q.Text
	case Match:
		text = q.Text
	case Phrase:
		text = q.Text
	}
	if text = strings.TrimSpace(text); text == "" {
		return q, true // any value, or nothing
	}
	r := Range{Field: p.field, From: text, To: text}
	return r, p.bounded(at, r)
}

// bounded reports whether the bounds of a range are values of its field.
func (p *parser) bounded(at int, r Range) bool {
	for _, bound := range []string{r.From, r.To} {
		if bound == "" {
			continue
		}
		if err := p.opt.Schema.CheckValue(r.Field, bound); err != nil {
			p.note(at, Warning{WarnBadValue, r.Field, "field " + r.Field + ": " + err.Error()})
			return false
		}
	}
	return true
}
