// Package strictyaml reads YAML, and JSON, which is YAML too, into structs. Names that
// are not known, names given twice and values of the wrong type are mistakes, and all
// mistakes of a text are told, each with line, column and path.
//
// A field is what its tag says:
//
//	URL string `yaml:"url,short,required"`    // short: what a scalar in place of the mapping means
//	By  string `yaml:"by" enum:"left|right"`  // one of these, if it is there
//
// Durations are written as 500ms, 2s or 1m30s. A whole number that may be negative says so:
// `yaml:"nth,signed"`.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/webquarry/quarry/crawler/internal/nesting"
)

// Limits of texts, against mistakes rather than malice.
const (
	maxText     = 1 << 20 // bytes
	maxNodes    = 20_000  // values, each alias counted as what it stands for
	maxNested   = 40      // values within values
	maxMistakes = 100     // that are told
)

// Mistake is what is wrong at some place of a text.
type Mistake struct {
	Line, Column int    // from 1 on; 0: not known
	Path         string // as "steps[2].click"
	Err          error
}

// Reader says how values are read that are more than their types.
type Reader struct {
	// Read reads a value of a type that has its own rules, and reports whether it is one;
	// nil: there is none.
	Read func(d *Decoder, n ast.Node, v reflect.Value, path string) bool

	// Check says what is wrong with a struct whose fields were read, beyond what
	// [CheckFields] knows; nil: nothing is.
	Check func(v reflect.Value) error
}

// Unmarshal reads a text that holds one document into a pointer, and returns what is
// wrong with it, in the order of the text. holds is what such a document is called.
func (r Reader) Unmarshal(text []byte, into any, holds string) (wrong []Mistake) {
	defer func() { // of a text that the YAML library chokes on
		if v := recover(); v != nil {
			wrong = []Mistake{{Err: fmt.Errorf("yaml: %v", v)}}
		}
	}()
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // of some editors
	if len(text) > maxText {
		return []Mistake{{Err: fmt.Errorf("%d bytes of at most %d", len(text), maxText)}}
	}
	if nesting.Deep(text) {
		return []Mistake{{Err: fmt.Errorf("more than %d brackets or entries within each other", nesting.Most)}}
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return []Mistake{OfYAML(err)}
	}
	if len(file.Docs) > 1 {
		return []Mistake{at(file.Docs[1].Body, "", errors.New("a second document; a file holds one "+holds))}
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return []Mistake{{Err: errors.New("there is no " + holds + " in it")}}
	}
	return r.Node(file.Docs[0].Body, into, "")
}

// Node reads part of a document, of which anchors outside are not known.
func (r Reader) Node(n ast.Node, into any, path string) []Mistake {
	d := &Decoder{reader: r, anchors: map[string]ast.Node{}, left: maxNodes}
	ast.Walk(d, n)
	d.Decode(n, reflect.ValueOf(into).Elem(), path)
	slices.SortStableFunc(d.wrong, func(a, b Mistake) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return d.wrong
}

// Decoder reads the values of a document.
type Decoder struct {
	reader  Reader
	anchors map[string]ast.Node
	left    int // nodes that may still be read
	deep    int
	wrong   []Mistake
}

// Visit takes down an anchor.
func (d *Decoder) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok {
		d.anchors[a.Name.GetToken().Value] = a.Value
	}
	return d
}

// Wrong notes what is wrong at a node, unless err is nil, and reports whether it is.
func (d *Decoder) Wrong(n ast.Node, path string, err error) bool {
	if err != nil {
		d.Note(at(n, path, err))
	}
	return err != nil
}

// Note notes a mistake.
func (d *Decoder) Note(m Mistake) {
	if len(d.wrong) < maxMistakes {
		d.wrong = append(d.wrong, m)
	}
}

// Resolve gives what an anchor, alias or tag stands for; nil, with a note, for nothing.
func (d *Decoder) Resolve(n ast.Node, path string) ast.Node {
	at := n
	for range maxNested {
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.TagNode:
			n = v.Value
		case *ast.AliasNode:
			n = d.anchors[v.Value.GetToken().Value]
		case nil:
			d.Wrong(at, path, errors.New("an alias of nothing"))
			return nil
		default:
			return n
		}
	}
	d.Wrong(at, path, errors.New("an alias of nothing"))
	return nil
}

// Decode reads n into v.
func (d *Decoder) Decode(n ast.Node, v reflect.Value, path string) {
	d.left--
	d.deep++
	defer func() { d.deep-- }()
	switch {
	case d.deep > maxNested:
		d.Wrong(n, path, fmt.Errorf("values are nested deeper than %d", maxNested))
		return
	case d.left == 0: // told once
		d.Wrong(n, path, fmt.Errorf("there are more than %d values", maxNodes))
		return
	case d.left < 0:
		return
	}
	if n = d.Resolve(n, path); n == nil {
		return
	}
	switch {
	case d.reader.Read != nil && d.reader.Read(d, n, v, path):
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.Decode(n, v.Elem(), path)
	case v.Kind() == reflect.Struct:
		d.object(n, v, path)
	case v.Kind() == reflect.Slice:
		d.list(n, v, path)
	case v.Kind() == reflect.Map:
		d.mapping(n, v, path)
	default:
		d.Wrong(n, path, scalar(n, v))
	}
}

