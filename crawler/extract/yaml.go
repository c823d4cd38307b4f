package extract

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/webquarry/quarry/crawler/internal/nesting"
)

// Limits of schemas, against mistakes rather than malice.
const (
	maxSchema = 1 << 20 // bytes of YAML
	maxFields = 1000    // of a schema, nested ones included
	maxNested = 16      // records within records
)

//go:embed schema.json
var jsonSchema string

// JSONSchema returns the JSON Schema (draft 2020-12) of schemas in YAML, for
// editors and other programs.
func JSONSchema() string { return jsonSchema }

// Parse reads a schema in YAML:
//
//	name: product
//	urls: [/product/**]
//	fields:
//	  title: {css: h1, required: true}
//	  price: {css: .price, type: price, any: [{item: Product.offers.price}]}
//	  photos: {css: "img.photo", attr: src, type: url, list: true}
//	  reviews:
//	    css: .review
//	    list: true
//	    fields:
//	      author: .author
//	      stars: {css: .stars, attr: data-stars, type: int}
//
// A rule that is only a CSS selector may stand as a string. Keys that are not
// known and keys given twice are errors. All errors are a *[SchemaError] with
// line and column.
func Parse(text []byte) (s *Schema, err error) {
	defer func() { // of a text that the YAML library chokes on
		if v := recover(); v != nil {
			s, err = nil, &SchemaError{Err: fmt.Errorf("yaml: %v", v)}
		}
	}()
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // of some editors
	if len(text) > maxSchema {
		return nil, &SchemaError{Err: fmt.Errorf("%d bytes of at most %d", len(text), maxSchema)}
	}
	if nesting.Deep(text) {
		return nil, &SchemaError{Err: fmt.Errorf("more than %d brackets or entries within each other", nesting.Most)}
	}
	s = new(Schema)
	if err := yaml.UnmarshalWithOptions(text, s, yaml.Strict()); err != nil {
		return nil, located(err)
	}
	if _, err := Compile(s); err != nil {
		return nil, err
	}
	return s, nil
}

// located makes a SchemaError of an error of the YAML library.
func located(err error) error {
	if own, ok := errors.AsType[*SchemaError](err); ok {
		return own
	}
	e, ok := errors.AsType[yaml.Error](err)
	if !ok {
		return &SchemaError{Err: err}
	}
	at := place{}
	if t := e.GetToken(); t != nil && t.Position != nil {
		at = place{t.Position.Line, t.Position.Column}
	}
	return at.wrong("", errors.New(e.GetMessage()))
}

func (p place) wrong(path string, err error) *SchemaError {
	return &SchemaError{Line: p.line, Column: p.column, Path: path, Err: err}
}

func placeOf(n ast.Node) place {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return place{t.Position.Line, t.Position.Column}
	}
	return place{}
}

// UnmarshalYAML reads a mapping of names to fields.
func (f *Fields) UnmarshalYAML(n ast.Node) error {
	m, ok := n.(ast.MapNode)
	if !ok {
		return placeOf(n).wrong("", fmt.Errorf("fields are a mapping of names, not a %s", kindOf(n)))
	}
	names := map[string]bool{}
	for each := m.MapRange(); each.Next(); {
		key, ok := each.Key().(ast.ScalarNode)
		if !ok {
			return placeOf(each.Key()).wrong("", errors.New("the name of a field is a string"))
		}
		field := Field{Name: fmt.Sprint(key.GetValue())}
		if names[field.Name] {
			return placeOf(key).wrong("", fmt.Errorf("field %q stands twice", field.Name))
		}
		names[field.Name] = true
		if err := field.read(each.Value()); err != nil {
			return err
		}
		field.at = placeOf(key)
		*f = append(*f, field)
	}
	return nil
}

// read reads a field that is a selector or a mapping.
func (f *Field) read(n ast.Node) error {
	if s, ok := n.(*ast.StringNode); ok {
		f.Rule.CSS, f.Rule.at = s.Value, placeOf(n)
		return nil
	}
	if !isMapping(n) {
		return placeOf(n).wrong("", fmt.Errorf("a field is a selector or a mapping, not a %s", kindOf(n)))
	}
	name := f.Name
	err := yaml.NodeToValue(n, f, yaml.Strict())
	f.Name, f.Rule.at = name, placeOf(n)
	return err
}

// UnmarshalYAML reads a rule or a sequence of rules.
func (r *Rules) UnmarshalYAML(n ast.Node) error {
	values := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok {
		values = list.Values
	}
	for _, v := range values {
		var rule Rule
		if err := rule.read(v); err != nil {
			return err
		}
		*r = append(*r, rule)
	}
	return nil
}

// read reads a rule that is a selector or a mapping.
func (r *Rule) read(n ast.Node) error {
	if s, ok := n.(*ast.StringNode); ok {
		r.CSS, r.at = s.Value, placeOf(n)
		return nil
	}
	if !isMapping(n) {
		return placeOf(n).wrong("", fmt.Errorf("a rule is a selector or a mapping, not a %s", kindOf(n)))
	}
	err := yaml.NodeToValue(n, r, yaml.Strict())
	r.at = placeOf(n)
	return err
}

func isMapping(n ast.Node) bool {
	_, ok := n.(ast.MapNode)
	return ok && n.Type() != ast.AliasType
}

func kindOf(n ast.Node) string {
	if n == nil {
		return "nothing"
	}
	return n.Type().YAMLName()
}
