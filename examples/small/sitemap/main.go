// Sitemap prints the URLs that a sitemap lists, and those that its parts do, as CSV.
package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/frontier"
)

const userAgent = "small/1.0 (+https://example.org/bot)" // a name, and where to complain

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sitemap https://site.example/sitemap.xml")
		os.Exit(2)
	}
	out := csv.NewWriter(os.Stdout)
	err := list(context.Background(), &crawler.HTTP{UserAgent: userAgent}, os.Args[1], 0, out)
	out.Flush()
	if err != nil {
		log.Fatal(err)
	}
}

func list(ctx context.Context, fetcher crawler.Fetcher, url string, depth int, out *csv.Writer) error {
	resp, err := fetcher.Fetch(ctx, frontier.Request{URL: url})
	if err != nil {
		return err
	}
	for entry, err := range sitemap.Read(bytes.NewReader(resp.Body), resp.URL) {
		switch {
		case err != nil:
			return err
		case entry.Sitemap && depth < 3:
			err = list(ctx, fetcher, entry.URL, depth+1, out)
		case !entry.Sitemap:
			modified := ""
			if !entry.Modified.IsZero() {
				modified = entry.Modified.Format(time.DateOnly)
			}
			err = out.Write([]string{entry.URL, modified})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
