package monitor

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/access"
)

// Options say what a Monitor shows beside the crawl itself. The zero value is
// usable.
type Options struct {
	// Judges are asked about URLs that are to be explained, such as what finds
	// traps and duplicates, by what they are to be called: "trap".
	Judges map[string]Judge

	Metrics *metrics.Set // to count in, shared with others; nil: one of its own
	Folders []string     // those whose disks /metrics tells the free room of
	Recent  int          // how many visits are remembered, about 300 bytes each; 10,000
	Hosts   int          // how many hosts are counted, those met first, some 200 bytes each; 10,000

	ReadOnly bool   // nobody may pause the crawl, and resume it
	Access   Access // who may look, and how often
}

// Access says who may ask a Monitor. Without Names it answers to localhost and addresses.
type Access = access.Access

// A Judge has an opinion of URLs. Why tells it in one line; empty: none.
type Judge interface {
	Why(url string) string
}

const defaultMemory = 10_000

// A Monitor watches one crawl. Make it with [New].
type Monitor struct {
	control live.Control
	crawl   frontier.Frontier // nil: made by the run, and only its counts are known
	judges  map[string]Judge
	opt     Options
	metrics *metrics.Set
	mux     http.Handler

	mu      sync.Mutex
	now     progress
	history history
	recent  recent
	hosts   hosts
}

// progress is how far the run is.
type progress struct {
	sum     crawler.Summary
	queue   frontier.Stats
	started time.Time // zero: not yet
	ended   time.Time // zero: not yet
	err     error     // of the end
	page    time.Time // when the last one was put; zero: none was
}

// New makes a Monitor of a crawl that has not begun. It hooks into c.OnEvent; an
// earlier one is called afterwards. Runs of c are to get their context from
// [Monitor.Watch], one at a time.
func New(c *crawler.Crawler, opt Options) *Monitor {
	m := &Monitor{crawl: c.Frontier, judges: opt.Judges, opt: opt, metrics: opt.Metrics, history: newHistory()}
	m.recent.most, m.hosts.most = opt.Recent, opt.Hosts
	if m.metrics == nil {
		m.metrics = metrics.NewSet()
	}
	m.gauges()
	m.mux = m.routes()
	before := c.OnEvent
	c.OnEvent = func(e crawler.Event) {
		m.see(e, time.Now())
		if before != nil {
			before(e)
		}
	}
	return m
}

// Watch returns the context for a run that the Monitor shows.
func (m *Monitor) Watch(ctx context.Context) context.Context { return live.With(ctx, &m.control) }

// Control pauses and resumes the crawl, as the page does.
func (m *Monitor) Control() *live.Control { return &m.control }

// see takes note of an event.
func (m *Monitor) see(e crawler.Event, now time.Time) {
	m.count(e)
	m.mu.Lock()
	defer m.mu.Unlock()
	p := &m.now
	if e.Summary.Took < p.sum.Took || p.started.IsZero() || !p.ended.IsZero() { // another run
		*p = progress{started: now.Add(-e.Summary.Took), page: p.page}
	}
	if e.Kind == crawler.Fetched {
		p.page = now
	}
	bytes := e.Summary.Bytes - p.sum.Bytes
	p.sum, p.queue = e.Summary, e.Queue
	m.history.add(e, bytes, now)
	if e.Kind == crawler.Ended {
		p.ended, p.err = now, e.Err
		return
	}
	m.recent.add(newVisit(e, now))
	m.hosts.add(e, bytes, now)
}
