package main

import (
	"context"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
)

func Example() {
	web, err := crawlertest.Parse(`
-- http://a.example/ --
<title>Home</title>
<a href="/there">there</a> <a href="/gone">gone</a>

-- http://a.example/there --
<title>There</title>
<a href="/">back</a>

-- http://a.example/gone --
HTTP 404

gone
`)
	if err != nil {
		panic(err)
	}
	if err := broken(context.Background(), "http://a.example/", &crawler.HTTP{UserAgent: userAgent, Transport: web}); err != nil {
		panic(err)
	}
	// Output:
	// 404 http://a.example/gone on http://a.example/
}
