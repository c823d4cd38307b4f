// Package around makes Fetchers that lie around another one and hide nothing
// of it: what a crawl may ask a Fetcher beside a page goes through to the
// innermost.
package around

import (
	"context"
	"net/netip"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// Of is f as a Fetcher that lies around next.
func Of(next crawler.Fetcher, f crawler.FetcherFunc) crawler.Fetcher { return fetcher{next, f} }

type fetcher struct {
	next crawler.Fetcher
	f    crawler.FetcherFunc
}

// Fetch calls f.
func (f fetcher) Fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	return f.f(ctx, req)
}

// Unwrap returns next, see [crawler.As].
func (f fetcher) Unwrap() crawler.Fetcher { return f.next }

// Addr is the address at which f would ask for a URL first, if f can tell; see
// [crawler.Resolver].
func Addr(ctx context.Context, f crawler.Fetcher, url string) netip.Addr {
	if by, ok := crawler.As[crawler.Resolver](f); ok {
		return by.Addr(ctx, url)
	}
	return netip.Addr{}
}
