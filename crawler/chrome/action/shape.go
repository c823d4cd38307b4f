package action

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/extract"
)

// property is a field of a struct as it stands in YAML.
type property struct {
	name     string
	index    []int
	typ      reflect.Type
	short    bool     // what a scalar in place of the mapping means
	required bool     // must not be zero
	enum     []string // what it may be; empty: anything
}

// properties are the fields of a struct, those of its inline ones included.
func properties(t reflect.Type) (out []property) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if options == "inline" {
			for _, p := range properties(f.Type) {
				p.index = append([]int{f.Index[0]}, p.index...)
				out = append(out, p)
			}
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		p := property{name: name, index: f.Index, typ: f.Type,
			short: strings.Contains(options, "short"), required: strings.Contains(options, "required")}
		if e := f.Tag.Get("enum"); e != "" {
			p.enum = strings.Split(e, "|")
		}
		out = append(out, p)
	}
	return out
}

// kinds are the actions by their names.
func kinds() map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, a := range actions() {
		out[a.kind()] = reflect.TypeOf(a)
	}
	return out
}

// checked is what knows more about its fields than their types say.
type checked interface{ check() error }

// checkFields says what is wrong with the fields of a struct, but not with
// structs within.
func checkFields(v reflect.Value) error {
	for _, p := range properties(v.Type()) {
		f := v.FieldByIndex(p.index)
		switch {
		case p.required && f.IsZero():
			return fmt.Errorf("%s is missing", p.name)
		case len(p.enum) > 0 && !f.IsZero():
			if err := oneOf(f.String(), p.enum); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		case f.CanInt() && f.Int() < 0 && p.name != "nth":
			return fmt.Errorf("%s cannot be negative", p.name)
		}
	}
	if c, ok := v.Interface().(checked); ok {
		return c.check()
	}
	return nil
}

func oneOf(s string, all []string) error {
	for _, e := range all {
		if s == e {
			return nil
		}
	}
	return fmt.Errorf("%q is none of %s%s", s, strings.Join(all, ", "), suggest(s, all))
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	stepsType    = reflect.TypeFor[Steps]()
	schemaType   = reflect.TypeFor[*extract.Schema]()
)

// checkAll checks a chain that was made in Go. The error names the step.
func checkAll(c *Chain) error {
	if err := checkFields(reflect.ValueOf(*c)); err != nil {
		return err
	}
	return checkSteps(c.Steps, "")
}

func checkSteps(steps Steps, path string) error {
	for i, s := range steps {
		at := stepPath(path, i)
		if s.Do == nil {
			return fmt.Errorf("step %s has no action", at)
		}
		if err := checkDeep(reflect.ValueOf(s.Do), at); err != nil {
			return fmt.Errorf("step %s: %s: %w", at, s.Do.kind(), err)
		}
	}
	return nil
}

// checkDeep checks a value and all within it.
func checkDeep(v reflect.Value, at string) error {
	switch {
	case v.Type() == stepsType:
		return checkSteps(v.Interface().(Steps), at)
	case v.Type() == schemaType:
		return nil // extract.Compile will see it
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return checkDeep(v.Elem(), at)
	case reflect.Slice:
		for i := range v.Len() {
			if err := checkDeep(v.Index(i), at); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for _, p := range properties(v.Type()) {
			if err := checkDeep(v.FieldByIndex(p.index), at); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
		return checkFields(v)
	}
	return nil
}

func (s Selector) check() error {
	if s.CSS == "" && s.XPath == "" && s.Text == "" && !s.Each {
		return errors.New("a selector needs css, xpath, text or each")
	}
	if s.XPath != "" && (s.CSS != "" || s.Text != "") {
		return errors.New("xpath goes with neither css nor text")
	}
	return nil
}

func (v Value) check() error {
	if v.Text != "" && v.Env != "" {
		return errors.New("a value has a text or an env, not both")
	}
	return nil
}
