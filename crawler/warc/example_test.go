package warc_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
)

// A crawl that keeps everything it sees, and a second one that needs no network.
func Example() {
	web, err := crawlertest.Parse("-- http://a.test/ --\n<title>Home</title><a href=/b>b</a>\n-- http://a.test/b --\n<title>Second</title>")
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "archive")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	w, err := warc.OpenWriter(dir, warc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	const agent = "acme/1.0 (+https://acme.example/bot)"
	c := crawler.Crawler{
		UserAgent: agent,
		Fetcher:   w.Capture(&crawler.HTTP{UserAgent: agent, Transport: web}),
		Frontier:  frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1}}),
	}
	if err := c.Run(context.Background(), "http://a.test/"); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	archive, err := warc.OpenArchive(dir)
	if err != nil {
		log.Fatal(err)
	}
	c.Fetcher = &warc.Fetcher{Archive: archive}
	c.Frontier = frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1}})
	for page, err := range c.Pages(context.Background(), "http://a.test/") {
		fmt.Println(page.URL, page.Title, err)
	}
	// Output:
	// http://a.test/ Home <nil>
	// http://a.test/b Second <nil>
}

// Reading a file that somebody else made.
func ExampleReader() {
	file := strings.NewReader("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.test/\r\n" +
		"Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello\r\n\r\nWARC/1.0\r\nbroken\r\n")
	for rec, err := range warc.NewReader(file, "a.warc").Records() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(rec.Type, rec.URL, rec.Size)
	}
	// Output:
	// resource http://a.test/ 5
	// warc: a.warc: offset 120: record header cannot be read
}
