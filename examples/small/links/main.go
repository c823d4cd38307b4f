// Links prints the links of a page, with their texts.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/webquarry/quarry/crawler"
)

const userAgent = "small/1.0 (+https://example.org/bot)" // a name, and where to complain

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: links URL")
		os.Exit(2)
	}
	if err := links(context.Background(), os.Args[1], nil); err != nil {
		log.Fatal(err)
	}
}

func links(ctx context.Context, url string, fetcher crawler.Fetcher) error {
	c := crawler.Crawler{UserAgent: userAgent, Fetcher: fetcher, Budget: crawler.Budget{Pages: 1}}
	for page, err := range c.Pages(ctx, url) {
		if err != nil {
			return err
		}
		for _, link := range page.Links {
			fmt.Printf("%s\t%s\n", link.URL, link.Text)
		}
	}
	return nil
}
