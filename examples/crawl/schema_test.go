package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestSchema takes records out of pages, tells of what cannot be read, and
// leaves other pages alone.
func TestSchema(t *testing.T) {
	t.Parallel()
	schema := filepath.Join(t.TempDir(), "schema.yaml")
	text := "name: offer\nurls: [/p/*]\nfields:\n  title: {css: h1, required: true}\n  price: {css: .price, type: price}\n"
	if err := os.WriteFile(schema, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, args := site(t, `
-- http://www.site.test/ --
<h1>Shop</h1><a href=/p/1>1</a><a href=/p/2>2</a>

-- http://www.site.test/p/1 --
<h1>Kettle</h1><b class=price>$19.90</b>

-- http://www.site.test/p/2 --
<h1>Lamp</h1><b class=price>ask us</b>
`, "-schema", schema)
	out := filepath.Join(t.TempDir(), "out")
	if code, stderr := try(args, "-out", out); code != exitDone {
		t.Fatal(stderr)
	}
	want := map[string]string{
		"http://www.site.test/":    `{"records":null,"flaws":null}`,
		"http://www.site.test/p/1": `{"records":[{"price":{"amount":19.9,"currency":"USD"},"title":"Kettle"}],"flaws":null}`,
		"http://www.site.test/p/2": `{"records":[{"title":"Lamp"}],"flaws":["offer: extract: price: \"ask us\" holds no number"]}`,
	}
	for _, r := range records(t, out) {
		got, err := json.Marshal(struct {
			Records []any    `json:"records"`
			Flaws   []string `json:"flaws"`
		}{r.Records, r.Flaws})
		if err != nil || string(got) != want[r.URL] {
			t.Errorf("%s: %s, want %s", r.URL, got, want[r.URL])
		}
		delete(want, r.URL)
	}
	if len(want) > 0 {
		t.Errorf("no pages %v", want)
	}
}
