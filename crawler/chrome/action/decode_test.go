package action

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/webquarry/quarry/crawler/extract"
)

// TestParse: YAML and JSON say the same as the values in Go.
func TestParse(t *testing.T) {
	t.Parallel()
	want := &Chain{Name: "kettles", Timeout: 2 * time.Minute, Steps: Steps{
		{Do: Navigate{URL: "/kettles"}},
		{Do: Dismiss{}, Optional: true},
		{Do: ClickWhile{Selector: Selector{CSS: "button.more"}, Max: 20}, Name: "more", Timeout: time.Minute},
		{Do: Scroll{Within: &Selector{CSS: "#list"}, Do: Steps{{Do: Snapshot{}}}}},
		{Do: Fill{Selector: Selector{Text: "Password", Frame: "*"}, Value: Value{Env: "SECRET"}}},
		{Do: Select{Selector: Selector{CSS: "select"}, Values: []string{"5"}}},
		{Do: Wait{Count: &Count{Selector: Selector{CSS: ".card", Nth: -1}, AtLeast: 3}, Idle: 500 * time.Millisecond}},
		{Do: Set{Headers: map[string]Value{"X-Key": {Text: "1.50"}}, Geolocation: &Geolocation{Latitude: -47.5}}},
	}}
	inYAML := `
name: kettles
timeout: 2m
steps:
  - navigate: /kettles
  - dismiss:
    optional: true
  - click-while: {css: button.more, max: 20}
    name: more
    timeout: 1m
  - scroll:
      within: &list "#list"
      do: [snapshot]
  - fill: {text: Password, frame: "*", value: {env: SECRET}}
  - select: {css: select, values: 5}
  - wait: {count: {css: .card, nth: -1, at-least: 3}, idle: 500ms}
  - set: {headers: {X-Key: 1.50}, geolocation: {latitude: -47.5}}
`
	inJSON := `{
	"name": "kettles", "timeout": "2m", "steps": [
		{"navigate": {"url": "\/kettles"}},
		{"dismiss": null, "optional": true},
		{"click-while": {"css": "button.more", "max": 20}, "name": "more", "timeout": "1m"},
		{"scroll": {"within": {"css": "\u0023list"}, "do": [{"snapshot": {}}]}},
		{"fill": {"text": "Password", "frame": "*", "value": {"env": "SECRET"}}},
		{"select": {"css": "select", "values": ["5"]}},
		{"wait": {"count": {"css": ".card", "nth": -1, "at-least": 3}, "idle": "500ms"}},
		{"set": {"headers": {"X-Key": {"text": "1.50"}}, "geolocation": {"latitude": -47.5}}}
	]
}`
	for _, text := range []string{inYAML, inJSON} {
		got, err := Parse([]byte("\ufeff" + text))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if err := published(t).Validate(plain(t, text)); err != nil {
			t.Error(err)
		}
	}
}

