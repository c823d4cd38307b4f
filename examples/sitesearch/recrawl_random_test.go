package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// changingSite is a site whose pages come, change, get other links and go. The home page
// links to all that are there.
type changingSite struct {
	r     *rand.Rand
	pages map[string]string
}

var siteWords = strings.Fields("zebra giraffe elephant lion otter badger heron falcon")

func (c *changingSite) change() {
	for i := range 12 {
		path := fmt.Sprintf("/%d", i)
		switch c.r.IntN(4) {
		case 0:
			delete(c.pages, path)
		case 1, 2:
			var b strings.Builder
			fmt.Fprintf(&b, "<title>Page %s</title><p>%s %s", path, siteWords[c.r.IntN(len(siteWords))], path)
			for range c.r.IntN(5) {
				fmt.Fprintf(&b, " <a href='/%d'>%s</a>", c.r.IntN(14), siteWords[c.r.IntN(len(siteWords))])
			}
			c.pages[path] = b.String()
		}
	}
	var home strings.Builder
	home.WriteString("<title>Home</title><p>All pages")
	for i := range 12 {
		if path := fmt.Sprintf("/%d", i); c.pages[path] != "" {
			fmt.Fprintf(&home, " <a href='%s'>page</a>", path)
		}
	}
	c.pages["/"] = home.String()
}

func (c *changingSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, ok := c.pages[r.URL.Path]
	if !ok { // one that is gone: that is taken for sure at once, which 404 is not
		page = "<meta name=robots content=noindex>"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, page)
}

// contents lists which pages are found by each word of each field.
func contents(t *testing.T, dir string) string {
	t.Helper()
	ix, err := index.Open(filepath.Join(dir, "index"), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	s, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out []string
	for _, field := range []string{"title", "body", "links"} {
		for term := range s.Terms(t.Context(), field, index.TermOptions{}).All() {
			r, err := s.Search(t.Context(), query.Term{Field: field, Text: term}, index.SearchOptions{Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			for _, h := range r.Hits {
				keys = append(keys, h.Key)
			}
			slices.Sort(keys)
			if len(keys) > 0 {
				out = append(out, fmt.Sprintf("%s:%s %v", field, term, keys))
			}
		}
	}
	return strings.Join(out, "\n")
}

// TestRecrawlLikeNew: after each change of a site and its recrawl, the index is that of a crawl
// which begins anew, texts of links included.
func TestRecrawlLikeNew(t *testing.T) {
	t.Parallel()
	seeds := 6
	if testing.Short() {
		seeds = 1
	}
	for seed := range uint64(seeds) {
		site := &changingSite{rand.New(rand.NewPCG(seed, 5)), map[string]string{}}
		s := httptest.NewServer(site)
		crawl := func(args ...string) {
			t.Helper()
			args = append(args, "-query", "zebra", "-json", "-allow-private", "-delay", "0")
			if code := run(t.Context(), args, io.Discard, io.Discard); code != 0 {
				t.Fatalf("%q: exit code %d", args, code)
			}
		}
		dir := t.TempDir()
		site.change()
		crawl("-dir", dir, "-seed", s.URL+"/")
		for round := range 3 {
			site.change()
			crawl("-dir", dir, "-recrawl")
			fresh := t.TempDir()
			crawl("-dir", fresh, "-seed", s.URL+"/")
			if got, want := contents(t, dir), contents(t, fresh); got != want || !strings.Contains(got, "links:") {
				t.Errorf("seed %d, round %d:\n%s\nwant\n%s", seed, round, got, want)
			}
		}
		s.Close()
	}
}
