package main

import (
	"context"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
)

func Example() {
	web, err := crawlertest.Parse(`
-- http://news.example/rind --
<title>A golden rind</title>
<meta name="author" content="Ann Onym"> <meta property="article:published_time" content="2026-05-04T08:00:00Z">
<nav><a href="/">Home</a> <a href="/sport">Sport</a> <a href="/weather">Weather</a></nav>
<article><h1>A golden rind</h1>
<p>The cheese of the valley ripens for eight months, and is turned by hand each day of them.</p>
<p>Nobody knows who was the first to make it; a monastery has sold it since the year of the great flood.</p>
</article>
<footer>All rights reserved</footer>
`)
	if err != nil {
		panic(err)
	}
	if err := article(context.Background(), &crawler.HTTP{UserAgent: userAgent, Transport: web}, "http://news.example/rind"); err != nil {
		panic(err)
	}
	// Output:
	// A golden rind
	// by Ann Onym on 2026-05-04
	// The cheese of the valley ripens for eight months, and is turned by hand each day of them.
	// Nobody knows who was the first to make it; a monastery has sold it since the year of the great flood.
}
