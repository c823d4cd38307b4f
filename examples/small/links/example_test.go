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
<p>To the <a href="/shop?utm_source=home">shop</a>, and to a <a href="http://b.example">friend</a>.
`)
	if err != nil {
		panic(err)
	}
	if err := links(context.Background(), "http://a.example/", &crawler.HTTP{UserAgent: userAgent, Transport: web}); err != nil {
		panic(err)
	}
	// Output:
	// http://a.example/shop	shop
	// http://b.example/	friend
}
