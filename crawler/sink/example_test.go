package sink_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sink"
)

// Pages go to a file, and their links to a graph.
func ExampleTee() {
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	pages, err := sink.OpenJSONL(filepath.Join(dir, "pages.jsonl"), sink.JSONLOptions{})
	if err != nil {
		log.Fatal(err)
	}
	links, err := sink.OpenLinks(filepath.Join(dir, "links"))
	if err != nil {
		log.Fatal(err)
	}

	// Of a crawl it is the Sink: crawler.Crawler{Sink: both, ...}
	both := sink.Tee(pages, links)
	if err := both.Put(context.Background(), fresh(page("http://a.test/", "http://a.test/b"))); err != nil {
		log.Fatal(err)
	}
	if err := pages.Close(); err != nil {
		log.Fatal(err)
	}
	if err := links.Close(); err != nil {
		log.Fatal(err)
	}

	graph, err := sink.ReadLinks(filepath.Join(dir, "links"))
	if err != nil {
		log.Fatal(err)
	}
	for from, to := range graph.Edges() {
		fmt.Println(graph.Names[from], "->", graph.Names[to])
	}
	// Output: http://a.test/ -> http://a.test/b
}

// Lines can be of any form.
func ExampleOpenJSONL() {
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "titles.jsonl")
	titles, err := sink.OpenJSONL(name, sink.JSONLOptions{Record: func(r *crawler.Result) any {
		if r.Page == nil {
			return nil // it is gone, has moved, or has not changed
		}
		return map[string]string{"url": r.URL, "title": r.Page.Title} // by "url" a page is known that comes again after a crash
	}})
	if err != nil {
		log.Fatal(err)
	}
	if err := titles.Put(context.Background(), fresh(page("http://a.test/"))); err != nil {
		log.Fatal(err)
	}
	if err := titles.Close(); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(name)
	fmt.Print(string(text))
	if err != nil {
		log.Fatal(err)
	}
	// Output: {"title":"Title of http://a.test/","url":"http://a.test/"}
}
