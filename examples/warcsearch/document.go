package main

import (
	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/index"
)

// schema says what of a page is searched, and how much it counts.
func schema() index.Schema {
	return index.Schema{
		{Name: "title", Analyzer: "auto", Weight: 3, Stored: true},
		{Name: "headings", Analyzer: "auto", Weight: 1.5},
		{Name: "body", Analyzer: "auto", Weight: 1, Stored: true},
		{Name: "host", Kind: index.Keyword},
	}
}

// document is a page as it is indexed. A later capture replaces an earlier one.
func document(page *crawler.Page) index.Document {
	return index.Document{Key: page.URL, Fields: []index.Field{
		{Name: "title", Value: page.Title},
		{Name: "headings", Value: page.Headings},
		{Name: "body", Value: page.Text},
		{Name: "host", Value: urlnorm.Host(page.URL)},
	}}
}
