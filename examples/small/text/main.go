// Text prints what is written in a document of the web: HTML, PDF, XML, JSON, a feed or plain text.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/content"
	"github.com/webquarry/quarry/frontier"
)

const userAgent = "small/1.0 (+https://example.org/bot)" // a name, and where to complain

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: text URL")
		os.Exit(2)
	}
	if err := text(context.Background(), &crawler.HTTP{UserAgent: userAgent}, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func text(ctx context.Context, fetcher crawler.Fetcher, url string) error {
	resp, err := fetcher.Fetch(ctx, frontier.Request{URL: url})
	if err != nil {
		return err
	}
	page, err := new(content.ByType).Parse(ctx, resp)
	if err != nil {
		return err
	}
	fmt.Println(page.Title)
	fmt.Println(page.Text)
	return nil
}
