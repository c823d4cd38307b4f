// Archive keeps all that a crawl of a site fetches in a web archive (WARC), and reads it again from there.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/warc"
)

const userAgent = "small/1.0 (+https://example.org/bot)" // a name, and where to complain

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: archive SITE FOLDER")
		os.Exit(2)
	}
	if err := archive(context.Background(), os.Args[1], os.Args[2], &crawler.HTTP{UserAgent: userAgent}); err != nil {
		log.Fatal(err)
	}
}

func archive(ctx context.Context, site, dir string, fetcher crawler.Fetcher) error {
	writer, err := warc.OpenWriter(dir, warc.Options{})
	if err != nil {
		return err
	}
	c := crawler.Crawler{UserAgent: userAgent, Fetcher: writer.Capture(fetcher), Budget: crawler.Budget{Pages: 100}}
	if err := errors.Join(c.Run(ctx, site), writer.Close()); err != nil {
		return err
	}
	kept, err := warc.OpenArchive(dir)
	if err != nil {
		return err
	}
	for resp, err := range kept.Responses(ctx) {
		if err != nil {
			return err
		}
		fmt.Println(resp.Status, resp.URL, len(resp.Body), "bytes")
	}
	return nil
}
