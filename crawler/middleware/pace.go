package middleware

import (
	"cmp"
	"context"
	"maps"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
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

	mu    sync.Mutex
	hosts map[string]*turns
}

// turns are those of one host. Who holds the gate has the next one.
type turns struct {
	gate chan struct{}
	next time.Time
}

// paceHosts is how many hosts are remembered before those that rest no longer
// are forgotten.
const paceHosts = 1 << 12

// Wrap is a [crawler.Middleware].
func (p *Pace) Wrap(next crawler.Fetcher) crawler.Fetcher {
	return around.Of(next, (&paced{p, next}).fetch)
}

type paced struct {
	*Pace
	next crawler.Fetcher
}

// fetch waits for the host's turn, which ends when the answer begins, or a gap
// after the request was sent if that is earlier: so the server sees a gap,
// however long a request was on its way.
func (p *paced) fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	u, err := url.Parse(req.URL)
	if err != nil {
		return p.next.Fetch(ctx, req)
	}
	gap := p.gap(u.Host)
	if gap <= 0 {
		return p.next.Fetch(ctx, req)
	}
	t := p.of(u.Host)
	select {
	case t.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var sent sync.Once
	done := func() {
		sent.Do(func() {
			p.mu.Lock()
			t.next = time.Now().Add(gap)
			p.mu.Unlock()
			<-t.gate
		})
	}
	defer done()
	if err := sleep(ctx, time.Until(t.next)); err != nil {
		return nil, err
	}
	trace := &httptrace.ClientTrace{GotFirstResponseByte: done, WroteRequest: func(httptrace.WroteRequestInfo) { time.AfterFunc(gap, done) }}
	return p.next.Fetch(httptrace.WithClientTrace(ctx, trace), req)
}

func (p *Pace) gap(host string) time.Duration {
	gap := cmp.Or(p.Gap, time.Second)
	if p.Host != nil {
		gap = cmp.Or(p.Host(host), gap)
	}
	return gap
}

// of is what is known of a host.
func (p *Pace) of(host string) *turns {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.hosts[host]; t != nil {
		return t
	}
	if p.hosts == nil {
		p.hosts = make(map[string]*turns)
	}
	if len(p.hosts) >= paceHosts {
		now := time.Now()
		maps.DeleteFunc(p.hosts, func(_ string, t *turns) bool { return len(t.gate) == 0 && t.next.Before(now) })
	}
	t := &turns{gate: make(chan struct{}, 1)}
	p.hosts[host] = t
	return t
}
