package action

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/webquarry/quarry/crawler/extract"
)

var update = flag.Bool("update", false, "write schema.json anew from the Go types")

// TestJSONSchema: the published schema is the one that the Go types and their
// comments amount to.
func TestJSONSchema(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(newGenerator(t).schema()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("schema.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if b.String() != JSONSchema() {
		t.Error("schema.json is not what the types say; go test -run TestJSONSchema ./crawler/chrome/action -update")
	}
}

// published is the JSON Schema, ready to validate.
func published(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("chain.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("chain.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type object = map[string]any

// scalarText is a text that need not be put in quotes.
var scalarText = object{"type": []string{"string", "number", "boolean"}}

// generator makes a JSON Schema of the types of this package.
type generator struct {
	docs map[string]string // of types and, as type.field, of fields
	defs object
}

func newGenerator(t *testing.T) *generator {
	g := &generator{docs: map[string]string{}, defs: object{}}
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
				for _, s := range gen.Specs {
					g.read(s.(*ast.TypeSpec), gen.Doc)
				}
			}
		}
	}
	return g
}

func (g *generator) read(s *ast.TypeSpec, doc *ast.CommentGroup) {
	name := s.Name.Name
	g.docs[name] = strings.Join(strings.Fields(doc.Text()), " ")
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range st.Fields.List {
		if id, ok := f.Type.(*ast.Ident); ok && len(f.Names) == 0 {
			g.docs[name+"."+id.Name] = strings.Join(strings.Fields(f.Comment.Text()), " ")
		}
		for _, n := range f.Names {
			g.docs[name+"."+n.Name] = strings.Join(strings.Fields(f.Comment.Text()), " ")
		}
	}
}

func (g *generator) schema() object {
	out := g.ofStruct(reflect.TypeFor[Chain]())
	out["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	out["$id"] = "https://github.com/webquarry/quarry/crawler/chrome/action/schema.json"
	out["title"] = "Chain of actions in a page"
	g.step()
	out["$defs"] = g.defs
	return out
}

// step defines a step: the name of an action, or a mapping with one.
func (g *generator) step() {
	all := kinds()
	var bare []string
	var one []any
	fields := g.ofStruct(reflect.TypeFor[Step]())["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		one = append(one, object{"required": []string{name}})
		ref := g.of(all[name])
		if checkFields(reflect.Zero(all[name])) == nil {
			bare = append(bare, name)
			ref = object{"anyOf": []any{ref, object{"type": "null"}}}
		}
		fields[name] = ref
	}
	g.defs["Steps"] = object{"type": "array", "items": object{"$ref": "#/$defs/Step"}, "description": g.docs["Steps"]}
	g.defs["Step"] = object{"description": g.docs["Step"], "anyOf": []any{
		object{"enum": bare},
		object{"type": "object", "properties": fields, "additionalProperties": false, "oneOf": one},
	}}
}

// of is the schema of a type.
func (g *generator) of(t reflect.Type) object {
	switch {
	case t == durationType:
		return object{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}
	case t == stepsType:
		return object{"$ref": "#/$defs/Steps"}
	case t == schemaType:
		var doc object
		if err := json.Unmarshal([]byte(extract.JSONSchema()), &doc); err != nil {
			panic(err)
		}
		g.defs["Schema"] = doc
		return object{"$ref": doc["$id"]}
	case t.Kind() == reflect.Pointer:
		return g.of(t.Elem())
	case t.Kind() == reflect.Slice:
		one := g.of(t.Elem())
		if t.Elem().Kind() == reflect.String {
			one = scalarText
		}
		return object{"anyOf": []any{one, object{"type": "array", "items": one}}}
	case t.Kind() == reflect.Map:
		return object{"type": "object", "additionalProperties": g.of(t.Elem())}
	case t.Kind() == reflect.String:
		return object{"type": "string"}
	case t.Kind() == reflect.Bool:
		return object{"type": "boolean"}
	case t.Kind() == reflect.Int:
		return object{"type": "integer"}
	case t.Kind() == reflect.Float64:
		return object{"type": "number"}
	}
	if g.defs[t.Name()] == nil {
		g.defs[t.Name()] = object{} // for types within themselves
		g.defs[t.Name()] = g.withShort(t, g.ofStruct(t))
	}
	return object{"$ref": "#/$defs/" + t.Name()}
}

// withShort lets a scalar stand for the one field that may be short.
func (g *generator) withShort(t reflect.Type, full object) object {
	for _, p := range properties(t) {
		if p.short {
			short := g.of(p.typ)
			if t == reflect.TypeFor[Value]() {
				short = scalarText
			}
			if len(p.enum) > 0 {
				short = object{"enum": p.enum}
			}
			doc := full["description"]
			delete(full, "description")
			return object{"description": doc, "anyOf": []any{short, full}}
		}
	}
	return full
}

func (g *generator) ofStruct(t reflect.Type) object {
	fields, required := object{}, []string{}
	for _, p := range properties(t) {
		f := g.of(p.typ)
		if len(p.enum) > 0 {
			f = object{"enum": p.enum}
		}
		if p.typ.Kind() == reflect.Int && p.name != "nth" {
			f["minimum"] = 0
		}
		owner, at := t, p.index
		for ; len(at) > 1; at = at[1:] {
			owner = owner.Field(at[0]).Type
		}
		if doc := g.docs[owner.Name()+"."+owner.Field(at[0]).Name]; doc != "" {
			f["description"] = doc
		}
		fields[p.name] = f
		if p.required {
			required = append(required, p.name)
		}
	}
	out := object{"type": "object", "properties": fields, "additionalProperties": false, "description": g.docs[t.Name()]}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}
