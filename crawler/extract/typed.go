package extract

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
)

// Typed takes records out of pages as values of a struct type. It never changes
// and may be used by many goroutines.
type Typed[T any] struct {
	x    *Extractor
	plan plan
}

// plan says which struct field a field of records goes to.
type plan struct {
	index  map[string]int
	nested map[string]plan
}

// Into makes a Typed that reads pages by a schema, whose fields go to the
// fields of T by name, in any case; fields of T without a counterpart stay
// zero. Without a schema, it is that of the tags of T. The error is a
// *[SchemaError]: the schema is wrong, or does not go with T.
func Into[T any](s *Schema) (*Typed[T], error) {
	if s == nil {
		var err error
		if s, err = SchemaOf[T](); err != nil {
			return nil, err
		}
	}
	x, err := Compile(s)
	if err != nil {
		return nil, err
	}
	x.name = cmp.Or(x.name, reflect.TypeFor[T]().Name())
	p, err := newPlan(reflect.TypeFor[T](), x.fields, "")
	if err != nil {
		return nil, place{}.in("", err)
	}
	return &Typed[T]{x, p}, nil
}

// Records is [Extractor.Records], typed. A number that the Go type cannot hold
// is an error of its field.
func (t *Typed[T]) Records(doc *goquery.Document, url string) ([]T, error) {
	records, paths, errs := t.x.records(doc, url)
	out := make([]T, len(records))
	for i, r := range records {
		errs = t.plan.fill(reflect.ValueOf(&out[i]).Elem(), r, paths[i], errs)
	}
	return out, errors.Join(errs...)
}

// Record returns the first record of a document. When there is none the error
// matches ErrMissing.
func (t *Typed[T]) Record(doc *goquery.Document, url string) (T, error) {
	all, err := t.Records(doc, url)
	if len(all) > 0 {
		return all[0], err
	}
	var none T
	return none, errors.Join(err, &FieldError{Path: cmp.Or(t.x.name, "record"), Err: ErrMissing})
}

// Refine is [Extractor.Refine], with a T for each record.
func (t *Typed[T]) Refine(doc *goquery.Document, page *crawler.Page) error {
	if t.x.urls != nil {
		if _, ok := t.x.urls(nil, crawler.Link{URL: page.URL}); !ok {
			return nil
		}
	}
	records, err := t.Records(doc, pageURL(page))
	for _, r := range records {
		page.Records = append(page.Records, r)
	}
	flaws(page, t.x.name, err)
	return nil
}

// newPlan matches fields of records with those of a struct type.
func newPlan(t reflect.Type, fields []field, path string) (plan, error) {
	p := plan{index: map[string]int{}, nested: map[string]plan{}}
	t = indirect(t)
	if t.Kind() != reflect.Struct {
		return p, fmt.Errorf("%s is no struct", t)
	}
	for i := range fields {
		f := &fields[i]
		at := join(path, f.Name)
		sf, ok := t.FieldByNameFunc(func(name string) bool { return equalFold(name, f.Name) })
		if !ok || !sf.IsExported() || len(sf.Index) != 1 {
			return p, f.at.wrong(at, fmt.Errorf("%s has no such field", t))
		}
		elem := sf.Type
		if elem.Kind() == reflect.Interface {
			p.index[f.Name] = sf.Index[0]
			continue
		}
		if f.List {
			if elem.Kind() != reflect.Slice {
				return p, f.at.wrong(at, fmt.Errorf("a list does not go into a %s", elem))
			}
			elem = elem.Elem()
		}
		elem = indirect(elem)
		if f.fields != nil {
			inner, err := newPlan(elem, f.fields, at)
			if err != nil {
				return p, f.at.in(at, err)
			}
			p.nested[f.Name] = inner
		} else if !fits(f.Type, elem) {
			return p, f.at.wrong(at, fmt.Errorf("a %s does not go into a %s", f.Type, elem))
		}
		p.index[f.Name] = sf.Index[0]
	}
	return p, nil
}

// fits reports whether values of a type go into a Go type.
func fits(t Type, into reflect.Type) bool {
	want := typeFor(into)
	switch t {
	case Text, HTML, URL:
		return want == String
	case Present:
		return want == Bool
	case Int:
		return want == Int || want == Float
	}
	return want == t
}

// equalFold compares names in which also - and _ are no matter.
func equalFold(goName, name string) bool {
	norm := func(s string) string {
		var b []byte
		for _, c := range []byte(s) {
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != '_' && c != '-' {
				b = append(b, c)
			}
		}
		return string(b)
	}
	return norm(goName) == norm(name)
}

// fill sets the fields of a struct.
func (p plan) fill(v reflect.Value, r Record, path string, errs []error) []error {
	for name, value := range r {
		at := join(path, name)
		errs = p.set(v.Field(p.index[name]), name, value, at, errs)
	}
	return errs
}

func (p plan) set(v reflect.Value, name string, value any, path string, errs []error) []error {
	if v.Kind() == reflect.Interface {
		v.Set(reflect.ValueOf(value))
		return errs
	}
	if list, ok := value.([]any); ok {
		v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
		for i, one := range list {
			errs = p.set(v.Index(i), name, one, path+"["+strconv.Itoa(i)+"]", errs)
		}
		return errs
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if r, ok := value.(Record); ok {
		return p.nested[name].fill(v, r, path, errs)
	}
	if err := assign(v, value); err != nil {
		errs = append(errs, &FieldError{Path: path, Err: err})
	}
	return errs
}

// assign sets v to a value of the types of a Record.
func assign(v reflect.Value, value any) error {
	n, ok := value.(int64)
	switch {
	case ok && v.CanInt():
		if v.OverflowInt(n) {
			return fmt.Errorf("%d does not go into a %s", n, v.Type())
		}
		v.SetInt(n)
	case ok && v.CanUint():
		if n < 0 || v.OverflowUint(uint64(n)) {
			return fmt.Errorf("%d does not go into a %s", n, v.Type())
		}
		v.SetUint(uint64(n))
	default:
		v.Set(reflect.ValueOf(value).Convert(v.Type()))
	}
	return nil
}