// object reads a struct: a mapping of its fields, or a scalar for its short one.
func (d *Decoder) object(n ast.Node, v reflect.Value, path string) {
	all := Properties(v.Type())
	before := len(d.wrong)
	if _, ok := n.(ast.MapNode); ok {
		d.Each(n, path, func(name string, key, value ast.Node) {
			i := slices.IndexFunc(all, func(p Property) bool { return p.Name == name })
			if i < 0 {
				d.Wrong(key, path, unknown("field", name, all))
				return
			}
			d.Decode(value, v.FieldByIndex(all[i].Index), Join(path, name))
		})
	} else if i := slices.IndexFunc(all, func(p Property) bool { return p.Short }); i >= 0 {
		d.Decode(n, v.FieldByIndex(all[i].Index), path)
	} else if n.Type() != ast.NullType {
		d.Wrong(n, path, fmt.Errorf("a mapping is expected here, not %s", KindOf(n)))
	}
	if len(d.wrong) == before { // else it may be wrong for what was just told
		d.CheckFields(n, v, path)
	}
}

// CheckFields notes what is wrong with the fields of a struct.
func (d *Decoder) CheckFields(n ast.Node, v reflect.Value, path string) {
	d.Wrong(n, path, d.reader.CheckFields(v))
}

// CheckFields says what is wrong with the fields of a struct, but not with structs
// within.
func (r Reader) CheckFields(v reflect.Value) error {
	for _, p := range Properties(v.Type()) {
		f := v.FieldByIndex(p.Index)
		switch {
		case p.Required && f.IsZero():
			return fmt.Errorf("%s is missing", p.Name)
		case len(p.Enum) > 0 && !f.IsZero():
			for _, value := range texts(f) {
				if err := oneOf(value, p.Enum); err != nil {
					return fmt.Errorf("%s: %w", p.Name, err)
				}
			}
		case f.CanInt() && f.Int() < 0 && !p.Signed:
			return fmt.Errorf("%s cannot be negative", p.Name)
		}
	}
	if r.Check != nil {
		return r.Check(v)
	}
	return nil
}

// texts are those of a text or of a list of them.
func texts(f reflect.Value) (all []string) {
	if f.Kind() != reflect.Slice {
		return []string{f.String()}
	}
	for i := range f.Len() {
		all = append(all, f.Index(i).String())
	}
	return all
}

func oneOf(s string, all []string) error {
	if slices.Contains(all, s) {
		return nil
	}
	return fmt.Errorf("%q is none of %s%s", s, strings.Join(all, ", "), Suggest(s, all))
}

func unknown(what, name string, all []Property) error {
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	hint := Suggest(name, names)
	if hint == "" {
		hint = "; there are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("unknown %s %q%s", what, name, hint)
}

// Each calls f for each entry of a mapping.
func (d *Decoder) Each(n ast.Node, path string, f func(name string, key, value ast.Node)) {
	for it := n.(ast.MapNode).MapRange(); it.Next(); {
		key, ok := it.Key().(ast.ScalarNode)
		if !ok || it.Key().Type() == ast.MergeKeyType {
			d.Wrong(it.Key(), path, errors.New("a key has to be a name"))
			continue
		}
		f(fmt.Sprint(key.GetValue()), key, it.Value())
	}
}

func (d *Decoder) list(n ast.Node, v reflect.Value, path string) {
	values := []ast.Node{n}
	if s, ok := n.(*ast.SequenceNode); ok {
		values = s.Values
	}
	for i, each := range values {
		one := reflect.New(v.Type().Elem()).Elem()
		d.Decode(each, one, fmt.Sprintf("%s[%d]", path, i+1))
		v.Set(reflect.Append(v, one))
	}
}

func (d *Decoder) mapping(n ast.Node, v reflect.Value, path string) {
	if _, ok := n.(ast.MapNode); !ok {
		d.Wrong(n, path, fmt.Errorf("a mapping is expected here, not %s", KindOf(n)))
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	d.Each(n, path, func(name string, _, value ast.Node) {
		one := reflect.New(v.Type().Elem()).Elem()
		d.Decode(value, one, Join(path, name))
		v.SetMapIndex(reflect.ValueOf(name), one)
	})
}

// OfYAML is what an error of the YAML library says.
func OfYAML(err error) Mistake {
	e, ok := errors.AsType[yaml.Error](err)
	if !ok {
		return Mistake{Err: err}
	}
	m := Mistake{Err: errors.New(e.GetMessage())}
	if t := e.GetToken(); t != nil && t.Position != nil {
		m.Line, m.Column = t.Position.Line, t.Position.Column
	}
	return m
}

func at(n ast.Node, path string, err error) Mistake {
	line, column := PlaceOf(n)
	return Mistake{Line: line, Column: column, Path: path, Err: err}
}

// Join is the path of a field.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
