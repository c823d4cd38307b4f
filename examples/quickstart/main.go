// Command quickstart crawls a site and searches it: the program that the README shows.
//
//	go run ./examples/quickstart https://your.example/ "golden rind"
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

const userAgent = "example/1.0 (+https://example.org/bot)" // a name, and where to complain

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: quickstart SITE WORDS")
		os.Exit(2)
	}
	if err := search(context.Background(), os.Args[1], os.Args[2], nil); err != nil {
		log.Fatal(err)
	}
}

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
