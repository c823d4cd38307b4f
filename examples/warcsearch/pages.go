package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/crawler/warc"
)

// pages walks the answers of an archive that a crawl would have indexed: those of
// status 200 to 299 whose type the parser reads, that do not ask not to be
// indexed, and that name no other page of the archive as the one to index.
// Damage is counted and passed over.
func pages(ctx context.Context, a *warc.Archive, n *count) iter.Seq[*crawler.Page] {
	return func(yield func(*crawler.Page) bool) {
		parser := &crawler.HTML{}
		for resp, err := range a.Responses(ctx) {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				n.damage(err)
				continue
			}
			n.answers.Add(1)
			if resp.Status < 200 || resp.Status > 299 || strings.HasSuffix(resp.URL, "/robots.txt") {
				continue
			}
			page, err := parser.Parse(ctx, resp)
			if err != nil || page.NoIndex || !isOwn(a, page) {
				if err != nil && !errors.Is(err, crawler.ErrUnsupportedType) {
					n.damage(fmt.Errorf("%s: %w", resp.URL, err))
				}
				continue
			}
			n.pages.Add(1)
			if !yield(page) {
				return
			}
		}
	}
}

// isOwn reports whether a page is the one to index of those with its content. A
// crawl goes by rel=canonical in the same way: within a site, where that page was
// to be had, and not from all pages to the home page.
func isOwn(a *warc.Archive, page *crawler.Page) bool {
	to := page.Canonical
	if to == "" || to == page.URL || urlnorm.Site(to) != urlnorm.Site(page.URL) || strings.Count(to, "/") == 3 && strings.HasSuffix(to, "/") {
		return true
	}
	captures, err := a.Find(to)
	if err != nil {
		return true
	}
	for _, c := range captures {
		if c.Status >= 200 && c.Status <= 299 || c.Status == 0 {
			return false
		}
	}
	return true
}
