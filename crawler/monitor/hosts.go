package monitor

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// Host is what this run did at a host, and what the Frontier knows of it.
type Host struct {
	Name    string  `json:"name"` // scheme, name and port
	Pages   int     `json:"pages"`
	Failed  int     `json:"failed"` // visits that went wrong, those tried again included
	Bytes   int64   `json:"bytes"`
	Last    float64 `json:"last"`    // seconds since the last visit ended
	State   string  `json:"state"`   // of a [frontier.Host]; empty: the Frontier does not tell
	Queued  int     `json:"queued"`  // URLs that wait
	Leased  int     `json:"leased"`  // being visited
	Gap     float64 `json:"gap"`     // seconds between two visits
	Next    float64 `json:"next"`    // seconds until the next may begin
	BackOff int     `json:"backoff"` // steps that it is up
}

// hosts counts by host, up to a number of them.
type hosts struct {
	most int // 0: defaultMemory
	all  map[string]*host
}

type host struct {
	name          string
	pages, failed int
	bytes         int64
	last          time.Time
}

func (h *hosts) add(e crawler.Event, bytes int64, now time.Time) {
	name := urlnorm.Origin(e.URL)
	it := h.all[name]
	if it == nil {
		if len(h.all) >= cmp.Or(h.most, defaultMemory) {
			return
		}
		if h.all == nil {
			h.all = make(map[string]*host)
		}
		it = &host{name: name}
		h.all[name] = it
	}
	it.last = now
	it.bytes += bytes
	switch e.Kind {
	case crawler.Fetched:
		it.pages++
	case crawler.Failed, crawler.Retrying:
		it.failed++
	}
}

// busiest returns copies of the hosts with the most pages.
func (h *hosts) busiest(most int) []host {
	out := make([]host, 0, len(h.all))
	for _, it := range h.all {
		out = append(out, *it)
	}
	slices.SortFunc(out, func(a, b host) int {
		return cmp.Or(cmp.Compare(b.pages+b.failed, a.pages+a.failed), cmp.Compare(a.name, b.name))
	})
	return out[:min(most, len(out))]
}

// describe adds what the Frontier knows.
func (m *Monitor) describe(h host, now time.Time) Host {
	out := Host{Name: h.name, Pages: h.pages, Failed: h.failed, Bytes: h.bytes, Last: now.Sub(h.last).Seconds()}
	if f, ok := frontier.As[frontier.Inspector](m.crawl); ok {
		at, err := f.Host(context.Background(), h.name+"/")
		if err != nil {
			return out
		}
		out.State, out.Queued, out.Leased, out.Gap, out.BackOff = string(at.State), at.Queued, at.Leased, at.Gap.Seconds(), at.Steps
		if !at.Next.IsZero() {
			out.Next = max(at.Next.Sub(now).Seconds(), 0)
		}
	}
	return out
}
