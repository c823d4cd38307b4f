package sitemap_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/sitemap"
)

func ExampleRead() {
	body := strings.NewReader(`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://example.com/</loc><lastmod>2024-05-06</lastmod><priority>0.9</priority></url>
  <url><loc>https://example.com/about</loc><changefreq>yearly</changefreq></url>
  <url><loc>https://exam`)
	for entry, err := range sitemap.Read(body, "https://example.com/sitemap.xml") {
		if err != nil {
			fmt.Println(err) // the last pair, if any: what came before is good
			continue
		}
		fmt.Println(entry.URL, entry.Priority, entry.Modified.IsZero())
	}
	// Output:
	// https://example.com/ 0.9 false
	// https://example.com/about 0.5 true
	// sitemap: https://example.com/sitemap.xml: truncated at byte 303
}

// What is worth a visit of the pages that a sitemap lists, going by when they
// were visited last.
func ExampleEntry_Request() {
	visited := map[string]time.Time{"https://example.com/": time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)}
	body := strings.NewReader("<urlset><url><loc>https://example.com/</loc><lastmod>2024-05-06</lastmod></url></urlset>")
	for entry, err := range sitemap.Read(body, "https://example.com/sitemap.xml") {
		if err != nil {
			continue
		}
		if req, ok := entry.Request(visited[entry.URL]); ok {
			fmt.Println(req.URL, req.Due.IsZero()) // to be added to a Frontier
		}
	}
	// Output: https://example.com/ true
}
