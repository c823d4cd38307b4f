package middleware

import (
	"cmp"
	"context"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// Pace keeps a gap between the starts of all requests to one host that go
// through it. The Frontier does so for visits; what a browser loads for a page is
// within its visit, and comes at once. Wrap what the browser asks servers by, and
// let the crawl fetch by the same:
//
//	pace := &middleware.Pace{Gap: time.Second}
//	base := pace.Wrap(&crawler.HTTP{UserAgent: agent})
//	fetcher := &chrome.Fetcher{UserAgent: agent, Via: base}
//
// A page with n requests to its own host takes n gaps then, so the Timeout and
// Settle of a browser must be as long.
type Pace struct {
	Gap  time.Duration                   // 1 s; negative: none
	Host func(host string) time.Duration // for hosts with a gap of their own; zero: Gap

	mu   sync.Mutex
	next map[string]time.Time // when a host may be asked again
}

// paceHosts is how many hosts are remembered before those that rest no longer
// are forgotten.
const paceHosts = 1 << 12

// Wrap is a [crawler.Middleware].
func (p *Pace) Wrap(next crawler.Fetcher) crawler.Fetcher { return &paced{p, next} }

type paced struct {
	*Pace
	next crawler.Fetcher
}

// Fetch waits for the host's turn.
func (p *paced) Fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	if u, err := url.Parse(req.URL); err == nil {
		if err := sleep(ctx, p.take(u.Host, time.Now())); err != nil {
			return nil, err
		}
	}
	return p.next.Fetch(ctx, req)
}

// Addr is that of the Fetcher beneath, if it can tell.
func (p *paced) Addr(ctx context.Context, rawurl string) netip.Addr {
	if by, ok := p.next.(interface {
		Addr(ctx context.Context, url string) netip.Addr
	}); ok {
		return by.Addr(ctx, rawurl)
	}
	return netip.Addr{}
}

// take returns how long to wait for the next turn of a host, which is taken.
func (p *Pace) take(host string, now time.Time) time.Duration {
	gap := cmp.Or(p.Gap, time.Second)
	if p.Host != nil {
		gap = cmp.Or(p.Host(host), gap)
	}
	if gap <= 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil {
		p.next = make(map[string]time.Time)
	}
	if len(p.next) >= paceHosts {
		for h, t := range p.next {
			if t.Before(now) {
				delete(p.next, h)
			}
		}
	}
	at := p.next[host]
	if at.Before(now) {
		at = now
	}
	p.next[host] = at.Add(gap)
	return at.Sub(now)
}
