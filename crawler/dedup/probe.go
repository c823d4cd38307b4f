package dedup

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
)

// IsProbe reports whether a request is for a page that does not exist.
func IsProbe(req frontier.Request) bool { return req.Meta.Get(keys.Probe) != "" }

// A Probe finds pages that say "not found" with status 200. It is one of
// the Plugins of a Crawler. Of each host that has sent a few pages it asks for one that cannot
// exist, by a path drawn by lot; pages that say nearly the same as the answer are
// not found either. They are given NoIndex, and so skipped, and a Flaw that says
// so; their links are followed. Where the answer is a 404, as it should be, or a
// redirect, the host is believed.
//
// The request goes through the Frontier as any other, so that robots.txt,
// politeness and budgets hold. The root of a host is never called not found, and
// where it says the same as the answer no page of the host is: such a host has
// one page for all paths, which scripts fill in.
//
// Some 200 bytes are kept of each of up to 65,536 hosts; after a restart hosts
// are known by their answers only if these are had again, and the Frontier does
// not fetch them twice unless the path is another, which it is.
type Probe struct {
	After    int // pages of a host before it is probed; 5
	Distance int // bits that a page may differ from the answer; 3

	mu    sync.Mutex
	hosts map[string]*probed
}

const (
	probeAfter = 5
	probeHosts = 1 << 16
)

// flawNotFound is what a page is told by.
const flawNotFound = "status: says that it was not found, with status 200"

// probed is what is known of a host.
type probed struct {
	pages  int
	answer *Fingerprint // of the page that does not exist; nil: not had
	root   *Fingerprint
}

// Install puts the Probe around the Parser of a Crawler. A Crawler has one Probe.
func (p *Probe) Install(c *crawler.Crawler) error {
	if c.Parser == nil || c.Frontier == nil {
		return &crawler.ConfigError{What: "probe", Value: "of a crawler", Why: "wants its Parser and Frontier; have Run install it, by Crawler.Plugins, or set them before"}
	}
	if _, ok := crawler.ParserAs[probing](c.Parser); ok {
		return &crawler.ConfigError{What: "probe", Value: "of a crawler", Why: "there is one already"}
	}
	c.Parser = probing{p, c.Parser, c.Frontier}
	return nil
}

var _ crawler.Plugin = (*Probe)(nil)

// probing is the Parser of a Crawler that has a Probe.
type probing struct {
	*Probe
	inner crawler.Parser
	front frontier.Frontier
}

// Unwrap returns the Parser that reads the pages.
func (p probing) Unwrap() crawler.Parser { return p.inner }

// Parse reads a page and says whether it exists.
func (p probing) Parse(ctx context.Context, resp *crawler.Response) (*crawler.Page, error) {
	page, err := p.inner.Parse(ctx, resp)
	if err != nil || page == nil {
		return page, err
	}
	host, path := origin(resp.URL)
	f := Of(page.Text)
	if IsProbe(resp.Request) {
		if resp.Request.Hops == 0 {
			p.note(host, func(h *probed) { h.answer = &f })
		}
		page.NoIndex, page.NoFollow = true, true
		return page, nil
	}
	due, missing := false, false
	p.note(host, func(h *probed) {
		h.pages++
		due = h.pages == max(p.After, 0) || p.After == 0 && h.pages == probeAfter
		switch {
		case path == "/" || path == "":
			h.root = &f
		case h.answer != nil && h.answer.Words > 0 && (h.root == nil || !h.answer.Near(*h.root, p.distance())):
			missing = f.Near(*h.answer, p.distance())
		}
	})
	if missing {
		page.NoIndex = true
		page.Flaws = append(page.Flaws, flawNotFound)
	}
	if due {
		return page, p.ask(ctx, host, resp.Request)
	}
	return page, nil
}

// SoftNotFound reports whether the host of a URL answers 200 for what does not
// exist, as far as that is known.
func (p *Probe) SoftNotFound(url string) bool {
	host, _ := origin(url)
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hosts[host]
	return h != nil && h.answer != nil
}

// ask queues a request for what does not exist. It comes before the host's
// other requests, which it helps to judge.
func (p probing) ask(ctx context.Context, host string, via frontier.Request) error {
	var b [10]byte
	rand.Read(b[:])
	_, err := p.front.Add(ctx, frontier.Request{
		URL: host + "/" + hex.EncodeToString(b[:]), Via: via.URL, Depth: via.Depth, Priority: via.Priority + 1, Meta: frontier.Meta{}.With(keys.Probe, "1"),
	})
	if err != nil {
		return fmt.Errorf("dedup: probe of %s: %w", host, err)
	}
	return nil
}

func (p *Probe) distance() int {
	if p.Distance > 0 {
		return p.Distance
	}
	return defaultDistance
}

// note changes what is known of a host.
func (p *Probe) note(host string, change func(*probed)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hosts[host]
	if h == nil {
		if len(p.hosts) >= probeHosts {
			return
		}
		if p.hosts == nil {
			p.hosts = make(map[string]*probed)
		}
		h = new(probed)
		p.hosts[host] = h
	}
	change(h)
}
