// Article prints the article of a page: who wrote it, when, and its text without what stands around it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/frontier"
)

const userAgent = "small/1.0 (+https://example.org/bot)" // a name, and where to complain

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: article URL")
		os.Exit(2)
	}
	if err := article(context.Background(), &crawler.HTTP{UserAgent: userAgent}, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func article(ctx context.Context, fetcher crawler.Fetcher, url string) error {
	resp, err := fetcher.Fetch(ctx, frontier.Request{URL: url})
	if err != nil {
		return err
	}
	doc, err := extract.Document(ctx, resp)
	if err != nil {
		return err
	}
	a := extract.ReadArticle(doc, resp.URL)
	fmt.Println(a.Title)
	if len(a.Authors) > 0 && !a.Published.IsZero() {
		fmt.Println("by", strings.Join(a.Authors, ", "), "on", a.Published.Format(time.DateOnly))
	}
	fmt.Println(a.Text)
	return nil
}
