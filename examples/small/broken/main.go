// Broken finds links of a site that lead nowhere, and the pages that they stand on.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"sync"

	"github.com/webquarry/quarry/crawler"
)

const userAgent = "small/1.0 (+https://example.org/bot)" // a name, and where to complain

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: broken SITE")
		os.Exit(2)
	}
	if err := broken(context.Background(), os.Args[1], nil); err != nil {
		log.Fatal(err)
	}
}

func broken(ctx context.Context, site string, fetcher crawler.Fetcher) error {
	var mu sync.Mutex // several workers ask whether to follow a link
	from := map[string]string{}
	within := crawler.SameHost(site)
	c := crawler.Crawler{UserAgent: userAgent, Fetcher: fetcher, Budget: crawler.Budget{Pages: 1000}}
	c.Follow = func(page *crawler.Page, link crawler.Link) (float64, bool) {
		mu.Lock()
		defer mu.Unlock()
		from[link.URL] = page.URL
		return within(page, link)
	}
	c.OnEvent = func(e crawler.Event) {
		if fault, ok := errors.AsType[*crawler.FetchError](e.Err); ok && e.Kind == crawler.Failed && fault.Status >= 400 {
			mu.Lock()
			defer mu.Unlock()
			fmt.Println(fault.Status, e.URL, "on", from[e.URL])
		}
	}
	for _, err := range c.Pages(ctx, site) {
		if err != nil {
			return err
		}
	}
	return nil
}
