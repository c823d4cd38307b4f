package crawler

import (
	"context"
	"net/netip"

	"github.com/webquarry/quarry/frontier"
)

// Resolver is a Fetcher that can tell where it would ask for a URL. The crawl loop tells
// that to the Frontier before the first visit of a host, so that limits per address hold
// from the first visit on.
type Resolver interface {
	// Addr returns the address that a URL's host would be asked at first; the zero Addr
	// if that is not known.
	Addr(ctx context.Context, url string) netip.Addr
}

// locate tells the Frontier at which address a host is of which nothing is known
// yet, where the Fetcher can tell and the Frontier wants to know. It is false when
// so many visits of that address are under way that this one has to wait. After
// the first visit the Outcome says where it went.
func (r *run) locate(ctx context.Context, url string) (free bool, err error) {
	to, wants := frontier.As[frontier.Locator](r.Frontier)
	by, tells := As[Resolver](r.Fetcher)
	if !wants || !tells {
		return true, nil
	}
	addr := by.Addr(ctx, url)
	if !addr.IsValid() {
		return true, ctx.Err()
	}
	free, err = to.Locate(ctx, url, addr)
	if err != nil {
		err = fatal{err}
	}
	return free, err
}
