// Nightly crawls a site into an index. Run again, it brings the index in step with the site: new
// pages, changed ones and those that are gone.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/recrawl"
	"github.com/webquarry/quarry/crawler/sink"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/index"
)

const userAgent = "small/1.0 (+https://example.org/bot)" // a name, and where to complain

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: nightly SITE FOLDER")
		os.Exit(2)
	}
	if err := nightly(context.Background(), os.Stdout, os.Args[1], os.Args[2], nil); err != nil {
		log.Fatal(err)
	}
}

func nightly(ctx context.Context, out io.Writer, site, dir string, fetcher crawler.Fetcher) (err error) {
	ix, err := index.Open(filepath.Join(dir, "index"), index.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	writer, err := ix.Writer()
	if err != nil {
		return err
	}
	pages := filepath.Join(dir, "frontier")
	if err := recrawl.Renew(ctx, pages, frontier.Options{}); err != nil { // all that is known is due again
		return err
	}
	queue, err := frontier.Open(pages, frontier.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, queue.Close()) }()
	into := sink.Into(writer.Add, writer.Delete, writer.Commit, func(p *crawler.Page) (index.Document, bool) {
		return index.Document{Key: p.URL, Fields: []index.Field{{Name: "title", Value: p.Title}, {Name: "body", Value: p.Text}}}, true
	})
	defer into.Close()
	told := crawler.SinkFunc(func(ctx context.Context, r *crawler.Result) error {
		fmt.Fprintln(out, r.Kind, r.URL)
		return into.Put(ctx, r)
	})
	c := crawler.Crawler{UserAgent: userAgent, Fetcher: fetcher, Frontier: queue, Sink: told, Plugins: []crawler.Plugin{recrawl.Rounds{}}}
	return c.Run(ctx, site)
}