// plain is YAML as the validator of JSON Schema wants it.
func plain(t testing.TB, text string) (v any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestParseSchema: the schema of an extract step is read by its own rules.
func TestParseSchema(t *testing.T) {
	t.Parallel()
	c, err := Parse([]byte("steps:\n  - extract:\n      schema: {each: .card, fields: {name: h2, price: {css: .price, type: price}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := c.Steps[0].Do.(Extract).Schema
	if len(s.Fields) != 2 || s.Fields[1].Type != extract.Money || s.Each[0].CSS != ".card" {
		t.Errorf("%+v", s)
	}
}

// TestParseRefuses: each mistake is told with its place, and the nearest name.
// The published JSON Schema refuses it, too, where its form is wrong.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	schema := published(t)
	for _, tt := range []struct {
		text      string
		line, col int
		want      string
		form      bool
	}{
		{"", 0, 0, "there is no chain", true},
		{"- navigate: x", 1, 1, "a mapping is expected here, not a sequence", true},
		{"name: x", 1, 1, "steps is missing", true},
		{"steps:\n  - clik: a", 2, 5, `steps[1]: unknown action "clik"; did you mean "click"?`, true},
		{"steps:\n  - clickwhile: a", 2, 5, `did you mean "click-while"?`, true},
		{"steps: [dismis]", 1, 9, `unknown action "dismis"; did you mean "dismiss"?`, true},
		{"steps: [teleport]", 1, 9, `unknown action "teleport"; docs/guides/actions.md lists all`, true},
		{"steps:\n  - click: {css: a, tex: b}", 2, 21, `steps[1].click: unknown field "tex"; did you mean "text"?`, true},
		{"steps:\n  - click: {css: a, foo: b}", 2, 21, `unknown field "foo"; there are css, xpath, text`, true},
		{"step:\n  - navigate: a", 1, 1, `unknown field "step"; did you mean "steps"?`, true},
		{"steps:\n  - click: a\n    hover: b", 3, 5, "a step has one action, and this one has click and hover", true},
		{"steps:\n  - timeout: 3s", 2, 5, "a step without an action", true},
		{"steps:\n  - wait: .a\n    timeout: 3", 3, 14, `steps[1].timeout: "3" is no duration; write 500ms, 2s or 1m30s`, true},
		{"steps:\n  - wait: .a\n    timeout: -3s", 2, 5, "timeout cannot be negative", true},
		{"steps: [click]", 1, 9, "a selector needs css, xpath, text or each", true},
		{"steps: [navigate]", 1, 9, "url is missing", true},
		{"steps: [{navigate: {until: load}}]", 1, 20, "url is missing", true},
		{"steps: [{navigate: {url: a, until: loaded}}]", 1, 20, `until: "loaded" is none of load, dom, commit; did you mean "load"?`, true},
		{"steps: [{click: {xpath: //a, css: b}}]", 1, 17, "xpath goes with neither css nor text", false},
		{"steps: [{click: [a]}]", 1, 17, "a text is expected here, not a sequence", true},
		{"steps: [{click-while: {css: a, max: many}}]", 1, 37, `steps[1].click-while.max: "many" is no whole number`, true},
		{"steps: [{click-while: {css: a, max: 2.5}}]", 1, 37, `"2.5" is no whole number`, true},
		{"steps: [{click-while: {css: a, max: -1}}]", 1, 23, "max cannot be negative", true},
		{"steps: [{scroll: {jump: maybe}}]", 1, 25, `true or false is expected here, not "maybe"`, true},
		{"steps: [{fill: {css: a, value: {text: a, env: B}}}]", 1, 32, "a value has a text or an env, not both", false},
		{"steps: [{press: Entr}]", 1, 17, `there is no key "Entr"; did you mean "Enter"?`, false},
		{"steps: [{press: Control+}]", 1, 17, `there is no key "Control+"`, false},
		{"steps: [{wait: {}}]", 1, 16, "nothing to wait for", false},
		{"steps: [{if-exists: {css: a}}]", 1, 21, "then or else is missing", false},
		{"steps: [{for-each: {css: a}}]", 1, 20, "do is missing", true},
		{"steps: [{screenshot: ../a.png}]", 1, 22, "is no plain name", false},
		{"steps: [{screenshot: a.gif}]", 1, 22, "does not end in .png", false},
		{"steps: [{set: {viewport: {width: 3}}}]", 1, 26, "height is missing", true},
		{"steps: [{login: {url: a, user: b}}]", 1, 17, "user and password are missing", false},
		{"steps:\n  - extract:\n      schema:\n        each: .x\n        fields: {a: {csss: b}}", 5, 22, `unknown field "csss"`, true},
		{"steps:\n  - extract:\n      schema: {fields: {a: 'h1['}}", 3, 28, `steps[1].extract.schema.a: css "h1["`, false},
		{"steps: [snapshot]\nname: a\nname: b", 3, 1, "already defined", false},
		{"steps: [snapshot]\n---\nsteps: [snapshot]", 3, 1, "a second document", false},
		{"steps: [snapshot", 1, 8, "not found", false},
		{"steps:\n\t- snapshot", 2, 1, "cannot start any token", false},
		{"steps: *none", 1, 8, "alias", false},
		{"steps: &a [{for-each: {css: x, do: *a}}]", 1, 23, "nested deeper", false},
	} {
		_, err := Parse([]byte(tt.text))
		e, ok := errors.AsType[*DecodeError](err)
		if !ok || !strings.Contains(err.Error(), tt.want) || e.Line != tt.line || e.Column != tt.col {
			t.Errorf("%s\n%v\nwant line %d, column %d: %s", tt.text, err, tt.line, tt.col, tt.want)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is several lines", err)
		}
		if tt.form && schema.Validate(plain(t, tt.text)) == nil {
			t.Errorf("%s: the JSON Schema takes it", tt.text)
		}
	}
}

// TestCheck: a chain made in Go is refused before anything is done.
func TestCheck(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]*Chain{
		"action: steps is missing":                    {},
		"action: step 1 has no action":                {Steps: Steps{{}}},
		"action: step 1: navigate: url is missing":    {Steps: Steps{{Do: Navigate{}}}},
		"action: step 2: wait: visible: a selector n": {Steps: Steps{{Do: Snapshot{}}, {Do: Wait{Visible: &Selector{}}}}},
		"action: step 1: for-each: do: step 1.1: clic": {Steps: Steps{{Do: ForEach{Selector: Selector{CSS: "a"}, Do: Steps{{Do: Click{
			Selector: Selector{CSS: "b"}, Button: "top"}}}}}}},
	} {
		res, err := new(Runner).Run(t.Context(), c)
		if res != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"steps:\n  - navigate: /a\n  - dismiss\n  - click-while: {css: a, max: 3}\n    timeout: 1m\n",
		`{"steps": [{"wait": {"count": {"css": "a", "at-least": 2}}}, {"extract": {"schema": {"fields": {"a": "b"}}}}]}`,
		"a: &a [*a]\nsteps: *a",
		"steps: [{set: {headers: {a: {env: B}}, viewport: {width: 1, height: 2}}}]",
		"steps: [{press: Control+Shift+a}, {fill: {css: a, value: |\n  x\n}}]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(text)
		if err != nil {
			if _, ok := errors.AsType[*DecodeError](err); !ok {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		if err := checkAll(c); err != nil {
			t.Errorf("read, but %v", err)
		}
		again, err := Parse(text)
		if err != nil || !reflect.DeepEqual(c, again) {
			t.Errorf("not the same again: %v", err)
		}
	})
}
