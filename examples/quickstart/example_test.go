// Package quickstart_test holds the engine that the README shows, and tries it.
package quickstart_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// search crawls up to a hundred pages of a site and prints those that answer a query.
func search(ctx context.Context, site, text string, fetcher crawler.Fetcher) error {
	ix, err := index.New(index.Options{}) // in memory; index.Open keeps it in a folder
	if err != nil {
		return err
	}
	writer, err := ix.Writer()
	if err != nil {
		return err
	}
	c := crawler.Crawler{UserAgent: userAgent, Fetcher: fetcher, Budget: crawler.Budget{Pages: 100}}
	for page, err := range c.Pages(ctx, site) {
		if err != nil {
			return err
		}
		doc := index.Document{Key: page.URL, Fields: []index.Field{{Name: "title", Value: page.Title}, {Name: "body", Value: page.Text}}}
		if err := writer.Add(ctx, doc); err != nil {
			return err
		}
	}
	if err := writer.Commit(ctx); err != nil {
		return err
	}
	q, _ := query.ParseLenient(text, query.ParseOptions{})
	found, err := ix.Search(ctx, q, index.SearchOptions{Fields: []string{"title"}})
	if err != nil {
		return err
	}
	for _, hit := range found.Hits {
		fmt.Println(hit.Key, hit.Text("title"))
	}
	return nil
}

const userAgent = "example/1.0 (+https://example.org/bot)"

// The fetcher may be &crawler.HTTP{UserAgent: userAgent}. Here it asks a web of
// three pages that stands in a text.
func Example() {
	web, err := crawlertest.Parse(`
-- http://cheese.example/ --
<title>Cheese</title>
<p>From <a href="/brie">Brie</a> to <a href="/comte">Comté</a>.

-- http://cheese.example/brie --
<title>Brie</title>
<p>A soft cheese with a white rind, ripe after four weeks.

-- http://cheese.example/comte --
<title>Comté</title>
<p>A hard cheese with a golden rind, ripe after eight months or more.
`)
	if err != nil {
		panic(err)
	}
	fetcher := &crawler.HTTP{UserAgent: userAgent, Transport: web}
	if err := search(context.Background(), "http://cheese.example/", "golden rind", fetcher); err != nil {
		panic(err)
	}
	// Output: http://cheese.example/comte Comté
}

// The README shows search as it stands above.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := bytes.Cut(source, []byte("// search crawls"))
	code, _, ok := bytes.Cut(code, []byte("\n}\n"))
	if !ok {
		t.Fatal("search is not in this file")
	}
	shown := "```go\n// search crawls" + string(code) + "\n}\n```\n"
	if !strings.Contains(string(readme), shown) {
		t.Errorf("the README does not show search as it is:\n%s", shown)
	}
}
