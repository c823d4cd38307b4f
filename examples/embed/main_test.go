package main

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
)

// TestSite: the site has its own pages, and the search page, the API and its description below a prefix.
func TestSite(t *testing.T) {
	t.Parallel()
	ix, err := index.Open(t.TempDir(), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	doc := index.Document{Key: "http://a.test/", Fields: []index.Field{{Name: "title", Value: "Orion"}, {Name: "body", Value: "A hunter among the stars."}}}
	if err := w.Add(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	mux := site(ix)
	for target, want := range map[string]string{
		"/":                          "welcome",
		"/search/?q=hunter":          "<mark>hunter</mark>",
		"/search/api/search?q=orion": `"total":{"value":1,"exact":true}`,
		"/search/openapi.json":       `"url":"/search/"`,
		"/search/readyz":             `{"ok":true}`,
		"/search/static/style.css":   "body",
	} {
		rec := httptest.NewRecorder()
		mux.ServeHTTP(rec, httptest.NewRequest("GET", target, nil))
		if rec.Code != 200 || !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %d, no %q in %s", target, rec.Code, want, rec.Body)
		}
	}
}

// TestGuide: the guide shows this program, and it has thirty lines at most.
func TestGuide(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../../docs/guides/serving.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), "\n"); n > 30 || !strings.Contains(string(guide), "```go\n"+string(source)+"```\n") {
		t.Errorf("%d lines, or another program than that of the guide", n)
	}
}
