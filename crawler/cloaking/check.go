package cloaking

import (
	"context"
	"sync"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// A Check compares what hosts show to a crawl with what they show to others, as
// Wu and Davison do ("Detecting semantic cloaking on the web", WWW 2006). The
// first page of a host, its second, fourth, eighth ... are visited once more as
// somebody else. Where the text is another one, the page is visited a third time
// as ourselves: it is cloaked if our two visits were much more alike than either
// and the other's. A document whose scripts have yet to make the page is no
// evidence, nor is an answer that is no page but a redirect to another site.
//
// All these visits go through the Frontier as any other, as variants of the page's URL, so
// that robots.txt, politeness and budgets hold. They are Skipped with the reason "compared". Of a host that cloaks
// two pages, and more than it does not, a number of pages is still visited; they
// have a Flaw that says so.
//
// A Check may be used by many goroutines. Some 100 bytes are kept of each of up
// to 65,536 hosts, in memory; a comparison that a restart cuts short is not made.
type Check struct {
	Frontier frontier.Frontier // nil: that of the Crawler that it is first installed in
	As       string            // the User-Agent header of the others, that of a browser; required
	Parser   crawler.Parser    // reads what they are shown; nil: that of the Crawler
	Most     int               // pages of a host that are compared; 10, which it takes 512 pages for
	Pages    int               // of a host that are visited once it is known to cloak; 16; negative: all

	mu      sync.Mutex
	hosts   map[string]*host
	pending map[string]*sample // by the URL of their next visit
}

const (
	defaultMost  = 10
	defaultPages = 16
	maxHosts     = 1 << 16
	maxPending   = 1 << 12 // comparisons that are under way
)

// Flaw is what pages of a host that cloaks are told by.
const Flaw = "cloaking: others are shown other pages of this host"

// Install puts the Check around Parser and Fetcher of a Crawler, as one of its Plugins or by
// hand; these have to be set then. What the Check lies around sees its visits as well, so that a
// cache is best installed after it. A Crawler has one Check.
func (c *Check) Install(to *crawler.Crawler) error {
	if to.Parser == nil || to.Fetcher == nil {
		return &crawler.ConfigError{What: "check for cloaking", Value: c.As, Why: "wants the Parser and Fetcher of the crawler; have Run install it, by Crawler.Plugins, or set them before"}
	}
	if _, ok := crawler.ParserAs[watching](to.Parser); ok {
		return &crawler.ConfigError{What: "check for cloaking", Value: c.As, Why: "there is one already"}
	}
	if c.Frontier == nil {
		c.Frontier = to.Frontier
	}
	if c.As == "" || c.Frontier == nil {
		return &crawler.ConfigError{What: "check for cloaking as", Value: c.As, Why: "wants a Frontier and a user agent"}
	}
	if c.Parser == nil {
		c.Parser = innermost(to.Parser)
	}
	to.Parser, to.Fetcher = watching{c, to.Parser}, c.fetcher(to.Fetcher)
	return nil
}

var _ crawler.Plugin = (*Check)(nil)

// innermost is the Parser that reads the pages, without those that take notes.
func innermost(p crawler.Parser) crawler.Parser {
	for {
		wraps, more := p.(interface{ Unwrap() crawler.Parser })
		if _, routes := p.(*crawler.Router); routes || !more {
			return p
		}
		p = wraps.Unwrap()
	}
}

type watching struct {
	check *Check
	inner crawler.Parser
}

// Unwrap returns the Parser that reads the pages.
func (w watching) Unwrap() crawler.Parser { return w.inner }

// Parse reads a page, and asks for it once more if it is one to compare.
func (w watching) Parse(ctx context.Context, resp *crawler.Response) (*crawler.Page, error) {
	page, err := w.inner.Parse(ctx, resp)
	if err != nil || page == nil || !isPage(resp.Request) {
		return page, err
	}
	return page, w.check.read(ctx, page, resp.Request)
}

// isPage reports whether a request is for a page of the host by GET, not for its sitemap
// or for what it answers where there is none.
func isPage(req frontier.Request) bool {
	_, _, list := sitemap.Marked(req.Meta)
	_, special := crawler.AskOf(req)
	return !list && !special && !dedup.IsProbe(req)
}

// fetcher fetches by f, and makes the comparisons.
func (c *Check) fetcher(f crawler.Fetcher) crawler.Fetcher {
	return around.Of(f, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		switch {
		case comparison(req) != "":
			return nil, c.compare(ctx, f, req)
		case req.Via != "" && isPage(req) && c.spent(urlnorm.Origin(req.URL)):
			return nil, &Refused{req.URL}
		}
		return f.Fetch(ctx, req)
	})
}
