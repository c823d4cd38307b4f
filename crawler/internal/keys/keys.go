// Package keys has the names under which this module keeps values in the Meta of requests
// and the variants of URLs that it visits, all in one place so that no two are the same.
package keys

import "github.com/webquarry/quarry/frontier"

// Keys of values.
const (
	Crawler  = "quarry.crawler"  // what the crawl loop remembers of a URL
	Recrawl  = "quarry.recrawl"  // how often a page changed
	Visited  = "quarry.visited"  // when a page that sitemaps list was visited, in seconds since 1970
	Sitemap  = "quarry.sitemap"  // the URL is that of a sitemap
	Probe    = "quarry.probe"    // there should be no page
	Cloaking = "quarry.cloaking" // the visit compares what others are shown
	Round    = "quarry.round"    // whether a page was there in the last round
	Ask      = "quarry.ask"      // method, header and body of the request; its Variant begins so, too
)

// Variants.
const (
	Own     = "quarry.own"      // a page that is put whatever it names as canonical
	Cookies = "quarry.cookies " // a page to which redirects led once more, with cookies; a hash follows
	Claim   = "quarry.claim "   // what became of the page is to be found out for another; a hash follows
)

// Onward returns the values of a request that go along to what its URL leads to. What is
// remembered of a URL is not of another.
func Onward(m frontier.Meta) frontier.Meta {
	for _, key := range [...]string{Crawler, Recrawl, Visited, Round, Ask} {
		m = m.Without(key)
	}
	return m
}
