package action

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

func (d *decoder) steps(n ast.Node, v reflect.Value, path string) error {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return wrong(n, path, fmt.Errorf("a sequence of steps is expected here, not %s", kindOf(n)))
	}
	steps := make(Steps, len(list.Values))
	for i, each := range list.Values {
		if err := d.step(each, &steps[i], fmt.Sprintf("%s[%d]", path, i+1)); err != nil {
			return err
		}
	}
	v.Set(reflect.ValueOf(steps))
	return nil
}

// step reads the name of an action, or a mapping with one such name as a key.
func (d *decoder) step(n ast.Node, s *Step, path string) error {
	at := n
	if n = d.resolve(n); n == nil {
		return wrong(at, path, errors.New("an alias of nothing"))
	}
	all := kinds()
	if _, ok := n.(ast.MapNode); !ok {
		name, ok := text(n)
		if !ok {
			return wrong(n, path, fmt.Errorf("a step is an action, not %s", kindOf(n)))
		}
		t, ok := all[name]
		if !ok {
			return wrong(n, path, unknownAction(name))
		}
		return d.action(&ast.NullNode{BaseNode: &ast.BaseNode{}, Token: n.GetToken()}, t, s, join(path, name))
	}
	options := properties(reflect.TypeFor[Step]())
	err := d.each(n, path, func(name string, key, value ast.Node) error {
		if t, ok := all[name]; ok {
			if s.Do != nil {
				return wrong(key, path, fmt.Errorf("a step has one action, and this one has %s and %s", s.Do.kind(), name))
			}
			return d.action(value, t, s, join(path, name))
		}
		i := slices.IndexFunc(options, func(p property) bool { return p.name == name })
		if i < 0 {
			return wrong(key, path, unknownAction(name))
		}
		return d.decode(value, reflect.ValueOf(s).Elem().FieldByIndex(options[i].index), join(path, name))
	})
	if err == nil && s.Do == nil {
		err = wrong(n, path, errors.New("a step without an action"))
	}
	if err != nil {
		return err
	}
	return located(n, path, checkFields(reflect.ValueOf(*s)))
}

func (d *decoder) action(n ast.Node, t reflect.Type, s *Step, path string) error {
	v := reflect.New(t).Elem()
	if n = d.resolve(n); n != nil && n.Type() == ast.NullType {
		s.Do = v.Interface().(Action)
		return located(n, path, checkFields(v)) // all fields are as they are by default
	}
	if err := d.decode(n, v, path); err != nil {
		return err
	}
	s.Do = v.Interface().(Action)
	return nil
}

func unknownAction(name string) error {
	names := slices.Sorted(maps.Keys(kinds()))
	hint := suggest(name, append(names, "name", "timeout", "optional"))
	if hint == "" {
		hint = "; docs/guides/actions.md lists all"
	}
	return fmt.Errorf("unknown action %q%s", name, hint)
}

func number(n ast.Node, v reflect.Value, s string) error {
	switch {
	case v.CanInt():
		i, err := strconv.ParseInt(s, 0, 0)
		if err != nil || n.Type() != ast.IntegerType {
			return fmt.Errorf("%q is no whole number", s)
		}
		v.SetInt(i)
	case v.CanFloat():
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return fmt.Errorf("%q is no number", s)
		}
		v.SetFloat(f)
	default:
		return fmt.Errorf("%s is expected here, not %q", nameOf(v.Type()), s)
	}
	return nil
}

// text is what a scalar says.
func text(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func nameOf(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a duration"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.String:
		return "a text"
	}
	return "a number"
}

func kindOf(n ast.Node) string {
	switch n.(type) {
	case ast.MapNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a sequence"
	case *ast.NullNode:
		return "nothing"
	}
	if s, ok := text(n); ok {
		return strconv.Quote(s)
	}
	return "a " + n.Type().YAMLName()
}

func placeOf(n ast.Node) (line, column int) {
	if n == nil {
		return 0, 0
	}
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	} else if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line, t.Position.Column
	}
	return 0, 0
}

func wrong(n ast.Node, path string, err error) *DecodeError {
	line, column := placeOf(n)
	return &DecodeError{Line: line, Column: column, Path: path, Err: err}
}

// located is wrong for an error that there may be.
func located(n ast.Node, path string, err error) error {
	if err == nil {
		return nil
	}
	return wrong(n, path, err)
}

func ofYAML(err error) *DecodeError {
	e, ok := errors.AsType[yaml.Error](err)
	if !ok {
		return &DecodeError{Err: err}
	}
	out := &DecodeError{Err: errors.New(e.GetMessage())}
	if t := e.GetToken(); t != nil && t.Position != nil {
		out.Line, out.Column = t.Position.Line, t.Position.Column
	}
	return out
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
