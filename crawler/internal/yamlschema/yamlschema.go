// Package yamlschema makes JSON Schemas (draft 2020-12), and tables for guides, of the
// types that strictyaml reads and of their comments. It is for the tests that hold what
// is published to the code.
package yamlschema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/internal/strictyaml"
)

// Object is one of JSON.
type Object = map[string]any

// ScalarText is the schema of a text that need not be put in quotes.
func ScalarText() Object { return Object{"type": []string{"string", "number", "boolean"}} }

// Generator makes the schema of types.
type Generator struct {
	Docs map[string]string // of types and, as type.field, of fields
	Defs Object            // the schemas of types that others refer to, by their names

	// Own gives the schema of a type that has its own rules; nil: it has none.
	Own func(t reflect.Type) Object
	// Short says whether the short field of a type takes any scalar; nil: none does.
	Short func(t reflect.Type) bool
}

// New returns a generator that knows the comments of the Go files in a folder.
func New(dir string) (*Generator, error) {
	g := &Generator{Docs: map[string]string{}, Defs: Object{}}
	files, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), dir+"/"+name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
				for _, s := range gen.Specs {
					g.read(s.(*ast.TypeSpec), gen.Doc)
				}
			}
		}
	}
	return g, nil
}

func (g *Generator) read(s *ast.TypeSpec, doc *ast.CommentGroup) {
	name := s.Name.Name
	g.Docs[name] = words(doc)
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range st.Fields.List {
		said := words(f.Comment)
		if said == "" {
			said = words(f.Doc)
		}
		if id, ok := f.Type.(*ast.Ident); ok && len(f.Names) == 0 {
			g.Docs[name+"."+id.Name] = said
		}
		for _, n := range f.Names {
			g.Docs[name+"."+n.Name] = said
		}
	}
}

func words(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

// Document is the schema of a document of a type. Own may have put into Defs what it
// refers to.
func (g *Generator) Document(t reflect.Type, id, title string) Object {
	out := g.Struct(t)
	out["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	out["$id"] = id
	out["title"] = title
	return out
}

// Of is the schema of a type.
func (g *Generator) Of(t reflect.Type) Object {
	if g.Own != nil {
		if own := g.Own(t); own != nil {
			return own
		}
	}
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return Object{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}
	case t.Kind() == reflect.Pointer:
		return g.Of(t.Elem())
	case t.Kind() == reflect.Slice:
		one := g.Of(t.Elem())
		if t.Elem().Kind() == reflect.String {
			one = ScalarText()
		}
		return Object{"anyOf": []any{one, Object{"type": "array", "items": one}}}
	case t.Kind() == reflect.Map:
		return Object{"type": "object", "additionalProperties": g.Of(t.Elem())}
	case t.Kind() == reflect.String:
		return Object{"type": "string"}
	case t.Kind() == reflect.Bool:
		return Object{"type": "boolean"}
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return Object{"type": "integer"}
	case t.Kind() == reflect.Float64:
		return Object{"type": "number"}
	}
	if g.Defs[t.Name()] == nil {
		g.Defs[t.Name()] = Object{} // for types within themselves
		g.Defs[t.Name()] = g.withShort(t, g.Struct(t))
	}
	return Object{"$ref": "#/$defs/" + t.Name()}
}

// withShort lets a scalar stand for the one field that may be short.
func (g *Generator) withShort(t reflect.Type, full Object) Object {
	for _, p := range strictyaml.Properties(t) {
		if p.Short {
			short := g.Of(p.Type)
			if g.Short != nil && g.Short(t) {
				short = ScalarText()
			}
			if len(p.Enum) > 0 {
				short = Object{"enum": p.Enum}
			}
			doc := full["description"]
			delete(full, "description")
			return Object{"description": doc, "anyOf": []any{short, full}}
		}
	}
	return full
}

// Struct is the schema of the mapping of a struct.
func (g *Generator) Struct(t reflect.Type) Object {
	fields, required := Object{}, []string{}
	for _, p := range strictyaml.Properties(t) {
		f := g.Of(p.Type)
		if len(p.Enum) > 0 {
			f = Object{"enum": p.Enum}
			if p.Type.Kind() == reflect.Slice {
				f = Object{"anyOf": []any{f, Object{"type": "array", "items": f}}}
			}
		}
		if k := p.Type.Kind(); (k == reflect.Int || k == reflect.Int64 && f["type"] == "integer") && !p.Signed {
			f["minimum"] = 0
		}
		owner, at := t, p.Index
		for ; len(at) > 1; at = at[1:] {
			owner = owner.Field(at[0]).Type
		}
		if doc := g.Docs[owner.Name()+"."+owner.Field(at[0]).Name]; doc != "" {
			f["description"] = doc
		}
		fields[p.Name] = f
		if p.Required {
			required = append(required, p.Name)
		}
	}
	out := Object{"type": "object", "properties": fields, "additionalProperties": false, "description": g.Docs[t.Name()]}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// Table is the table of the fields of a type, in Markdown. is says what a type is called;
// skip leaves fields out.
func (g *Generator) Table(t reflect.Type, is func(reflect.Type) string, skip func(strictyaml.Property) bool) string {
	var b strings.Builder
	for _, p := range strictyaml.Properties(t) {
		if skip != nil && skip(p) {
			continue
		}
		kind := is(p.Type)
		if len(p.Enum) > 0 {
			kind = "`" + strings.Join(p.Enum, "`, `") + "`"
		}
		if p.Required {
			kind += ", required"
		}
		if p.Short {
			kind += ", or alone"
		}
		f := t.FieldByIndex(p.Index)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.Name, kind, strings.ReplaceAll(g.Docs[t.Name()+"."+f.Name], "|", "\\|"))
	}
	return b.String()
}
