package crawler

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler/internal/admit"
	"github.com/webquarry/quarry/crawler/internal/html"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// Crawler visits pages and follows their links until nothing is left or a
// budget is met. UserAgent is required; every other field may stay zero. A
// Crawler is not changed by Run, which may be called again and at the same time.
// A run whose context has a [live.Control] can be looked at and paused.
//
// It asks robots.txt of every host before anything else of it, and again when
// the answer has aged; it leaves the pace to the Frontier; it puts each page
// before it tells the Frontier that the page is done, so that a crash repeats
// at most the visits under way.
//
// Trouble with a page is an [Event] and never ends the run: no answer, an error
// of the Parser, and a panic of Fetcher, Parser or Follow, which see what comes from
// outside before anything is put. An error of the Sink or the Frontier does end it,
// the latter when it comes again, and so does a panic of Sink, Revisit, OnEvent or
// Frontier: the page is left for the next run.
//
// Trouble of a whole host is not charged to its pages, see [Retry] and
// [frontier.Outage]; nor is trouble here: while there are no file descriptors or no memory
// for connections, no proxy or no network, the run pauses, 1 s at first and a minute at
// most, and ends with the cause when that has lasted for ten minutes, or, with proxies and
// the network, 26 hours. A full disk ends it at once.
//
// A Fetcher, Parser, Sink or another handler that goes on for five seconds when its context has ended,
// at the end of the run and of [Budget].Grace, is left behind: Run returns an error, and what it has
// of the Frontier stays leased until that is opened again.
//
// A run that visited its seeds and could fetch nothing returns [ErrNothingFetched].
type Crawler struct {
	Frontier frontier.Frontier // nil: one in memory, with frontier's default limits, but for Global, which Workers is then
	Fetcher  Fetcher           // nil: &HTTP{UserAgent: UserAgent}
	Parser   Parser            // nil: &HTML{}
	Sink     Sink              // nil: none
	Follow   Follow            // nil: SameSite(seeds...), without seeds the site of the page
	Revisit  Revisit           // nil: Retry

	Plugins []Plugin // work on all of it; none

	// Canon makes seeds, links and the targets of redirects canonical, and so
	// says which of them are one URL. HTTP and HTML keep to it, also when
	// wrapped. Nil: that of the HTML that is the Parser, else the default.
	Canon *urlnorm.Profile

	UserAgent    string // product token and a contact, "acme/1.0 (+https://acme.example/bot)"
	IgnoreRobots bool   // do not ask robots.txt: for sites of one's own

	Workers int          // requests at a time; 16. For every eight of them one visit more is under way, of a page that is there; the Frontier's Limits.Global has to leave room for it
	Budget  Budget       // when to stop
	Log     *slog.Logger // nil: silent. Warn: trouble; Info: 4xx, sites that robots.txt closes, and the end; Debug: the rest. A line about a URL has its host and depth and, if there was an answer, its status, bytes (over the wire) and took
	OnEvent func(Event)  // sees all events, one at a time, and holds up the crawl until it returns

	robotsMemory int64 // of the robots.Cache; zero: its own. For tests
}

// Budget says when a run stops. What was not visited by then stays in the
// Frontier for the next run.
type Budget struct {
	Pages int   // pages put, exactly; 0: no limit. Failed and skipped ones do not count
	Bytes int64 // of bodies as they came over the wire, robots.txt aside: the page that reaches it is the last; 0: no limit

	// Output is the size, as the Sink tells it by a method Size() int64, at
	// which no further visit begins; 0: no limit. Those under way are put.
	Output int64

	Depth int           // links from a seed that are followed, on the shortest way found by then; 0: no limit; negative: the seeds only
	Wall  time.Duration // no visit begins later; 0: no limit
	Grace time.Duration // how long visits may go on after Wall or the end of the context; 5 s; negative: not at all
}

// Run crawls from the seeds on, and from what the Frontier holds. It returns
// nil when nothing is left to visit or a budget is met, the cause of ctx when
// that ends first, an [*UnfinishedError] when URLs wait for hosts that rest for longer
// than the run waits, as they could not be reached, and otherwise what went wrong with the
// Sink, the Frontier, this machine or the settings (a *[ConfigError]). Visits that did not come to an end are given
// back to the Frontier.
func (c *Crawler) Run(ctx context.Context, seeds ...string) error {
	r, err := c.begin(ctx, seeds)
	if err != nil {
		return err
	}
	r.crawl()
	return r.end(ctx)
}

// crawl has all workers work until nothing is left for them. Those that a handler keeps
// for long after the end of all visits are left behind.
func (r *run) crawl() {
	var workers sync.WaitGroup
	for range r.places.Workers() {
		workers.Go(r.worker)
	}
	ended, late := make(chan struct{}), make(chan struct{})
	go func() {
		workers.Wait()
		close(ended)
	}()
	stop := context.AfterFunc(r.hard, func() { time.AfterFunc(lastReturn, func() { close(late) }) })
	defer stop()
	select {
	case <-ended:
	case <-late:
		r.abort(errStuck)
	}
}

