package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/webquarry/quarry/crawler/internal/admit"
	"github.com/webquarry/quarry/crawler/internal/fetch"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/crawler/robots"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

const (
	defaultWorkers = 16
	defaultGrace   = 5 * time.Second
)

// What ends a run and is no error of it.
var (
	errBudget = errors.New("crawler: budget met")
	errBreak  = errors.New("crawler: no more pages wanted")
)

var errGoexit = errors.New("crawler: a handler ended the goroutine that it was called from")

// run is a Crawler at work: its settings with the defaults filled in.
type run struct {
	Crawler
	robots   *robots.Cache // nil: not asked
	patience *admit.Patience
	health   *health
	places   admit.Places
	quota    *admit.Quota
	output   sized // nil: nobody tells its size
	tally    *tally
	fates    fates
	weights  admit.Weights
	stops
}

// stops is how a run ends: no visit begins once soft is done, and none goes on
// once hard is.
type stops struct {
	soft, hard context.Context
	stop, kill context.CancelCauseFunc
	telling    context.Context       // for what the Frontier is told; ends some time after hard
	failure    atomic.Pointer[error] // the first that came when soft was done already
	undo       []func()
}

// begin checks the settings, fills in defaults and queues the seeds.
func (c *Crawler) begin(ctx context.Context, seeds []string) (*run, error) {
	if err := checkUserAgent(c.UserAgent); err != nil {
		return nil, err
	}
	r := &run{Crawler: *c, quota: admit.NewQuota(c.Budget.Pages, c.Budget.Bytes), weights: admit.NewWeights()}
	if err := errors.Join(r.agree(), r.checkOutput()); err != nil {
		return nil, err
	}
	reqs, err := r.seedRequests(seeds)
	if err != nil {
		return nil, err
	}
	if err := r.fill(seeds); err != nil {
		return nil, err
	}
	if err := r.install(); err != nil {
		r.letGo()
		return nil, err
	}
	if r.Revisit == nil {
		r.Revisit = Retry
	}
	r.tally = newTally(c, r.Frontier)
	r.tally.seeds = newStarts(urlsOf(reqs))
	live.Answer(ctx, r.explain)
	r.start(ctx, c.Budget)
	refused, err := frontier.Refusals(insist(ctx, func(ctx context.Context) error {
		_, err := r.Frontier.Add(ctx, reqs...)
		return err
	}))
	if err = cmp.Or(err, r.tellRefused(refused, reqs)); err != nil {
		r.close()
		return nil, err
	}
	r.stopIfFull()
	return r, nil
}

// agree settles on one profile for all URLs of the crawl.
func (r *run) agree() error {
	for _, p := range parsers(r.Parser) {
		h, ok := p.(*HTML)
		if !ok || h.Canon == nil {
			continue
		}
		if r.Canon != nil && !reflect.DeepEqual(r.Canon, h.Canon) {
			return &ConfigError{"canon", "of the HTML parser", "is not that of the Crawler; set one of them"}
		}
		r.Canon = h.Canon
	}
	if r.Canon == nil {
		r.Canon = new(urlnorm.Profile)
	}
	return nil
}

// seedRequests makes seeds canonical. The error names all that are no URLs to
// crawl.
func (r *run) seedRequests(seeds []string) (reqs []frontier.Request, err error) {
	for _, s := range seeds {
		u, bad := r.Canon.URL("", s)
		if bad != nil {
			err = errors.Join(err, &ConfigError{"seed", s, "want an absolute http or https URL"})
			continue
		}
		reqs = append(reqs, frontier.Request{URL: u})
	}
	return reqs, err
}

func urlsOf(reqs []frontier.Request) []string {
	urls := make([]string, len(reqs))
	for i := range reqs {
		urls[i] = reqs[i].URL
	}
	return urls
}

