package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/internal/fetch"
	"github.com/webquarry/quarry/crawler/internal/purpose"
	"github.com/webquarry/quarry/crawler/robots"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// A robots.txt that cannot be had is not asked for again before so much time has
// passed; how long the host rests is up to the Frontier.
const (
	robotsBackoff    = time.Second
	maxRobotsBackoff = 30 * time.Second
)

// permit asks robots.txt, and returns the rest that the host asks for there. A
// verdict without kind means yes. Where nothing is known of the host, this visit is
// spent on fetching robots.txt, and the Frontier offers the request again when the
// host has rested. It is cleared then: what was loaded for it holds for it, for by
// that time the robots.txt of many other hosts may have been loaded and this one
// been forgotten, or it may have expired.
func (r *run) permit(ctx context.Context, req frontier.Request, known note) (v verdict, delay time.Duration, err error) {
	if r.robots == nil {
		return v, 0, nil
	}
	if known.clear.ok() {
		return v, known.clear.delay, nil
	}
	at := known.target(req).URL
	e, ok := r.robots.Peek(at)
	switch {
	case ok && e.Rules == nil:
		v, err = r.unreachable(req, e, false)
		return v, 0, err
	case ok && !e.Allowed(at):
		r.tellClosed(at, e.Rules)
		v = r.skipped(req, nil, SkipRobots, nil)
		v.out.Unvisited = true
		return v, e.Delay(), nil
	case ok:
		return v, e.Delay(), nil
	}
	return r.askRobots(ctx, req, at)
}

// askRobots loads the robots.txt that governs the URL to be asked for.
func (r *run) askRobots(ctx context.Context, req frontier.Request, at string) (v verdict, delay time.Duration, err error) {
	v = verdict{Event: Event{Kind: resting}, out: frontier.Outcome{Again: time.Now()}, attempt: req.Attempt}
	if free, err := r.locate(ctx, at); err != nil || !free {
		return v, 0, err
	}
	e, err := r.robots.Load(ctx, at)
	v.out.Asked = time.Now()
	switch {
	case err != nil:
		return v, 0, err
	case e.Rules == nil:
		v, err = r.unreachable(req, e, true)
		return v, 0, err
	case !e.Allowed(at):
		r.tellClosed(at, e.Rules)
		asked := v.out.Asked
		v = r.skipped(req, nil, SkipRobots, r.sitemaps(req, e))
		v.out.Asked = asked
		return v, e.Delay(), nil
	}
	v.out.Again, v.out.Found = time.Now(), r.sitemaps(req, e)
	v.clear = clearance{time.Now(), e.Delay()}
	return v, e.Delay(), nil
}

// tellClosed logs, once a host, that its robots.txt forbids all of it: that costs a whole
// site, and is often an oversight.
func (r *run) tellClosed(url string, rules *robots.Rules) {
	if rule, closed := rules.Closed(); closed && r.health.closes(url) {
		r.tally.log.Info("closed", "site", urlnorm.Origin(url), "reason", SkipRobots, "rule", rule.Rule, "line", rule.Line)
	}
}

// sitemaps are the requests for the sitemaps of a host, of which e is what is
// known, if the Parser reads them.
func (r *run) sitemaps(req frontier.Request, e *robots.Entry) []frontier.Request {
	reads, ok := ParserAs[interface {
		Sitemaps(robots string, named []string) []frontier.Request
	}](r.Parser)
	if _, _, one := sitemap.Marked(req.Meta); !ok || one { // that host may have nothing but this
		return nil
	}
	found := reads.Sitemaps(urlnorm.Origin(req.URL)+"/robots.txt", e.Rules.Sitemaps)
	for i := range found {
		found[i].URL = r.canonical("", found[i].URL)
		found[i].Meta = note{guess: len(e.Rules.Sitemaps) == 0}.on(found[i].Meta)
	}
	return slices.DeleteFunc(found, func(s frontier.Request) bool { return s.URL == "" })
}

// skipNoSitemap is why a sitemap is skipped that was looked for where one often is.
const skipNoSitemap = "no sitemap"

// isAbsent reports whether there is no sitemap where one was only looked for, which
// is no trouble. Many servers send a page for whatever they do not have.
func isAbsent(resp *Response, err error) bool {
	return err == nil && (resp.Status == http.StatusNotFound || resp.Status == http.StatusGone) || errors.Is(err, sitemap.ErrNotSitemap)
}

// unreachable defers a host whose robots.txt cannot be had, as that forbids
// everything (RFC 9309, 2.3.1.4): to the Frontier it is one that was not reached. A host
// that does not exist, or must not be visited, fails at once. asked is false where the
// host was not asked just now: that is no visit, and no try.
func (r *run) unreachable(req frontier.Request, e *robots.Entry, asked bool) (verdict, error) {
	if ours(e.Err) {
		return verdict{}, e.Err
	}
	err := &FetchError{URL: req.URL, Kind: ErrRobotsUnreachable, Err: e.Err}
	v := verdict{Event: Event{Kind: Failed, URL: req.URL, Err: err}, attempt: req.Attempt}
	switch {
	case noSuchName(e.Err) && !r.knows(req.URL):
		err.Kind = ErrDNS
		return v, nil
	case errors.Is(e.Err, ErrBlockedAddr):
		err.Kind = ErrBlockedAddr
		return v, nil
	case !asked:
		out := frontier.Outcome{Again: time.Now(), Delay: max(time.Until(e.Expires), 0)}
		return verdict{Event: Event{Kind: resting}, out: out, attempt: req.Attempt}, nil
	}
	own, fail := r.health.missed(req.URL, err)
	if fail != nil {
		return v, fatal{fail}
	}
	v.Kind, v.Again = Retrying, e.Expires
	v.out.Again = e.Expires
	if !own {
		v.out.Trouble = frontier.Unreached
	}
	if u, ok := errors.AsType[*robots.UnreachableError](e.Err); ok {
		v.out.Delay = u.RetryAfter
	}
	return v, nil
}

// robotsTxt fetches a robots.txt by the Fetcher of the crawl. Redirects are for
// the cache to follow, which knows how many, but some Fetchers follow them all.
func (r *run) robotsTxt(ctx context.Context, url string) (*robots.Answer, error) {
	to := termsOf(ctx)
	to.pursue, to.trail = fetch.FollowItself, ""
	resp, err := r.Fetcher.Fetch(purpose.Robots(to.within(ctx)), frontier.Request{URL: url})
	switch {
	case errors.Is(err, ErrRedirectLoop), errors.Is(err, ErrRedirectTooMany):
		return &robots.Answer{Status: 404}, nil // more than five redirects: there is none (RFC 9309, 2.3.1.2)
	case errors.Is(err, ErrBlockedAddr):
		return nil, fmt.Errorf("%w: %w", robots.ErrRefused, err)
	case err != nil:
		return nil, err
	}
	r.health.reached(url, false)
	a := &robots.Answer{Status: resp.Status, Body: resp.Body, MaxAge: maxAge(resp.Header.Get("Cache-Control"))}
	a.Location = cmp.Or(fetch.Location(resp.Header), resp.Location)
	a.RetryAfter, _ = retryAfter(resp.Header, time.Now())
	return a, nil
}

// maxAge reads the directive of that name (RFC 9111, 5.2.2.1); zero when absent.
func maxAge(cacheControl string) time.Duration {
	for d := range strings.SplitSeq(cacheControl, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(d), "=")
		if strings.EqualFold(name, "max-age") {
			if n, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31); err == nil {
				return time.Duration(n) * time.Second
			}
		}
	}
	return 0
}
