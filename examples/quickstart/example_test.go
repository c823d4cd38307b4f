package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
)

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
	// Output:
	// http://cheese.example/comte Comté
	// http://cheese.example/brie Brie
}

// The README shows the program as it is, from its package clause on.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(source), "\npackage main\n")
	if shown := "```go\npackage main\n" + program + "```\n"; !strings.Contains(string(readme), shown) {
		t.Errorf("the README does not show the program as it is:\n%s", shown)
	}
}
