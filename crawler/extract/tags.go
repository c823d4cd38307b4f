package extract

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// SchemaOf makes a schema of the tags of a struct. The tag of a field is the
// field in YAML, in flow style: a selector or a mapping in braces.
//
//	type Product struct {
//		_      struct{} `extract:"{each: .card}"`
//		Title  string   `extract:"{css: h2, required: true}"`
//		Price  Price    `extract:".price"`
//		Photos []string `extract:"{css: img, attr: src, type: url}"`
//	}
//
// Type and list follow from the Go types; fields of a struct type are nested
// records. Fields without the tag are left alone. The tag of a field named _
// holds what is said of the schema as a whole. A field is named as in Go, its
// first letters in lower case.
func SchemaOf[T any]() (*Schema, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, &SchemaError{Err: fmt.Errorf("%s is no struct", t)}
	}
	s := new(Schema)
	if err := s.tags(t, ""); err != nil {
		return nil, err
	}
	if _, err := Compile(s); err != nil {
		return nil, err
	}
	return s, nil
}

// tags reads the fields of a struct type.
func (s *Schema) tags(t reflect.Type, path string) (err error) {
	if depth(path) > maxNested {
		return &SchemaError{Path: path, Err: errors.New("nested too deep")}
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, ok := sf.Tag.Lookup("extract")
		if !ok || tag == "-" {
			continue
		}
		if sf.Name == "_" {
			if err := fromTag(tag, s); err != nil {
				return &SchemaError{Path: path, Err: err}
			}
			continue
		}
		f := Field{Name: fieldName(sf.Name)}
		at := join(path, f.Name)
		if !sf.IsExported() {
			return &SchemaError{Path: at, Err: errors.New("has a tag but is not exported")}
		}
		if err := fromTag(tag, &f); err != nil {
			return &SchemaError{Path: at, Err: err}
		}
		elem := sf.Type
		if elem.Kind() == reflect.Slice && !f.List {
			f.List, elem = true, elem.Elem()
		}
		if err := f.infer(indirect(elem), at); err != nil {
			return err
		}
		s.Fields = append(s.Fields, f)
	}
	return nil
}

// infer takes from a Go type what a tag does not say.
func (f *Field) infer(t reflect.Type, path string) error {
	if kind := typeFor(t); kind != "" {
		f.Type = cmp.Or(f.Type, kind)
		return nil
	}
	if t.Kind() != reflect.Struct {
		if t.Kind() == reflect.Interface {
			return nil
		}
		return &SchemaError{Path: path, Err: fmt.Errorf("a value cannot be of type %s", t)}
	}
	var inner Schema
	if err := inner.tags(t, path); err != nil {
		return err
	}
	f.Fields = inner.Fields
	return nil
}

// typeFor returns the type of values that go into a Go type by themselves.
func typeFor(t reflect.Type) Type {
	switch t {
	case reflect.TypeFor[time.Time]():
		return Time
	case reflect.TypeFor[Price]():
		return Money
	}
	switch t.Kind() {
	case reflect.String:
		return String
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Int
	case reflect.Float32, reflect.Float64:
		return Float
	case reflect.Bool:
		return Bool
	}
	return ""
}

// fromTag decodes a tag into a Schema or a Field.
func fromTag(tag string, into any) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("tag: %v", v)
		}
	}()
	file, err := parser.ParseBytes([]byte(tag), 0)
	if err != nil {
		return tagError(err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return errors.New("tag: empty")
	}
	return tagError(decodeTag(file.Docs[0].Body, into))
}

func decodeTag(n ast.Node, into any) error {
	if f, ok := into.(*Field); ok {
		return f.read(n)
	}
	return yaml.NodeToValue(n, into, yaml.Strict())
}

// tagError says in one line what is wrong with a tag.
func tagError(err error) error {
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*SchemaError](located(err)); ok {
		return fmt.Errorf("tag: column %d: %w", own.Column, own.Err)
	}
	return err
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// fieldName lowers the capitals that a Go name begins with: Title is title,
// URL url, and HTTPStatus httpStatus.
func fieldName(s string) string {
	var out []rune
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if !unicode.IsUpper(r) || i > 0 && unicode.IsLower(next) {
			return string(out) + s[i:]
		}
		out = append(out, unicode.ToLower(r))
	}
	return string(out)
}
