package action

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/crawler/internal/yamlschema"
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
	if err := enc.Encode(schema(newGenerator(t))); err != nil {
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

type object = yamlschema.Object

// newGenerator makes schemas of the types of this package.
func newGenerator(t testing.TB) *yamlschema.Generator {
	t.Helper()
	g, err := yamlschema.New(".")
	if err != nil {
		t.Fatal(err)
	}
	g.Short = func(t reflect.Type) bool { return t == reflect.TypeFor[Value]() }
	g.Own = func(t reflect.Type) object {
		switch t {
		case stepsType:
			return object{"$ref": "#/$defs/Steps"}
		case schemaType:
			var doc object
			if err := json.Unmarshal([]byte(extract.JSONSchema()), &doc); err != nil {
				panic(err)
			}
			g.Defs["Schema"] = doc
			return object{"$ref": doc["$id"]}
		}
		return nil
	}
	return g
}

func schema(g *yamlschema.Generator) object {
	out := g.Document(reflect.TypeFor[Chain](), "https://github.com/webquarry/quarry/crawler/chrome/action/schema.json", "Chain of actions in a page")
	step(g)
	out["$defs"] = g.Defs
	return out
}

// step defines a step: the name of an action, or a mapping with one.
func step(g *yamlschema.Generator) {
	all := kinds()
	var bare []string
	var one []any
	fields := g.Struct(reflect.TypeFor[Step]())["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		one = append(one, object{"required": []string{name}})
		ref := g.Of(all[name])
		if reader().CheckFields(reflect.Zero(all[name])) == nil {
			bare = append(bare, name)
			ref = object{"anyOf": []any{ref, object{"type": "null"}}}
		}
		fields[name] = ref
	}
	g.Defs["Steps"] = object{"type": "array", "items": object{"$ref": "#/$defs/Step"}, "description": g.Docs["Steps"]}
	g.Defs["Step"] = object{"description": g.Docs["Step"], "anyOf": []any{
		object{"enum": bare},
		object{"type": "object", "properties": fields, "additionalProperties": false, "oneOf": one},
	}}
}
