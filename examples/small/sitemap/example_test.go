package main

import (
	"context"
	"encoding/csv"
	"os"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
)

func Example() {
	web, err := crawlertest.Parse(`
-- http://a.example/sitemap.xml --
HTTP 200
Content-Type: application/xml

<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>http://a.example/pages.xml</loc></sitemap>
</sitemapindex>

-- http://a.example/pages.xml --
HTTP 200
Content-Type: application/xml

<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://a.example/</loc><lastmod>2026-03-01</lastmod></url>
<url><loc>http://a.example/about</loc></url>
</urlset>
`)
	if err != nil {
		panic(err)
	}
	out := csv.NewWriter(os.Stdout)
	if err := list(context.Background(), &crawler.HTTP{UserAgent: userAgent, Transport: web}, "http://a.example/sitemap.xml", 0, out); err != nil {
		panic(err)
	}
	out.Flush()
	// Output:
	// http://a.example/,2026-03-01
	// http://a.example/about,
}