// fill sets what the Crawler leaves open.
func (r *run) fill(seeds []string) error {
	if h, ok := r.Fetcher.(*HTTP); ok {
		if err := h.prepare(); err != nil {
			return err
		}
	}
	if r.Fetcher == nil {
		h := &HTTP{UserAgent: r.UserAgent}
		r.Fetcher = h
		r.undo = append(r.undo, func() { h.Close() })
	}
	if r.Frontier == nil {
		m := frontier.New(frontier.Options{Limits: frontier.Limits{Global: -1}}) // Workers is the limit
		r.Frontier = m
		r.undo = append(r.undo, func() { m.Close() })
	}
	switch {
	case r.Parser == nil && len(r.Plugins) > 0:
		r.Parser = &HTML{Context: 8} // by which they may judge links
	case r.Parser == nil:
		r.Parser = new(HTML)
	}
	if r.Sink == nil {
		r.Sink = SinkFunc(func(context.Context, *Result) error { return nil })
	}
	switch {
	case r.Follow == nil && len(seeds) > 0:
		r.Follow = SameSite(seeds...)
	case r.Follow == nil:
		r.Follow = sameSiteAsPage()
	}
	r.Workers = max(cmp.Or(r.Workers, defaultWorkers), 1)
	r.patience, r.places, r.health = admit.NewPatience(r.Workers), admit.NewPlaces(r.Workers), newHealth()
	if !r.IgnoreRobots {
		r.robots = &robots.Cache{Agent: r.UserAgent, Fetch: r.robotsTxt, Memory: r.robotsMemory, Backoff: robotsBackoff, MaxBackoff: maxRobotsBackoff}
	}
	return nil
}

// start arms what ends the run.
func (r *run) start(ctx context.Context, b Budget) {
	r.soft, r.stop = context.WithCancelCause(ctx)
	to := terms{canon: r.Canon, agent: robots.Token(r.UserAgent), cores: newCores(), pursue: fetch.FollowOthers}
	r.hard, r.kill = context.WithCancelCause(to.within(context.WithoutCancel(ctx)))
	telling, silence := context.WithCancelCause(context.WithoutCancel(r.hard))
	r.telling = telling
	context.AfterFunc(r.hard, func() { time.AfterFunc(lastWord, func() { silence(errSilent) }) })
	if b.Wall > 0 {
		wall := time.AfterFunc(b.Wall, func() { r.stop(errBudget) })
		r.undo = append(r.undo, func() { wall.Stop() })
	}
	grace := time.AfterFunc(time.Hour, func() { r.kill(context.Cause(r.soft)) })
	grace.Stop()
	r.undo = append(r.undo, func() { grace.Stop() })
	context.AfterFunc(r.soft, func() {
		if wait := cmp.Or(b.Grace, defaultGrace); wait > 0 && !errors.Is(context.Cause(r.soft), errBreak) {
			grace.Reset(wait)
		} else {
			r.kill(context.Cause(r.soft))
		}
	})
}

// worker works, and ends the run if that ends in any way but well.
func (r *run) worker() {
	err := errGoexit
	w := live.Join(r.hard)
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
		w.Leave()
		r.stopIf(err)
	}()
	err = r.work(w)
}

func panicError(p any) error { return fmt.Errorf("crawler: panic: %v\n%s", p, debug.Stack()) }

// stopIf ends the run at once for an error of a worker, unless that is how a
// run ends anyway.
func (r *run) stopIf(err error) {
	switch {
	case err == nil, errors.Is(err, frontier.ErrDrained):
	case r.soft.Err() != nil && (errors.Is(err, context.Cause(r.soft)) || errors.Is(err, r.soft.Err())):
	default:
		r.abort(err)
	}
}

// abort ends the run without grace.
func (r *run) abort(cause error) {
	if r.soft.Err() != nil {
		r.failure.CompareAndSwap(nil, &cause)
	}
	r.stop(cause)
	r.kill(cause)
}

// end says what Run returns. What goes wrong after the run was to end counts.
func (r *run) end(ctx context.Context) error {
	err := context.Cause(r.soft)
	if errors.Is(err, errBudget) || errors.Is(err, errBreak) {
		err = nil
	}
	if late := r.failure.Load(); late != nil && (err == nil || err == context.Cause(ctx)) {
		err = errors.Join(err, *late)
	}
	if context.Cause(r.soft) == nil && err == nil {
		err = r.unfinished(ctx)
	}
	defer r.close()
	if !r.tally.free() { // OnEvent is what does not return
		return errors.Join(err, errStuck)
	}
	switch nothing := r.tally.nothing(); {
	case nothing == nil:
	case err == nil:
		err = nothing
	case isA[*UnfinishedError](err):
		err = errors.Join(nothing, err)
	}
	return cmp.Or(err, r.tally.add(Event{Kind: Ended, Err: err}, 0))
}

// close lets go of everything the run made.
func (r *run) close() {
	r.abort(errBreak)
	r.letGo()
}

// letGo lets go of what fill and start took.
func (r *run) letGo() {
	for _, f := range r.undo {
		f()
	}
}
