package trap

import (
	"context"
	"strings"
	"sync"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/frontier"
)

// Options of a [Guard]. The zero value is meant for all crawls.
type Options struct {
	// Patience is what a pattern is given at the start, and by how much evidence a
	// chain of links is cut: 1 is the default, 2 twice as much of both. Less than 1
	// saves visits to traps at the risk of pages that only look like one.
	Patience float64

	// FarmPages is how many pages are read of a host of a link farm; 16.
	FarmPages int

	// SiteHosts is how many hosts of one registrable domain are read; 0: all that bring
	// something new. Names of words that have texts of their own cannot be told from the
	// many sites of a host of blogs.
	SiteHosts int

	// Links is how many links are remembered, 16 bytes each; 1,048,576. Of 16 times
	// as many it is known that they were seen, in 24 bytes more; the memory is taken as
	// there are more links. Beyond twice that
	// many nothing is taken for a trap that was not before.
	Links int
}

const (
	defaultFarmPages = 16
	defaultLinks     = 1 << 20
	demotion         = 1.0 / 64 // of the priority of links that had better wait
)

// A Guard keeps a crawl out of traps. It is one of the Plugins of a Crawler, or is put into
// it part by part, and may be used by many goroutines, and by several Crawlers.
//
// It remembers up to 4,096 hosts, those that were met last, with 1,024 patterns
// each and 131,072 in all, some 50 MB when full, 4,096 registrable domains, and up to 40 MB of links. What it
// forgets begins with a new budget.
type Guard struct {
	opt      Options
	mu       sync.Mutex
	hosts    map[string]*host
	patterns int // of all hosts
	links    traces
	seen     seen
	sites    map[string]string // by origin
	names    names
	domains  map[string]*domain // by registrable domain
	tick     int64
	store    store
}

// New makes a Guard in memory.
func New(opt Options) *Guard {
	if opt.Patience <= 0 {
		opt.Patience = 1
	}
	if opt.FarmPages <= 0 {
		opt.FarmPages = defaultFarmPages
	}
	if opt.Links <= 0 {
		opt.Links = defaultLinks
	}
	return &Guard{opt: opt, hosts: make(map[string]*host), links: newTraces(opt.Links), seen: newSeen(16 * opt.Links), sites: make(map[string]string), names: newNames(), domains: make(map[string]*domain)}
}

// Install puts the Guard around Follow, Parser and Fetcher of a Crawler, as one of its
// Plugins or by hand; these have to be set then. A Crawler has one Guard.
func (g *Guard) Install(c *crawler.Crawler) error {
	if c.Follow == nil || c.Parser == nil || c.Fetcher == nil {
		return &crawler.ConfigError{What: "trap guard", Value: "of a crawler", Why: "wants its Follow, Parser and Fetcher; have Run install it, by Crawler.Plugins, or set them before"}
	}
	if _, ok := crawler.ParserAs[watching](c.Parser); ok {
		return &crawler.ConfigError{What: "trap guard", Value: "of a crawler", Why: "there is one already"}
	}
	c.Follow, c.Parser, c.Fetcher = g.Follow(c.Follow), g.Parser(c.Parser), g.Fetcher(c.Fetcher)
	return nil
}

var _ crawler.Plugin = (*Guard)(nil)

// Follow follows what f does, but not into traps. Of the links of a pattern of
// which too little is known, or nothing good, all but a few get a priority that is
// lower by 1/64 to 6/64, the more of them are waiting, so that by their turn more
// is known.
func (g *Guard) Follow(f crawler.Follow) crawler.Follow {
	return func(from *crawler.Page, link crawler.Link) (float64, bool) {
		priority, ok := f(from, link)
		if !ok {
			return priority, false
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if nested(link.URL) || g.crowded(link.URL) || redirects(from, link) && g.endless(from, link.URL) {
			return 0, false
		}
		t := g.links.get(hashURL(link.URL))
		if t != nil && t.title == ofRedirect {
			t.title = 0
		}
		if t != nil && t.hops > 0 && g.outside(from, link.URL) {
			t.hops, t.evidence = 0, 0
		}
		suspect := t != nil && t.later > 0
		if h := g.known(link.URL); h != nil && (suspect || h.Closed > 0 || h.Farm != nil) {
			var buf [256]byte
			s := g.shape(link.URL, buf[:0])
			if why, refused := g.refuses(h, &s, link.URL, false); refused {
				g.count(h, &s, why)
				return 0, false
			}
			if h.Closed > 0 {
				h.claim(g, link.URL)
			}
		}
		if suspect {
			priority -= demotion * float64(t.later)
		}
		return priority, true
	}
}

// Parser watches what p reads. p nil means &crawler.HTML{}.
func (g *Guard) Parser(p crawler.Parser) crawler.Parser {
	if p == nil {
		p = &crawler.HTML{}
	}
	return watching{g, p}
}

type watching struct {
	guard *Guard
	inner crawler.Parser
}

// Unwrap returns the Parser that reads the pages.
func (w watching) Unwrap() crawler.Parser { return w.inner }

// Parse reads a page and takes note of it.
func (w watching) Parse(ctx context.Context, resp *crawler.Response) (*crawler.Page, error) {
	page, err := w.inner.Parse(ctx, resp)
	if err == nil && page != nil && !dedup.IsProbe(resp.Request) {
		w.guard.watch(page, resp)
	}
	return page, err
}

// Fetcher fetches by f what is not in a trap by what is known by now; the rest is
// a *[Refused]. Seeds are always fetched.
func (g *Guard) Fetcher(f crawler.Fetcher) crawler.Fetcher {
	return around.Of(f, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		if !dedup.IsProbe(req) && !strings.HasSuffix(req.URL, "/robots.txt") {
			if err := g.check(req.URL, req.Via == ""); err != nil {
				return nil, err
			}
			resp, err := f.Fetch(ctx, req)
			if resp != nil && err == nil {
				g.answered(req.URL, resp.Status)
			}
			return resp, err
		}
		return f.Fetch(ctx, req)
	})
}

func (g *Guard) check(url string, seed bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !seed && g.crowded(url) {
		return &Refused{url, Hosts} // and is not taken for met
	}
	s := g.shape(url, nil)
	h := g.host(s.host)
	why, refused := g.refuses(h, &s, url, true)
	if !seed && !refused && g.spared(h, &s) {
		why, refused = Dead, true
	}
	if seed || !refused {
		h.Admitted++
		return nil
	}
	g.count(h, &s, why)
	return &Refused{url, why}
}

func (g *Guard) count(h *host, s *shape, why Reason) {
	if p, _ := h.pattern(s, false); p != nil {
		p.Refused++
	}
}
