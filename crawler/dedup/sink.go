package dedup

import (
	"context"

	"github.com/webquarry/quarry/crawler"
)

// A Sink finds the duplicates among the pages of a crawl and hands each page on
// with what it found. Index and one of Next and Into are required.
//
// The page is put before the Frontier knows, as with every Sink, so a page that
// comes again after a crash is found in the Index with the group it had.
type Sink struct {
	Index *Index

	// Next takes the page. With m.Kind other than [Unique] it may drop it, fold
	// it into m.Group, or keep it with that as a field.
	Next func(ctx context.Context, page *crawler.Page, m Match) error

	// Into takes the page, with the Match among its Records, where [MatchOf] finds
	// it: any Sink, such as one that fills an index with m.Group as a field.
	Into crawler.Sink

	// Frames leaves what many pages of a host share, as menus, out of the
	// comparison. Nil: pages are compared as they are.
	Frames *Template
}

// Put makes a page known to the Index and hands it on.
func (s *Sink) Put(ctx context.Context, page *crawler.Page) error {
	text := page.Text
	if s.Frames != nil {
		host, _ := origin(page.URL)
		text = s.Frames.Own(host, text)
	}
	m, err := s.Index.Add(page.URL, OfPage(page.Title, text))
	if err != nil {
		return err
	}
	if s.Into == nil {
		return s.Next(ctx, page, m)
	}
	page.Records = append(page.Records, m)
	return s.Into.Put(ctx, page)
}

// MatchOf returns what a Sink found of a page that it handed on by Into.
func MatchOf(page *crawler.Page) (m Match, ok bool) {
	for _, r := range page.Records {
		if m, ok = r.(Match); ok {
			return m, true
		}
	}
	return Match{}, false
}
