package action

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/crawler/internal/strictyaml"
)

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

// check says what is wrong with the fields of a struct beyond what their tags say.
func check(v reflect.Value) error {
	if c, ok := v.Interface().(checked); ok {
		return c.check()
	}
	return nil
}

var (
	stepsType  = reflect.TypeFor[Steps]()
	schemaType = reflect.TypeFor[*extract.Schema]()
)

// checkAll checks a chain that was made in Go. The error names the step.
func checkAll(c *Chain) error {
	if err := reader().CheckFields(reflect.ValueOf(*c)); err != nil {
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
		for _, p := range strictyaml.Properties(v.Type()) {
			if err := checkDeep(v.FieldByIndex(p.Index), at); err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
		}
		return reader().CheckFields(v)
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
