package main

import (
	"context"
	"os"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
)

func Example() {
	web, err := crawlertest.Parse("-- http://a.example/ --\n<title>Home</title><a href=/b>b</a>\n-- http://a.example/b --\n<title>Second</title>")
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "archive")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := archive(context.Background(), "http://a.example/", dir, &crawler.HTTP{UserAgent: userAgent, Transport: web}); err != nil {
		panic(err)
	}
	// Output:
	// 404 http://a.example/robots.txt 0 bytes
	// 200 http://a.example/ 36 bytes
	// 200 http://a.example/b 21 bytes
}
