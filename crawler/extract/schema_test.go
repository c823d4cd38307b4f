package extract

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestParseRefuses: each mistake is told with its place, and the published
// JSON Schema refuses what can be seen from the form alone.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	published := publishedSchema(t)
	for _, tt := range []struct {
		yaml, want string
		line, col  int
		form       bool // wrong by its form
	}{
		{"fields: {a: {cs: h1}}", `unknown field "cs"`, 1, 14, true},
		{"fields:\n  a: h1\nname: x\nrecords: 1\n", `unknown field "records"`, 4, 1, true},
		{"fields:\n  a: h1\n  a: h2\n", "already defined", 3, 3, false},
		{"name: x\n", "no fields", 0, 0, true},
		{"fields: {}\n", "no fields", 0, 0, true},
		{"fields: [h1]\n", "mapping of names, not a sequence", 1, 9, true},
		{"fields: {a: [h1]}\n", "a selector or a mapping, not a sequence", 1, 13, true},
		{"fields: {a: 1}\n", "not a int", 1, 13, true},
		{"fields:\n  a:\n    css: 'h1['\n", `a: css "h1["`, 3, 8, false},
		{"fields:\n  a:\n    any:\n      - .b\n      - xpath: //h1[\n", `a: xpath "//h1["`, 5, 14, false},
		{"fields:\n  a: {xpath: 'starts-with(1, 2)'}\n", "cannot be evaluated", 2, 6, false},
		{"fields:\n  a: {css: b, regexp: '(['}\n", "error parsing regexp", 2, 6, false},
		{"fields:\n  a: {css: b, regexp: 'x', group: 2}\n", "no group 2", 2, 6, false},
		{"fields:\n  a: {css: b, group: 2}\n", "group without regexp", 2, 6, false},
		{"fields:\n  a: {css: b, xpath: c}\n", "exclude each other", 2, 6, false},
		{"fields:\n  a: {required: true}\n", "neither a rule nor a default", 2, 3, false},
		{"fields:\n  a: {css: b, type: number}\n", `type "number" is not known`, 2, 3, true},
		{"fields:\n  a: {css: b, type: int, default: many}\n", "holds no number", 2, 3, false},
		{"fields:\n  a: {css: b, type: price, currency: XQX}\n", "no code of ISO 4217", 2, 3, false},
		{"fields:\n  a: {css: b, currency: EUR}\n", "currency is for prices", 2, 3, false},
		{"fields:\n  a: {css: b, layouts: [x]}\n", "layouts are for times", 2, 3, false},
		{"fields:\n  r: {css: b, type: int, fields: {a: i}}\n", "neither type nor default", 2, 3, false},
		{"fields:\n  r:\n    fields:\n      deep: {css: '!'}\n", "r.deep: css", 4, 13, false},
		{"fields:\n  a: {css: b, list: maybe}\n", "cannot unmarshal", 2, 21, true},
		{"each: {css: b, fields: {}}\nfields: {a: b}\n", `unknown field "fields"`, 1, 16, true},
		{"fields:\n\ta: b\n", "cannot start any token", 2, 1, true},
	} {
		_, err := Parse([]byte(tt.yaml))
		e, ok := errors.AsType[*SchemaError](err)
		if !ok || !strings.Contains(err.Error(), tt.want) || e.Line != tt.line || e.Column != tt.col {
			t.Errorf("%s: %v, want line %d, column %d: %s", tt.yaml, err, tt.line, tt.col, tt.want)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is several lines", err)
		}
		if v, ok := plainYAML(tt.yaml); ok && (published.Validate(v) != nil) != tt.form {
			t.Errorf("%s: the JSON Schema says %v", tt.yaml, published.Validate(v))
		}
	}
}

// TestParseRefusesDepth: the YAML parser would take memory by the square of it.
func TestParseRefusesDepth(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"[", "{a: ", "- "} {
		_, err := Parse([]byte(strings.Repeat(open, 20_000)))
		if _, ok := errors.AsType[*SchemaError](err); !ok || !strings.Contains(err.Error(), "within each other") {
			t.Errorf("%s: %v", open, err)
		}
	}
}

const everything = `
name: product
urls: [/product/**, "*.html"]
each: [.card, {xpath: //li}]
fields:
  title: h1
  price: {css: .price, type: price, currency: EUR, required: true, any: [{item: Product.offers.price}, .cost]}
  when: {css: time, attr: datetime, type: time, layouts: ["2006-01-02", RFC3339]}
  stars: {css: .stars, regexp: '(\d) of (\d)', group: 2, type: int, default: 0}
  stock: {css: .stock, type: present}
  ok: {default: true, type: bool}
  photos: {css: img, attr: src, type: url, list: true}
  reviews:
    css: .review
    list: true
    fields:
      by: .author
      text: {css: p, type: text}
`

func TestParseAll(t *testing.T) {
	t.Parallel()
	s, err := Parse([]byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	v, ok := plainYAML(everything)
	if !ok {
		t.Fatal("no YAML")
	}
	if err := publishedSchema(t).Validate(v); err != nil {
		t.Error(err)
	}
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "title price when stars stock ok photos reviews" {
		t.Errorf("fields %s, not in the order of the text", got)
	}
	if len(s.Each) != 2 || s.Fields[1].Any[1].CSS != ".cost" || *s.Fields[3].Default != "0" || len(s.Fields[7].Fields) != 2 {
		t.Errorf("read as %+v", s)
	}
}

// publishedSchema compiles the JSON Schema.
func publishedSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plainYAML reads YAML as JSON values.
func plainYAML(text string) (v any, ok bool) {
	j, err := yaml.YAMLToJSON([]byte(text))
	return v, err == nil && json.Unmarshal(j, &v) == nil
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte("fields: {a: &x {css: b}, c: *x}"))
	f.Add([]byte("fields: {a: {any: [b, {xpath: 'count(//a)'}]}}"))
	f.Add([]byte("---\nfields: !!map {a: b}\n---\n"))
	f.Add([]byte("each: *a\nfields: {<<: {a: b}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(text)
		if err != nil {
			if _, ok := errors.AsType[*SchemaError](err); !ok {
				t.Errorf("untyped error %v", err)
			}
			return
		}
		x, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Records(parse(t, shopPage), "http://shop.test/p/1"); err != nil {
			if _, ok := errors.AsType[*FieldError](err); !ok {
				t.Errorf("untyped error %v", err)
			}
		}
	})
}
