package action

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/webquarry/quarry/crawler/internal/strictyaml"
)

//go:embed schema.json
var jsonSchema string

// JSONSchema returns the JSON Schema (draft 2020-12) of chains, for editors and
// other programs.
func JSONSchema() string { return jsonSchema }

// DecodeError says what is wrong with the text of a chain, and where.
type DecodeError struct {
	Line, Column int    // from 1 on; 0: not known
	Path         string // as "steps[2].click"
	Err          error
}

// Error says where and what.
func (e *DecodeError) Error() string {
	s := "action: "
	if e.Line > 0 {
		s += fmt.Sprintf("line %d, column %d: ", e.Line, e.Column)
	}
	if e.Path != "" {
		s += e.Path + ": "
	}
	return s + e.Err.Error()
}

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// Parse reads a chain in YAML, or in JSON, which is YAML too:
//
//	name: kettles
//	steps:
//	  - navigate: https://shop.example/kettles
//	  - dismiss
//	  - click-while: {css: "button.more", max: 20}
//	    timeout: 1m
//	  - extract:
//	      schema: {each: .card, fields: {name: h3, price: {css: .price, type: price}}}
//
// An action that needs one field only may have it as a string. Durations are
// written as 500ms, 2s or 1m30s. Names that are not known, names given twice and
// values of the wrong type are errors; all of them are a *[DecodeError] with line
// and column.
func Parse(text []byte) (*Chain, error) {
	c := new(Chain)
	if err := first(reader().Unmarshal(text, c, "chain")); err != nil {
		return nil, err
	}
	return c, nil
}

// UnmarshalYAML reads steps that are part of another document, whose anchors are
// not known here. The error is that of [errors.Join] of a *[DecodeError] for each mistake,
// with line and column in that document.
func (s *Steps) UnmarshalYAML(n ast.Node) error {
	var all []error
	for _, m := range reader().Node(n, s, "steps") {
		e := DecodeError(m)
		all = append(all, &e)
	}
	return errors.Join(all...)
}

// first is the first mistake, as an error.
func first(wrong []strictyaml.Mistake) error {
	if len(wrong) == 0 {
		return nil
	}
	e := DecodeError(wrong[0])
	return &e
}

// reader knows how steps and the schemas of records are read.
func reader() strictyaml.Reader { return strictyaml.Reader{Read: readOwn, Check: check} }

func readOwn(d *strictyaml.Decoder, n ast.Node, v reflect.Value, path string) bool {
	switch v.Type() {
	case stepsType:
		readSteps(d, n, v, path)
	case schemaType:
		v.Set(reflect.ValueOf(d.Schema(n, path)))
	default:
		return false
	}
	return true
}

func readSteps(d *strictyaml.Decoder, n ast.Node, v reflect.Value, path string) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		d.Wrong(n, path, fmt.Errorf("a sequence of steps is expected here, not %s", strictyaml.KindOf(n)))
		return
	}
	steps := make(Steps, len(list.Values))
	for i, each := range list.Values {
		readStep(d, each, &steps[i], fmt.Sprintf("%s[%d]", path, i+1))
	}
	v.Set(reflect.ValueOf(steps))
}

// readStep reads the name of an action, or a mapping with one such name as a key.
func readStep(d *strictyaml.Decoder, n ast.Node, s *Step, path string) {
	if n = d.Resolve(n, path); n == nil {
		return
	}
	all := kinds()
	if _, ok := n.(ast.MapNode); !ok {
		name, ok := strictyaml.Text(n)
		if !ok {
			d.Wrong(n, path, fmt.Errorf("a step is an action, not %s", strictyaml.KindOf(n)))
		} else if t, ok := all[name]; !ok {
			d.Wrong(n, path, unknownAction(name))
		} else {
			readAction(d, &ast.NullNode{BaseNode: &ast.BaseNode{}, Token: n.GetToken()}, t, s, strictyaml.Join(path, name))
		}
		return
	}
	options, known := strictyaml.Properties(reflect.TypeFor[Step]()), true
	d.Each(n, path, func(name string, key, value ast.Node) {
		if t, ok := all[name]; ok {
			if s.Do != nil {
				d.Wrong(key, path, fmt.Errorf("a step has one action, and this one has %s and %s", s.Do.kind(), name))
				return
			}
			readAction(d, value, t, s, strictyaml.Join(path, name))
			return
		}
		i := slices.IndexFunc(options, func(p strictyaml.Property) bool { return p.Name == name })
		if i < 0 {
			known = false
			d.Wrong(key, path, unknownAction(name))
			return
		}
		d.Decode(value, reflect.ValueOf(s).Elem().FieldByIndex(options[i].Index), strictyaml.Join(path, name))
	})
	if s.Do == nil {
		if known {
			d.Wrong(n, path, errors.New("a step without an action"))
		}
		return
	}
	d.CheckFields(n, reflect.ValueOf(*s), path)
}

func readAction(d *strictyaml.Decoder, n ast.Node, t reflect.Type, s *Step, path string) {
	v := reflect.New(t).Elem()
	if n = d.Resolve(n, path); n == nil {
		return
	}
	if n.Type() == ast.NullType { // all fields are as they are by default
		d.CheckFields(n, v, path)
	} else {
		d.Decode(n, v, path)
	}
	s.Do = v.Interface().(Action)
}

func unknownAction(name string) error {
	names := slices.Sorted(maps.Keys(kinds()))
	hint := strictyaml.Suggest(name, append(names, "name", "timeout", "optional"))
	if hint == "" {
		hint = "; docs/guides/actions.md lists all"
	}
	return fmt.Errorf("unknown action %q%s", name, hint)
}
