// Listing reads products from pages of their own, with the prices that stand only in the list of them.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

const userAgent = "small/1.0 (+https://example.org/bot)" // a name, and where to complain

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: listing URL")
		os.Exit(2)
	}
	if err := listing(context.Background(), os.Args[1], nil); err != nil {
		log.Fatal(err)
	}
}

// list follows what the items of a list lead to, and nothing else, each with the price beside it.
func list(doc *goquery.Document, page *crawler.Page) error {
	prices := map[string]string{}
	doc.Find("li").Each(func(_ int, item *goquery.Selection) {
		prices[item.Find("a").Text()] = item.Find(".price").Text()
	})
	links := page.Links
	page.Links = nil
	for _, link := range links {
		if price, ok := prices[link.Text]; ok {
			link.Label, link.Meta = "product", frontier.Meta{}.With("price", price)
			page.Links = append(page.Links, link)
		}
	}
	page.NoIndex = true // the list itself is not wanted
	return nil
}

func listing(ctx context.Context, url string, fetcher crawler.Fetcher) error {
	c := crawler.Crawler{UserAgent: userAgent, Fetcher: fetcher, Parser: &crawler.Router{
		Default: &crawler.HTML{Refine: list},
		Labels:  map[string]crawler.Parser{"product": new(crawler.HTML)},
	}}
	for page, err := range c.Pages(ctx, url) {
		if err != nil {
			return err
		}
		fmt.Println(page.URL, page.Title, page.Response.Request.Meta.Get("price"))
	}
	return nil
}
