package main

import (
	"context"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
)

func Example() {
	web, err := crawlertest.Parse(`
-- http://shop.example/ --
<title>Shop</title>
<h1>All we sell</h1>
<a href="/kettle">Kettle</a>

-- http://shop.example/kettle --
<title>Kettle</title>
<h1>Kettle</h1> <b class="price">1.299,00 €</b> <img class="main" src="/kettle.jpg">
`)
	if err != nil {
		panic(err)
	}
	if err := records(context.Background(), "http://shop.example/", &crawler.HTTP{UserAgent: userAgent, Transport: web}); err != nil {
		panic(err)
	}
	// Output:
	// {"name":"Kettle","price":{"amount":1299,"currency":"EUR"},"image":"http://shop.example/kettle.jpg"}
}
