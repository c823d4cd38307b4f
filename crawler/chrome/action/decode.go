package action

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/crawler/internal/nesting"
)

// Limits of chains, against mistakes rather than malice.
const (
	maxChain  = 1 << 20 // bytes
	maxNodes  = 20_000  // values, each alias counted as what it stands for
	maxNested = 40      // values within values
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
func Parse(text []byte) (c *Chain, err error) {
	defer func() { // of a text that the YAML library chokes on
		if v := recover(); v != nil {
			c, err = nil, &DecodeError{Err: fmt.Errorf("yaml: %v", v)}
		}
	}()
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // of some editors
	if len(text) > maxChain {
		return nil, &DecodeError{Err: fmt.Errorf("%d bytes of at most %d", len(text), maxChain)}
	}
	if nesting.Deep(text) {
		return nil, &DecodeError{Err: fmt.Errorf("more than %d brackets or entries within each other", nesting.Most)}
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, ofYAML(err)
	}
	if len(file.Docs) > 1 {
		return nil, wrong(file.Docs[1].Body, "", errors.New("a second document; a file holds one chain"))
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, &DecodeError{Err: errors.New("there is no chain in it")}
	}
	d := decoder{anchors: map[string]ast.Node{}, left: maxNodes}
	ast.Walk(&d, file.Docs[0].Body)
	c = new(Chain)
	if err := d.decode(file.Docs[0].Body, reflect.ValueOf(c).Elem(), ""); err != nil {
		return nil, err
	}
	return c, nil
}

// UnmarshalYAML reads steps that are part of another document, whose anchors are
// not known here. The error is a *[DecodeError] with line and column in that.
func (s *Steps) UnmarshalYAML(n ast.Node) error {
	d := decoder{anchors: map[string]ast.Node{}, left: maxNodes}
	ast.Walk(&d, n)
	return d.decode(n, reflect.ValueOf(s).Elem(), "steps")
}

// decoder reads values of YAML into Go.
type decoder struct {
	anchors map[string]ast.Node
	left    int // nodes that may still be read
	deep    int
}

// Visit takes down an anchor.
func (d *decoder) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok {
		d.anchors[a.Name.GetToken().Value] = a.Value
	}
	return d
}

// resolve gives what an anchor, alias or tag stands for.
func (d *decoder) resolve(n ast.Node) ast.Node {
	for range maxNested {
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.TagNode:
			n = v.Value
		case *ast.AliasNode:
			n = d.anchors[v.Value.GetToken().Value]
		default:
			return n
		}
	}
	return nil
}

// decode reads n into v.
func (d *decoder) decode(n ast.Node, v reflect.Value, path string) error {
	d.left--
	d.deep++
	defer func() { d.deep-- }()
	if d.left < 0 || d.deep > maxNested {
		return wrong(n, path, fmt.Errorf("more than %d values, or nested deeper than %d", maxNodes, maxNested))
	}
	at := n
	if n = d.resolve(n); n == nil {
		return wrong(at, path, errors.New("an alias of nothing"))
	}
	switch {
	case v.Type() == stepsType:
		return d.steps(n, v, path)
	case v.Type() == schemaType:
		return schema(n, v, path)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.decode(n, v.Elem(), path)
	case v.Kind() == reflect.Struct:
		return d.object(n, v, path)
	case v.Kind() == reflect.Slice:
		return d.list(n, v, path)
	case v.Kind() == reflect.Map:
		return d.mapping(n, v, path)
	}
	if err := scalar(n, v); err != nil {
		return wrong(n, path, err)
	}
	return nil
}

