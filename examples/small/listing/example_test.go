package main

import (
	"context"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
)

func Example() {
	web, err := crawlertest.Parse(`
-- http://shop.example/ --
<title>All kettles</title>
<a href="/imprint">Imprint</a>
<ul><li><a href="/1">Steel kettle</a> <b class="price">39 €</b><li><a href="/2">Glass kettle</a> <b class="price">45 €</b></ul>
-- http://shop.example/1 --
<title>A kettle of steel</title> <a href="/">back</a>
-- http://shop.example/2 --
<title>A kettle of glass</title>
`)
	if err != nil {
		panic(err)
	}
	if err := listing(context.Background(), "http://shop.example/", &crawler.HTTP{UserAgent: userAgent, Transport: web}); err != nil {
		panic(err)
	}
	// Output:
	// http://shop.example/1 A kettle of steel 39 €
	// http://shop.example/2 A kettle of glass 45 €
}
