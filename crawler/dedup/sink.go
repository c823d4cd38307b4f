package dedup

import (
	"cmp"
	"context"

	"github.com/webquarry/quarry/crawler"
)

// A Sink finds the duplicates among the pages of a crawl and hands each page on
// with what it found. It is one of the Plugins of a Crawler, or its Sink; Index is required, and
// so is one of Next and Into where it is the Sink.
//
// The page is put before the Frontier knows, as with every Sink, so a page that
// comes again after a crash is found in the Index with the group it had.
type Sink struct {
	Index *Index

	// Next takes the page. With m.Kind other than [Unique] it may drop it, fold
	// it into m.Group, or keep it with that as a field. It is not told of pages that are gone.
	Next func(ctx context.Context, page *crawler.Page, m Match) error

	// Into takes the page, with the Match among its Records, where [MatchOf] finds
	// it: any Sink, such as one that fills an index with m.Group as a field.
	Into crawler.Sink

	// Frames leaves what many pages of a host share, as menus, out of the
	// comparison. Nil: one of the Sink's own. Who wants pages compared as they are
	// uses [Index.Add].
	Frames *Template

	own Template
}

// Install puts the Sink around that of a Crawler: pages are handed on to Next or Into, if
// one of them is set, and then to the Sink that is there, with the Match among their Records.
func (s *Sink) Install(c *crawler.Crawler) error {
	if s.Index == nil {
		return &crawler.ConfigError{What: "duplicates", Value: "of a crawler", Why: "want an Index"}
	}
	before, next, into := c.Sink, s.Next, s.Into
	c.Sink = &Sink{Index: s.Index, Frames: cmp.Or(s.Frames, &s.own), Into: crawler.SinkFunc(func(ctx context.Context, r *crawler.Result) error {
		if into != nil {
			if err := into.Put(ctx, r); err != nil {
				return err
			}
		}
		if next != nil && r.Page != nil {
			m, _ := MatchOf(r.Page)
			if err := next(ctx, r.Page, m); err != nil {
				return err
			}
		}
		if before == nil {
			return nil
		}
		return before.Put(ctx, r)
	})}
	return nil
}

var _ crawler.Plugin = (*Sink)(nil)

// Put makes a page known to the Index and hands it on. A page that is gone or has moved is
// removed from the Index: a copy of it is [Unique] the next time that it is put with its text.
func (s *Sink) Put(ctx context.Context, r *crawler.Result) error {
	if r.Kind == crawler.Gone || r.Kind == crawler.Moved {
		if err := s.Index.Remove(r.URL); err != nil {
			return err
		}
	}
	page := r.Page
	if page == nil {
		if s.Into == nil {
			return nil
		}
		return s.Into.Put(ctx, r)
	}
	m, err := s.Index.Add(page.URL, s.fingerprint(page))
	if err != nil {
		return err
	}
	if s.Into == nil {
		return s.Next(ctx, page, m)
	}
	page.Records = append(page.Records, m)
	return s.Into.Put(ctx, r)
}

// fingerprint is that of what is the page's own. Its title counts once the frame of its
// host is known: pages under one title that have it in common would be joined.
func (s *Sink) fingerprint(page *crawler.Page) Fingerprint {
	frames := cmp.Or(s.Frames, &s.own)
	host, _ := origin(page.URL)
	text, known := frames.leaveOut(host, page.Text)
	if !known {
		return Of(text)
	}
	return OfPage(page.Title, text)
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
