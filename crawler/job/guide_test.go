package job

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/extract"
)

const guide = "../../docs/guides/jobs.md"

// tables are the places of tables in the guide, and specs are the specs in it.
var (
	tables = regexp.MustCompile(`(?s)<!-- fields: (\w+) -->\n(.*?)<!-- end -->`)
	specs  = regexp.MustCompile("(?s)```yaml\n(.*?)```\n")
)

// TestGuide: the guide has a table of the fields of each part of a spec, with the words of
// the code, and its specs are such.
func TestGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	g := newGenerator(t)
	types := map[string]reflect.Type{}
	for _, v := range []any{Spec{}, Scope{}, Pace{}, Budget{}, Fetch{}, Browser{}, Login{}, Chain{}, Recrawl{}, Outputs{}} {
		types[reflect.TypeOf(v).Name()] = reflect.TypeOf(v)
	}
	want := tables.ReplaceAllStringFunc(string(text), func(s string) string {
		name := tables.FindStringSubmatch(s)[1]
		typ := types[name]
		if typ == nil {
			t.Errorf("there is no type %s", name)
			return s
		}
		delete(types, name)
		return "<!-- fields: " + name + " -->\n| field | is | meaning; default |\n|---|---|---|\n" + g.Table(typ, words, nil) + "<!-- end -->"
	})
	for name := range types {
		t.Errorf("there is no table of %s", name)
	}
	if *update {
		if err := os.WriteFile(guide, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Error("its tables are not what the code says; go test -run TestGuide ./crawler/job -update")
	}
	for _, m := range specs.FindAllStringSubmatch(string(text), -1) {
		if _, err := Parse([]byte(m[1])); err != nil {
			t.Errorf("%v in\n%s", err, m[1])
		}
	}
}

// words says what a type is.
func words(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return "duration"
	case reflect.TypeFor[action.Steps]():
		return "[steps](actions.md)"
	case reflect.TypeFor[extract.Schema]():
		return "[schema](extract.md)"
	case reflect.TypeFor[action.Value]():
		return "text or `{env: NAME}`"
	case reflect.TypeFor[Settings]():
		return "settings"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return words(t.Elem())
	case reflect.Slice:
		return "list of " + words(t.Elem())
	case reflect.Map:
		return "names: " + words(t.Elem())
	case reflect.Struct:
		return "[mapping](#" + strings.ToLower(t.Name()) + ")"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true, false"
	}
	return "number"
}
