package content

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/robots"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/frontier"
)

// Sitemap is the Parser for sitemaps, their indexes, and feeds taken as lists.
// The page has links only, and NoIndex, so that a crawl follows the links and
// does not put the page. Listed of a link is its entry; the Meta of one that
// leads to a further sitemap is that of package sitemap, so that it is read as
// one whatever it looks like.
//
// Entries of other hosts are left out, unless it was their robots.txt that
// named the sitemap. What else was wrong is in Flaws.
type Sitemap struct {
	MaxDepth int           // indexes within each other; 4. Those further down are not followed
	HTML     *crawler.HTML // whose Profile makes URLs canonical; nil: the default
}

const (
	defaultDepth = 4
	defaultLinks = 50_000
)

// Parse reads a sitemap. A body without one, and one without any entry that
// could be read, is a *FetchError of kind ErrParse that matches the errors of
// package sitemap too.
func (s Sitemap) Parse(ctx context.Context, resp *crawler.Response) (*crawler.Page, error) {
	depth, hosts, _ := sitemap.Marked(resp.Request.Meta)
	html := s.HTML
	if html == nil {
		html = new(crawler.HTML)
	}
	profile := html.Profile(ctx)
	page := &crawler.Page{Response: resp, URL: resp.URL, Directives: robots.Directives{NoIndex: true}}
	if u, err := profile.URL("", resp.URL); err == nil {
		page.URL = u
	}
	limit := s.MaxDepth
	if limit == 0 {
		limit = defaultDepth
	}
	reader := sitemap.Reader{MaxEntries: defaultLinks, Hosts: hosts}
	var bad error
	for e, err := range reader.Read(bytes.NewReader(resp.Body), resp.URL) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			bad = err
			break
		}
		u, err := profile.URL(page.URL, e.URL)
		if err != nil || u == page.URL {
			continue
		}
		link := crawler.Link{URL: u, Text: e.Title, Listed: &e}
		if e.Sitemap {
			if depth+1 > limit {
				page.Flaws = append(page.Flaws, "sitemap: indexes nested too deep")
				break
			}
			link.Rel, link.Meta = "sitemap", sitemap.Mark(frontier.Meta{}, depth+1, hosts...)
		}
		page.Links = append(page.Links, link)
	}
	if bad != nil && (len(page.Links) == 0 || errors.Is(bad, sitemap.ErrNotSitemap)) {
		return nil, failed(resp, bad)
	}
	if bad != nil {
		page.Flaws = append(page.Flaws, strings.Split(bad.Error(), "\n")...)
	}
	if resp.Truncated {
		page.Flaws = append(page.Flaws, "body: cut at the limit of the fetcher")
	}
	return page, nil
}
