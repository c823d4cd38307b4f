package main

import (
	"context"
	"net/url"
	"strings"
	"unicode"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/crawler/sink"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/suggest"
)

// schema says what of a page is searched, and how much it counts. A word in
// the title says what a page is about, one in a heading what a part of it is
// about; the address repeats the title in short.
func schema() index.Schema {
	return index.Schema{
		{Name: "title", Analyzer: "auto", Weight: 3, Stored: true},
		{Name: "headings", Analyzer: "auto", Weight: 1.5},
		{Name: "url", Analyzer: "auto", Weight: 1},
		{Name: "description", Analyzer: "auto", Weight: 1, Stored: true},
		{Name: "body", Analyzer: "auto", Weight: 1, Stored: true},
		// What other pages call it in their links: ten texts of a host, since most
		// pages of a site are linked by that site alone.
		{Name: "links", Analyzer: "auto", Weight: 1, Anchors: 10},
		{Name: "host", Kind: index.Keyword},
		// The address of the page that says the same and was there first: of such
		// pages one is shown.
		{Name: "group", Kind: index.Keyword, Column: true},
		// The words of a page as they are written. Nobody searches them, but
		// their list is what spelling is checked against: the terms of the
		// other fields are stems.
		{Name: "word", Kind: index.Keyword},
		{Name: "name", Kind: index.Keyword}, // the title as a whole, to be completed
		{Name: "pair", Kind: index.Keyword}, // words that follow each other, to tell what fits
	}
}

// pagesInto is the sink of the crawl: it puts pages into the index, so that none
// is lost, and takes those out that there are not any more. A page counts as put when it is committed, and those of all workers
// are committed together.
func pagesInto(w *index.Writer, workers int) *sink.Batch {
	return &sink.Batch{
		Add: func(ctx context.Context, r *crawler.Result) error {
			if r.Kind == crawler.Same {
				return nil
			}
			if r.Page == nil { // it is gone, or has moved
				if err := w.Delete(ctx, r.URL); err != nil {
					return err
				}
				return w.SetAnchors(ctx, r.URL)
			}
			if err := w.Add(ctx, document(r.Page)); err != nil {
				return err
			}
			return w.SetAnchors(ctx, r.URL, anchors(r.Page)...)
		},
		Commit: w.Commit,
		Size:   workers, // with all of them waiting nobody else can come
	}
}

// anchors are the texts of the links on a page. The pages that they lead to may
// be in the index, come later, or never.
func anchors(page *crawler.Page) (out []index.Anchor) {
	for _, link := range page.Links {
		if !link.NoFollow && link.Listed == nil && link.URL != page.URL {
			out = append(out, index.Anchor{Target: link.URL, Text: link.Text})
		}
	}
	return out
}

// document is a page as it is indexed. Its address is the key, so that a page
// that comes again replaces itself.
func document(page *crawler.Page) index.Document {
	group := page.URL
	if m, ok := dedup.MatchOf(page); ok {
		group = m.Group
	}
	return index.Document{Key: page.URL, Fields: []index.Field{
		{Name: "title", Value: page.Title},
		{Name: "headings", Value: page.Headings},
		{Name: "url", Value: addressWords(page.URL)},
		{Name: "description", Value: page.Description},
		{Name: "body", Value: page.Text},
		{Name: "host", Value: urlnorm.Host(page.URL)},
		{Name: "group", Value: group},
		{Name: "word", Value: suggest.Words(page.Title, page.Text)},
		{Name: "name", Value: page.Title},
		{Name: "pair", Value: suggest.Pairs(page.Title, page.Description, strings.Join(page.Headings, "\n"))},
	}}
}

// addressWords is the path of a URL as words, without the ending of its file.
func addressWords(u string) string {
	parsed, err := url.Parse(u)
	if err != nil {
		return ""
	}
	path := parsed.Path
	if dot := strings.LastIndexByte(path, '.'); dot > strings.LastIndexByte(path, '/') {
		path = path[:dot]
	}
	return strings.Join(strings.FieldsFunc(path, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}
