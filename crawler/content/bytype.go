package content

import (
	"cmp"
	"context"
	"errors"
	"mime"
	"net/url"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// ByType is the Parser that reads each body as what it is. The zero value reads
// all that this package knows; it may be used by many goroutines as long as it
// is not changed.
//
// What a body is its first bytes say: a PDF, a feed or a sitemap is read as one
// whatever type the server declares. Where they leave it open the declared type
// decides. Everything else goes to HTML, which refuses what is no text.
type ByType struct {
	HTML    *crawler.HTML  // for HTML, XHTML and text; nil: one with Feeds. A crawl's Canon is set in the Crawler
	PDF     crawler.Parser // nil: PDF{}; this and those below may be Skip{}
	Feed    crawler.Parser // nil: Feed{}. Sitemap{}: follow the items, and do not put feeds
	Sitemap crawler.Parser // nil: Sitemap{}
	XML     crawler.Parser // for what is none of the above; nil: XML{}
	JSON    crawler.Parser // nil: JSON{}

	// Other are Parsers by media type, "application/epub+zip" or "image/*",
	// for what the server declares so. They come before all others.
	Other map[string]crawler.Parser

	// Discover has a crawl visit the sitemaps of each host that it asks for
	// robots.txt: those that are named there, or else /sitemap.xml.
	Discover bool
}

var _ crawler.Parser = (*ByType)(nil)

// Parse hands the response to the Parser that reads it.
func (b *ByType) Parse(ctx context.Context, resp *crawler.Response) (*crawler.Page, error) {
	return b.parser(resp).Parse(ctx, resp)
}

func (b *ByType) parser(resp *crawler.Response) crawler.Parser {
	html := b.HTML
	if html == nil {
		html = &crawler.HTML{Feeds: true}
	}
	media := declared(resp)
	if p := b.other(media); p != nil {
		return p
	}
	switch sniff(resp, media) {
	case pdfBody:
		return cmp.Or[crawler.Parser](b.PDF, PDF{HTML: html})
	case feedBody:
		return cmp.Or[crawler.Parser](b.Feed, Feed{html})
	case sitemapBody:
		return cmp.Or[crawler.Parser](b.Sitemap, Sitemap{HTML: html})
	case xmlBody:
		return cmp.Or[crawler.Parser](b.XML, XML{html})
	case jsonBody:
		return cmp.Or[crawler.Parser](b.JSON, JSON{html})
	case textBody:
		return Text{html}
	}
	return html
}

func (b *ByType) other(media string) crawler.Parser {
	if p := b.Other[media]; p != nil {
		return p
	}
	family, _, _ := strings.Cut(media, "/")
	return b.Other[family+"/*"]
}

// Sitemaps are the requests for the sitemaps of the host that a robots.txt is
// of, given what it names. A crawl asks for them where its Parser has this
// method, see [crawler.Parser].
// Their URLs are absolute and else as they stand there.
func (b *ByType) Sitemaps(robots string, named []string) (reqs []frontier.Request) {
	if !b.Discover {
		return nil
	}
	base, err := url.Parse(robots)
	if err != nil {
		return nil
	}
	if len(named) == 0 {
		named = []string{"/sitemap.xml"}
	}
	for _, s := range named[:min(len(named), mostNamed)] {
		u, err := base.Parse(strings.TrimSpace(s))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			continue
		}
		meta := sitemap.Mark(frontier.Meta{}, 0)
		if host := urlnorm.Host(robots); urlnorm.Host(u.String()) != host {
			meta = sitemap.Mark(meta, 0, host) // robots.txt vouches for it
		}
		reqs = append(reqs, frontier.Request{URL: u.String(), Via: robots, Meta: meta, Priority: sitemap.First})
	}
	return reqs
}

// mostNamed is how many sitemaps of one robots.txt are visited.
const mostNamed = 1000

// declared is the media type that the server gives, in lower case.
func declared(resp *crawler.Response) string {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil && media == "" {
		media, _, _ = strings.Cut(resp.Header.Get("Content-Type"), ";")
	}
	return strings.ToLower(strings.TrimSpace(media))
}

// Skip is a Parser that reads nothing: for types that are not wanted.
type Skip struct{}

// Parse returns an error that matches [crawler.ErrUnsupportedType].
func (Skip) Parse(_ context.Context, resp *crawler.Response) (*crawler.Page, error) {
	return nil, &crawler.FetchError{URL: resp.URL, Kind: crawler.ErrUnsupportedType, Err: errors.New(declared(resp))}
}
