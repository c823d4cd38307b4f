// Scroll takes the items of a list that grows while it is scrolled, in headless Chrome.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/frontier"
)

const userAgent = "small/1.0 (+https://example.org/bot)" // a name, and where to complain

// steps say what is done on the page before it is read; see docs/guides/actions.md.
const steps = `
steps:
  - scroll
  - extract: {schema: {each: li, fields: {item: {css: b}}}}
`

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: scroll URL")
		os.Exit(2)
	}
	if err := scroll(context.Background(), os.Args[1], &chrome.Fetcher{UserAgent: userAgent}); err != nil {
		log.Fatal(err)
	}
}

func scroll(ctx context.Context, url string, browser *chrome.Fetcher) error {
	defer browser.Close()
	chain, err := action.Parse([]byte(steps))
	if err != nil {
		return err
	}
	browser.Chain = func(frontier.Request) *action.Chain { return chain }
	c := crawler.Crawler{UserAgent: userAgent, Fetcher: browser, Parser: &crawler.HTML{Refine: chrome.Refine}, Budget: crawler.Budget{Pages: 1}}
	for page, err := range c.Pages(ctx, url) {
		if err != nil {
			return err
		}
		for _, record := range page.Records {
			fmt.Println(record)
		}
	}
	return nil
}
