package action

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/internal/strictyaml"
	"github.com/webquarry/quarry/crawler/internal/yamlschema"
)

const guide = "../../../docs/guides/actions.md"

// tables are the places of tables in the guide.
var tables = regexp.MustCompile(`(?s)<!-- fields: (\w+) -->\n(.*?)<!-- end -->`)

// TestGuideTables: the guide has a table of the fields of each action, and of
// what they are made of, with the words of the code.
func TestGuideTables(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	g := newGenerator(t)
	types := map[string]reflect.Type{}
	add := func(typ reflect.Type) { types[typ.Name()] = typ }
	for _, a := range actions() {
		add(reflect.TypeOf(a))
		if !strings.Contains(string(text), "\n### "+a.kind()+"\n") {
			t.Errorf("there is nothing about %s", a.kind())
		}
	}
	for _, v := range []any{Chain{}, Step{}, Selector{}, Value{}, Count{}, Cookie{}, Viewport{}, Geolocation{}} {
		add(reflect.TypeOf(v))
	}
	want := tables.ReplaceAllStringFunc(string(text), func(s string) string {
		name := tables.FindStringSubmatch(s)[1]
		typ := types[name]
		if typ == nil {
			t.Errorf("there is no type %s", name)
			return s
		}
		delete(types, name)
		return fmt.Sprintf("<!-- fields: %s -->\n%s<!-- end -->", name, table(g, typ))
	})
	for name := range types {
		t.Errorf("there is no table of %s", name)
	}
	if *update {
		if err := os.WriteFile(guide, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Error("its tables are not what the code says; go test -run TestGuideTables ./crawler/chrome/action -update")
	}
}

// table is the table of the fields of a type.
func table(g *yamlschema.Generator, t reflect.Type) string {
	doc := g.Docs[t.Name()]
	var b strings.Builder
	if _, ok := reflect.Zero(t).Interface().(Action); ok {
		fmt.Fprintf(&b, "%s\n\n", doc)
	}
	b.WriteString("| field | is | meaning; default |\n|---|---|---|\n")
	inline, _ := t.FieldByName("Selector")
	if inline.Anonymous {
		b.WriteString("| `css` ... | [selector](#selectors) | " + strings.ReplaceAll(orElse(g.Docs[t.Name()+".Selector"], "the element"), "|", "\\|") + " |\n")
	}
	b.WriteString(g.Table(t, words, func(p strictyaml.Property) bool { return inline.Anonymous && len(p.Index) > 1 }))
	return b.String()
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// words says what a type is.
func words(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "duration"
	case t == stepsType:
		return "steps"
	case t == schemaType:
		return "[schema](extract.md)"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return words(t.Elem())
	case reflect.Slice:
		return "list of " + words(t.Elem()) + "s"
	case reflect.Map:
		return "names and " + words(t.Elem()) + "s"
	case reflect.Struct:
		if t == reflect.TypeFor[Value]() || t == reflect.TypeFor[Selector]() {
			return "[" + strings.ToLower(t.Name()) + "](#selectors)"
		}
		return strings.ToLower(t.Name())
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true, false"
	}
	return "number"
}