// object reads a struct: a mapping of its fields, or a scalar for its short one.
func (d *decoder) object(n ast.Node, v reflect.Value, path string) error {
	all := properties(v.Type())
	if _, ok := n.(ast.MapNode); !ok {
		for _, p := range all {
			if p.short {
				if err := d.decode(n, v.FieldByIndex(p.index), path); err != nil {
					return err
				}
				return located(n, path, checkFields(v))
			}
		}
		if n.Type() != ast.NullType {
			return wrong(n, path, fmt.Errorf("a mapping is expected here, not %s", kindOf(n)))
		}
		return located(n, path, checkFields(v))
	}
	err := d.each(n, path, func(name string, key, value ast.Node) error {
		i := slices.IndexFunc(all, func(p property) bool { return p.name == name })
		if i < 0 {
			return wrong(key, path, unknown("field", name, all))
		}
		return d.decode(value, v.FieldByIndex(all[i].index), join(path, name))
	})
	if err != nil {
		return err
	}
	return located(n, path, checkFields(v))
}

func unknown(what, name string, all []property) error {
	var names []string
	for _, p := range all {
		names = append(names, p.name)
	}
	hint := suggest(name, names)
	if hint == "" {
		hint = "; there are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("unknown %s %q%s", what, name, hint)
}

// each calls f for each entry of a mapping.
func (d *decoder) each(n ast.Node, path string, f func(name string, key, value ast.Node) error) error {
	m := n.(ast.MapNode)
	for it := m.MapRange(); it.Next(); {
		key, ok := it.Key().(ast.ScalarNode)
		if !ok || it.Key().Type() == ast.MergeKeyType {
			return wrong(it.Key(), path, errors.New("a key has to be a name"))
		}
		if err := f(fmt.Sprint(key.GetValue()), key, it.Value()); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) list(n ast.Node, v reflect.Value, path string) error {
	values := []ast.Node{n}
	if s, ok := n.(*ast.SequenceNode); ok {
		values = s.Values
	}
	for i, each := range values {
		one := reflect.New(v.Type().Elem()).Elem()
		if err := d.decode(each, one, fmt.Sprintf("%s[%d]", path, i+1)); err != nil {
			return err
		}
		v.Set(reflect.Append(v, one))
	}
	return nil
}

func (d *decoder) mapping(n ast.Node, v reflect.Value, path string) error {
	if _, ok := n.(ast.MapNode); !ok {
		return wrong(n, path, fmt.Errorf("a mapping is expected here, not %s", kindOf(n)))
	}
	v.Set(reflect.MakeMap(v.Type()))
	return d.each(n, path, func(name string, _, value ast.Node) error {
		one := reflect.New(v.Type().Elem()).Elem()
		if err := d.decode(value, one, join(path, name)); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name), one)
		return nil
	})
}

// schema reads a schema of records, which has its own rules.
func schema(n ast.Node, v reflect.Value, path string) error {
	s := new(extract.Schema)
	err := yaml.NodeToValue(n, s, yaml.Strict())
	if err == nil {
		_, err = extract.Compile(s)
	}
	if own, ok := errors.AsType[*extract.SchemaError](err); ok {
		line, column := placeOf(n)
		if own.Line > 0 {
			line, column = own.Line, own.Column
		}
		if own.Path != "" {
			path = join(path, own.Path)
		}
		return &DecodeError{Line: line, Column: column, Path: path, Err: own.Err}
	}
	if err != nil {
		e := ofYAML(err)
		e.Path = path
		return e
	}
	v.Set(reflect.ValueOf(s))
	return nil
}

func scalar(n ast.Node, v reflect.Value) error {
	s, ok := text(n)
	if !ok {
		return fmt.Errorf("%s is expected here, not %s", nameOf(v.Type()), kindOf(n))
	}
	switch {
	case v.Type() == durationType:
		dur, err := time.ParseDuration(s)
		if err != nil {
			return fmt.Errorf("%q is no duration; write 500ms, 2s or 1m30s", s)
		}
		v.SetInt(int64(dur))
	case v.Kind() == reflect.String:
		v.SetString(s)
	case v.Kind() == reflect.Bool && n.Type() == ast.BoolType:
		v.SetBool(n.(*ast.BoolNode).Value)
	default:
		return number(n, v, s)
	}
	return nil
}
