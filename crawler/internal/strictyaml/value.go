package strictyaml

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// Property is a field of a struct as it stands in YAML.
type Property struct {
	Name     string
	Index    []int
	Type     reflect.Type
	Short    bool     // what a scalar in place of the mapping means
	Required bool     // must not be zero
	Signed   bool     // a number that may be negative
	Enum     []string // what it may be; empty: anything
}

// Properties are the fields of a struct, those of its inline ones included.
func Properties(t reflect.Type) (out []Property) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if options == "inline" {
			for _, p := range Properties(f.Type) {
				p.Index = append([]int{f.Index[0]}, p.Index...)
				out = append(out, p)
			}
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		p := Property{Name: name, Index: f.Index, Type: f.Type, Short: strings.Contains(options, "short"),
			Required: strings.Contains(options, "required"), Signed: strings.Contains(options, "signed")}
		if e := f.Tag.Get("enum"); e != "" {
			p.Enum = strings.Split(e, "|")
		}
		out = append(out, p)
	}
	return out
}

var durationType = reflect.TypeFor[time.Duration]()

func scalar(n ast.Node, v reflect.Value) error {
	s, ok := Text(n)
	if !ok {
		return fmt.Errorf("%s is expected here, not %s", nameOf(v.Type()), KindOf(n))
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

func number(n ast.Node, v reflect.Value, s string) error {
	switch {
	case v.CanInt():
		i, err := strconv.ParseInt(s, 0, 64)
		if err != nil || n.Type() != ast.IntegerType || v.OverflowInt(i) {
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

// Text is what a scalar says.
func Text(n ast.Node) (string, bool) {
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

// KindOf says what a node is, for messages.
func KindOf(n ast.Node) string {
	switch n.(type) {
	case ast.MapNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a sequence"
	case *ast.NullNode:
		return "nothing"
	}
	if s, ok := Text(n); ok {
		return strconv.Quote(s)
	}
	return "a " + n.Type().YAMLName()
}

// PlaceOf is where a node begins, from 1 on; 0: not known.
func PlaceOf(n ast.Node) (line, column int) {
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
