package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/serve"
)

// Of pages that say the same the best is shown, and there is no page of results
// for the others.
func TestPagesThatSayTheSame(t *testing.T) {
	t.Parallel()
	pages, _, ix := sinkOf(t, 1)
	s := &dedup.Sink{Index: dedup.New(dedup.Options{}), Into: pages}
	story := strings.Repeat("a comet is a snowball of dust and ice that comes from far away ", 3)
	for url, text := range map[string]string{
		"http://a.test/comet": story, "http://a.test/comet?print": strings.ToUpper(story), "http://a.test/b/comet": story,
		"http://a.test/other": "a comet of its own",
	} {
		if err := s.Put(t.Context(), fresh(&crawler.Page{URL: url, Title: "x", Text: text})); err != nil {
			t.Fatal(err)
		}
	}
	a, err := newSearch(ix, serve.Options{}).Search(t.Context(), serve.Request{Text: "comet", Page: 1, Size: 3})
	if err != nil {
		t.Fatal(err)
	}
	urls := []string{}
	for _, h := range a.Hits {
		urls = append(urls, h.URL)
	}
	if want := "What says the same, or nearly, is shown once: 2 pages left out."; a.Hint != want {
		t.Errorf("%q, want %q", a.Hint, want)
	}
	if len(urls) != 2 || !slices.Contains(urls, "http://a.test/other") || a.Total.Value != 4 {
		t.Errorf("%q of %v", urls, a.Total)
	}
}

// An index that was made before pages had a group is searched as it was.
func TestIndexWithoutGroups(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index")
	old := slices.DeleteFunc(schema(), func(f index.FieldType) bool { return f.Name == "group" })
	ix, err := index.Open(dir, index.Options{Schema: old})
	if err != nil {
		t.Fatal(err)
	}
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"http://a.test/1", "http://a.test/2"} {
		d := document(&crawler.Page{URL: key, Title: "comet"})
		d.Fields = slices.DeleteFunc(d.Fields, func(f index.Field) bool { return f.Name == "group" })
		if err := w.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Close()
	ix.Close()
	if ix, err = index.Open(dir, index.Options{Schema: schema()}); err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	a, err := newSearch(ix, serve.Options{}).Search(t.Context(), serve.Request{Text: "comet", Page: 1, Size: 10})
	if err != nil || len(a.Hits) != 2 {
		t.Errorf("%+v, %v", a, err)
	}
}
