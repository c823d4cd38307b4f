package crawler_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
)

// A response as a Fetcher brings it.
func fetched() *crawler.Response {
	return &crawler.Response{
		URL:    "http://www.example.com/guides/pools",
		Status: 200,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body: []byte(`<html lang="en"><title>Rock pools</title>
			<nav><a href="/">Home</a></nav>
			<main><h1>Rock pools</h1><p>Go at <a href="tides#low">low water</a>.</main>`),
	}
}

func ExampleHTML() {
	var html crawler.HTML
	page, err := html.Parse(context.Background(), fetched())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s (%s)\n%s\n", page.Title, page.Lang, page.Text)
	for _, link := range page.Links {
		fmt.Println("->", link.URL, link.Text)
	}
	// Output:
	// Rock pools (en)
	// Home
	// Rock pools
	// Go at low water.
	// -> http://www.example.com/ Home
	// -> http://www.example.com/guides/tides low water
}

// Refine works on the document that was parsed anyway, here to keep only the
// text of the main column.
func ExampleHTML_refine() {
	html := crawler.HTML{Refine: func(doc *goquery.Document, page *crawler.Page) error {
		page.Text = doc.Find("main p").Text()
		return nil
	}}
	page, err := html.Parse(context.Background(), fetched())
	fmt.Println(page.Text, err)
	// Output: Go at low water. <nil>
}