// work visits one URL after the other. It asks for the next one while what became
// of the last is made safe, and begins with it when that is.
func (r *run) work(w *live.Worker) error {
	at := admit.Place{Of: r.places}
	defer at.Give()
	var told <-chan error // what came of telling the last; nil: there is none
	for r.quota.Reserve(r.soft) {
		l, bad, err := r.next(w, &at, told)
		told = nil
		switch {
		case err != nil:
			r.quota.Release()
			return cmp.Or(bad, err)
		case bad != nil:
			return r.giveBack(l, bad)
		case r.soft.Err() != nil: // perhaps by who was told
			return r.giveBack(l, context.Cause(r.soft))
		}
		if told, err = r.attend(w, l, &at); err != nil {
			return err
		}
	}
	return r.wait(told)
}

// attend makes the visit of a lease, and tells the Frontier what came of it.
func (r *run) attend(w *live.Worker, l frontier.Lease, at *admit.Place) (told <-chan error, err error) {
	ctx, over := r.keep(w.Within(r.hard), l)
	defer over()
	v, err := r.visit(ctx, l, at.Give)
	switch {
	case err == nil:
	case isExpired(ctx) && !isA[fatal](err):
		r.quota.Release()
		return nil, r.tellExpired(w, l)
	default:
		return nil, r.giveBack(l, err)
	}
	at.Give()
	w.Enter(live.Settling)
	if told, err = r.done(w, l, v); errors.Is(err, frontier.ErrLeaseExpired) {
		return nil, r.tellExpired(w, l)
	}
	return told, err
}

// next takes a place and a request. Where others are waiting for the place, what
// became of the last visit is to be safe before.
func (r *run) next(w *live.Worker, at *admit.Place, told <-chan error) (l frontier.Lease, bad, err error) {
	if r.places.Shared() {
		if bad, told = r.wait(told), nil; bad != nil {
			return l, bad, bad
		}
	}
	if !at.Take(r.soft) {
		return l, r.wait(told), context.Cause(r.soft)
	}
	err = insist(r.soft, func(ctx context.Context) (err error) {
		l, err = w.Next(ctx, r.Frontier)
		return err
	})
	return l, r.wait(told), err
}

// wait returns what came of telling the Frontier.
func (r *run) wait(told <-chan error) error {
	if told == nil {
		return nil
	}
	select {
	case err := <-told:
		return err
	case <-r.telling.Done():
	}
	select {
	case err := <-told:
		return err
	case <-time.After(firstPause):
		return errSilent
	}
}

// visit takes one URL all the way: robots, fetch, parse, links, sink. It calls
// fetched when it asks for nothing more. An error is not the page's: the visit was
// broken off, or the run has to stop.
func (r *run) visit(ctx context.Context, l frontier.Lease, fetched func()) (v verdict, err error) {
	req := l.Request
	if err := r.health.wait(ctx); err != nil {
		return v, err
	}
	known := noteOn(req)
	leave, ok := r.patience.Enter(urlnorm.Origin(req.URL))
	if !ok {
		return notNow(req, known), nil
	}
	defer func() { leave(err != nil, tookLong(v.Err)) }()
	defer r.survive(l, &v, &err)
	switch {
	case known.as == asClaim:
		return r.visitClaim(ctx, req, known, fetched)
	case known.as == asBack && known.trail == "": // it is [spent]
		return verdict{Event: Event{Kind: resting}, out: frontier.Outcome{Unvisited: true}}, nil
	}
	if v, err = r.visitPage(ctx, req, known, fetched); err != nil || known.stored.digest == 0 || v.Kind == Fetched {
		return v, err
	}
	if err := r.putLost(ctx, asVisited(req), known.stored, &v); err != nil {
		return r.noPage(ctx, req, known, nil, err)
	}
	return v, nil
}

// visitPage is visit where no claim is settled.
func (r *run) visitPage(ctx context.Context, req frontier.Request, known note, fetched func()) (v verdict, err error) {
	var delay time.Duration
	defer func() { v.out.Delay = max(v.out.Delay, delay) }()
	req = asVisited(req)
	v, delay, err = r.permit(ctx, req, known)
	if err != nil || v.Kind != "" {
		return v, err
	}
	live.Enter(ctx, live.Fetching)
	resp, err := r.fetch(ctx, req, known)
	fetched()
	if err != nil || !r.arrived(req, resp) {
		return r.noPage(ctx, req, known, resp, err)
	}
	if r.refreshes(req, resp, html.RefreshOf(resp.Header)) {
		return r.redirected(req, known, resp), nil
	}
	live.Enter(ctx, live.Parsing)
	page, err := r.parse(ctx, resp)
	if err != nil {
		return r.noPage(ctx, req, known, resp, err)
	}
	if r.refreshes(req, resp, page.Refresh) {
		return r.redirected(req, known, resp), nil
	}
	found := r.links(page)
	if v := r.unwanted(page, found, known.as); v.Kind != "" {
		return v, nil
	}
	if known.as == asClaim {
		return r.skipped(req, resp, "", found), nil // there is a page, and it is put by a visit of its own
	}
	live.Enter(ctx, live.Putting)
	has, err := r.put(ctx, known.stored, page)
	if err != nil {
		return r.noPage(ctx, req, known, resp, err)
	}
	v = r.fetched(req, page, found)
	v.stored = &has
	return v, nil
}
