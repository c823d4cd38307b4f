package content_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/content"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/frontier"
)

func ExampleByType() {
	parser := &content.ByType{Feed: content.Sitemap{}} // feeds are followed, and not put
	for _, doc := range []struct{ media, body string }{
		{"text/html", "<title>A page</title><a href=/b>b</a>"},
		{"application/json", `{"title": "Some data", "url": "https://example.com/c"}`},
		{"text/xml", "<rss><channel><item><link>/d</link></item></channel></rss>"},
		{"image/png", "\x89PNG\r\n\x1a\n"},
	} {
		page, err := parser.Parse(context.Background(), &crawler.Response{
			URL: "https://example.com/doc", Header: http.Header{"Content-Type": {doc.media}}, Body: []byte(doc.body),
		})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%q leads to %s, to be put: %v\n", page.Title, page.Links[0].URL, !page.NoIndex)
	}
	// Output:
	// "A page" leads to https://example.com/b, to be put: true
	// "Some data" leads to https://example.com/c, to be put: true
	// "" leads to https://example.com/d, to be put: false
	// crawler: https://example.com/doc: unsupported type: image/png
}

// Pages of a sitemap are visited in the order of their priority there.
func ExampleListed() {
	follow := content.Listed(crawler.SameSite("https://example.com/"))
	for _, listed := range []*sitemap.Entry{nil, {Priority: 0.9}, {Priority: 0.1}} {
		priority, ok := follow(&crawler.Page{}, crawler.Link{URL: "https://example.com/x", Listed: listed})
		fmt.Println(priority, ok)
	}
	// Output:
	// 0 true
	// 0.4 true
	// -0.4 true
}

// A crawl that finds the pages that only sitemaps lead to.
func ExampleByType_discover() {
	seed := "https://example.com/"
	c := crawler.Crawler{
		UserAgent: "acme/1.0 (+https://acme.example/bot)",
		Parser:    &content.ByType{Discover: true},
		Follow:    content.Listed(crawler.SameSite(seed)),
	}
	_ = c.Run // (ctx, seed)
}

// A crawl that follows sitemaps and comes back as they say.
func ExampleSchedule() {
	var s content.Schedule
	seed := "https://example.com/"
	front := frontier.New(frontier.Options{Horizon: -1}) // what is due in a month belongs to the run
	defer front.Close()
	c := crawler.Crawler{
		UserAgent: "acme/1.0 (+https://acme.example/bot)",
		Frontier:  front,
		Fetcher:   s.Fetcher(&crawler.HTTP{UserAgent: "acme/1.0 (+https://acme.example/bot)"}),
		Parser:    &content.ByType{Discover: true},
		Follow:    s.Follow(crawler.SameSite(seed)),
		Revisit:   s.Revisit(crawler.Retry),
	}
	_ = c // c.Run(ctx, seed)
}
