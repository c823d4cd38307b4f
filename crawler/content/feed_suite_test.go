package content

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/webquarry/quarry/crawler"
)

// expected is what gofeed's tests expect of a feed, as far as a page has it.
type expected struct {
	Title, Description, Language string
	Items                        []struct{ Title, Link, Description, Content string }
}

// TestFeedSuite reads a sample of gofeed's test data. With QUARRY_SHARED, a
// folder with all of it under data, the rest too.
func TestFeedSuite(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/feeds/*.xml")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d feeds, %v", len(files), err)
	}
	if shared := os.Getenv("QUARRY_SHARED"); shared != "" {
		more, _ := filepath.Glob(filepath.Join(shared, "data/feeds/gofeed/testdata/translator/*/*.xml"))
		files = append(files, more...)
	} else {
		t.Log("QUARRY_SHARED is not set: only the sample")
	}
	passed := 0
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(name, ".xml") + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var e expected
		if err := json.Unmarshal(want, &e); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		page, err := new(ByType).Parse(t.Context(), response("application/xml", string(body)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if missing := e.missing(page); missing != "" {
			t.Errorf("%s: no %s in %+v", name, missing, page)
			continue
		}
		passed++
	}
	t.Logf("gofeed: %d of %d passed", passed, len(files))
}

// missing says what of a feed the page does not have.
func (e *expected) missing(p *crawler.Page) string {
	switch {
	case e.Title != "" && p.Title != shown(e.Title):
		return "title " + e.Title
	case shown(e.Description) != "" && p.Description != shown(e.Description):
		return "description " + e.Description
	case e.Language != "" && !strings.EqualFold(p.Lang, e.Language):
		return "language " + e.Language
	}
	for _, item := range e.Items {
		for _, s := range []string{item.Title, item.Content} {
			if s = shown(s); s != "" && !strings.Contains(shown(p.Text), s) {
				return "text " + s
			}
		}
		if item.Link == "" {
			continue
		}
		found := false
		for _, l := range p.Links {
			found = found || strings.TrimSuffix(l.URL, "/") == strings.TrimSuffix(item.Link, "/")
		}
		if !found {
			return "link " + item.Link
		}
	}
	return ""
}

// shown is the text of a piece of markup on one line.
func shown(s string) string {
	root, err := html.Parse(strings.NewReader(s))
	if err != nil {
		return s
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
