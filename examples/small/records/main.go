// Records takes products out of the pages of a shop, and prints a line of JSON for each.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/extract"
)

const userAgent = "small/1.0 (+https://example.org/bot)" // a name, and where to complain

// product says where on a page its fields stand. Pages without what is required have none.
type product struct {
	Name  string        `extract:"{css: h1, required: true}" json:"name"`
	Price extract.Price `extract:"{css: .price, required: true}" json:"price"`
	Image string        `extract:"{css: img.main, attr: src, type: url}" json:"image"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: records SHOP")
		os.Exit(2)
	}
	if err := records(context.Background(), os.Args[1], nil); err != nil {
		log.Fatal(err)
	}
}

func records(ctx context.Context, shop string, fetcher crawler.Fetcher) error {
	products, err := extract.Into[product](nil)
	if err != nil {
		return err
	}
	c := crawler.Crawler{UserAgent: userAgent, Fetcher: fetcher, Parser: &crawler.HTML{Refine: products.Refine}, Budget: crawler.Budget{Pages: 1000}}
	out := json.NewEncoder(os.Stdout)
	for page, err := range c.Pages(ctx, shop) {
		if err != nil {
			return err
		}
		for _, record := range page.Records {
			if err := out.Encode(record); err != nil {
				return err
			}
		}
	}
	return nil
}
