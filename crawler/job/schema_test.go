package job

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/crawler/internal/yamlschema"
)

var update = flag.Bool("update", false, "write schema.json, and the tables of the guide, anew from the Go types")

type object = yamlschema.Object

// newGenerator makes schemas of the types of this package.
func newGenerator(t testing.TB) *yamlschema.Generator {
	t.Helper()
	g, err := yamlschema.New(".")
	if err != nil {
		t.Fatal(err)
	}
	others := map[reflect.Type]object{}
	for typ, text := range map[reflect.Type]string{reflect.TypeFor[action.Steps](): action.JSONSchema(), reflect.TypeFor[extract.Schema](): extract.JSONSchema()} {
		var doc object
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		others[typ] = doc
	}
	g.Own = func(typ reflect.Type) object {
		switch typ {
		case reflect.TypeFor[action.Steps]():
			g.Defs["Actions"] = others[typ]
			return object{"$ref": others[typ]["$id"].(string) + "#/$defs/Steps"}
		case reflect.TypeFor[extract.Schema]():
			return object{"$ref": others[typ]["$id"]} // which is among the actions' own
		case reflect.TypeFor[action.Value]():
			return object{"anyOf": []any{yamlschema.ScalarText(), object{"type": "object", "additionalProperties": false,
				"properties": object{"text": yamlschema.ScalarText(), "env": object{"type": "string"}}}}}
		case reflect.TypeFor[Settings]():
			return object{}
		}
		return nil
	}
	return g
}

// TestJSONSchema: the published schema is the one that the Go types and their comments
// amount to.
func TestJSONSchema(t *testing.T) {
	t.Parallel()
	g := newGenerator(t)
	doc := g.Document(reflect.TypeFor[Spec](), "https://github.com/webquarry/quarry/crawler/job/schema.json", "A crawl")
	doc["$defs"] = g.Defs
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("schema.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if b.String() != JSONSchema() {
		t.Error("schema.json is not what the types say; go test -run TestJSONSchema ./crawler/job -update")
	}
}

// TestSchemaAgrees: what Parse takes the published schema does, and what is wrong by the
// types is so by the schema.
func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	published, err := jsonschema.UnmarshalJSON(strings.NewReader(JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("spec.json", published); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("spec.json")
	if err != nil {
		t.Fatal(err)
	}
	const good = "seeds: https://a.example/\nuser-agent: a/1 (+https://a.example/)\n"
	for more, ok := range map[string]bool{
		"": true, "order: depth": true, "order: wide": false, "scope: {within: host, include: [/a, /b]}": true, "scope: {with: host}": false,
		"pace: {delay: 1s, workers: 3}": true, "pace: {workers: -3}": false, "pace: {workers: 3.5}": false, "content: pdf": true, "content: [pdf, xls]": false,
		"chains: {urls: /a, steps: [dismiss, {click: a}]}": true, "chains: {urls: /a, steps: [dismis]}": false, "chains: {steps: [dismiss]}": false,
		"extract: [{fields: {a: h1}}]": true, "extract: [{fields: {a: {css: h1, type: prise}}}]": false,
		"logins: {url: 'http://a.example/', fields: {user: {env: A}, password: b}}": true, "logins: {url: 'http://a.example/'}": false,
		"output: {pages: a, others: {index: {stemming: english, k: 2}}}": true, "output: {index: {}}": false, "fetch: {headers: {A: 1}, by: chrome}": true,
		"fetch: {by: wget}": false, "recrawl: {every: 1 day}": false, "recrawl: {every: 24h}": true,
	} {
		_, wrong := Parse([]byte(good + more))
		var v any
		if err := yaml.Unmarshal([]byte(good+more), &v); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if invalid := s.Validate(doc); (wrong == nil) != ok || (invalid == nil) != ok {
			t.Errorf("%s: %v by Parse, %v by the schema", more, wrong, invalid)
		}
	}
}
