package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/canon"
	"github.com/webquarry/quarry/crawler/internal/purpose"
	"github.com/webquarry/quarry/crawler/robots"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/frontier"
)

// robotsFailures is how often a robots.txt that cannot be had is asked for
// before the URLs of its host fail, until it is time to ask again.
const robotsFailures = 3

// permit asks robots.txt. A verdict without kind means yes. Where nothing is
// known of the host, this visit is spent on fetching robots.txt, and the
// Frontier offers the request again when the host has rested.
func (r *run) permit(ctx context.Context, req frontier.Request) (verdict, error) {
	if r.robots == nil {
		return verdict{}, nil
	}
	e, known := r.robots.Peek(req.URL)
	if !known {
		if free, err := r.locate(ctx, req.URL); err != nil || !free {
			return verdict{Event: Event{Kind: resting}, out: frontier.Outcome{Again: time.Now()}, attempt: req.Attempt}, err
		}
		var err error
		if e, err = r.robots.Load(ctx, req.URL); err != nil {
			return verdict{}, err
		}
		if e.Rules != nil {
			out := frontier.Outcome{Again: time.Now(), Found: r.sitemaps(req, e)}
			return verdict{Event: Event{Kind: resting}, out: out, attempt: req.Attempt}, nil
		}
	}
	switch {
	case e.Rules == nil:
		return r.unreachable(req, e)
	case !e.Allowed(req.URL):
		return r.skipped(req, nil, SkipRobots, nil), nil
	}
	return verdict{}, nil
}

// sitemaps are the requests for the sitemaps of a host, of which e is what is
// known, if the Parser reads them.
func (r *run) sitemaps(req frontier.Request, e *robots.Entry) []frontier.Request {
	reads, ok := readerOf[interface {
		Sitemaps(robots string, named []string) []frontier.Request
	}](r.Parser)
	if _, _, one := sitemap.ParseLabel(req.Label); !ok || one { // that host may have nothing but this
		return nil
	}
	found := reads.Sitemaps(canon.Origin(req.URL)+"/robots.txt", e.Rules.Sitemaps)
	for i := range found {
		found[i].URL = r.canonical("", found[i].URL)
	}
	return slices.DeleteFunc(found, func(s frontier.Request) bool { return s.URL == "" })
}

// skipNoSitemap is why a sitemap is skipped that was looked for where one often is.
const skipNoSitemap = "no sitemap"

// isGuess reports whether a sitemap is not there that no robots.txt has named, which
// is no trouble. Many servers send a page for whatever they do not have.
func (r *run) isGuess(req frontier.Request, resp *Response, err error) bool {
	absent := err == nil && (resp.Status == http.StatusNotFound || resp.Status == http.StatusGone)
	if _, _, one := sitemap.ParseLabel(req.Label); !one || r.robots == nil || !absent && !errors.Is(err, sitemap.ErrNotSitemap) {
		return false
	}
	e, known := r.robots.Peek(req.URL)
	return req.Via == canon.Origin(req.URL)+"/robots.txt" && known && e.Rules != nil && len(e.Rules.Sitemaps) == 0
}

// readerOf finds the first T among a Parser and those that it wraps.
func readerOf[T any](p Parser) (t T, ok bool) {
	for {
		if t, ok = p.(T); ok {
			return t, true
		}
		wraps, more := p.(interface{ Unwrap() Parser })
		if !more {
			return t, false
		}
		p = wraps.Unwrap()
	}
}

// unreachable defers a host whose robots.txt cannot be had, as that forbids
// everything (RFC 9309, 2.3.1.4). A host that does not exist, or must not be
// visited, fails at once.
func (r *run) unreachable(req frontier.Request, e *robots.Entry) (verdict, error) {
	if ours(e.Err) {
		return verdict{}, e.Err
	}
	err := &FetchError{URL: req.URL, Kind: ErrRobotsUnreachable, Err: e.Err}
	v := verdict{Event: Event{Kind: Failed, URL: req.URL, Err: err}, attempt: req.Attempt}
	dns, ok := errors.AsType[*net.DNSError](e.Err)
	switch {
	case ok && dns.IsNotFound && !byProxy(e.Err):
		err.Kind = ErrDNS
	case errors.Is(e.Err, ErrBlockedAddr):
		err.Kind = ErrBlockedAddr
	case e.Failures <= robotsFailures:
		v.Kind, v.Again = Retrying, e.Expires
		v.out = frontier.Outcome{Again: e.Expires, Delay: time.Until(e.Expires), Trouble: frontier.Failed}
	}
	return v, nil
}

// robotsTxt fetches a robots.txt by the Fetcher of the crawl. Redirects are for
// the cache to follow, which knows how many, but some Fetchers follow them all.
func (r *run) robotsTxt(ctx context.Context, url string) (*robots.Answer, error) {
	to := termsOf(ctx)
	to.stay = true
	resp, err := r.Fetcher.Fetch(purpose.Robots(to.within(ctx)), frontier.Request{URL: url})
	switch {
	case errors.Is(err, ErrRedirectLoop), errors.Is(err, ErrRedirectTooMany):
		return &robots.Answer{Status: 404}, nil // more than five redirects: there is none (RFC 9309, 2.3.1.2)
	case errors.Is(err, ErrBlockedAddr):
		return nil, fmt.Errorf("%w: %w", robots.ErrRefused, err)
	case err != nil:
		return nil, err
	}
	a := &robots.Answer{Status: resp.Status, Body: resp.Body, MaxAge: maxAge(resp.Header.Get("Cache-Control"))}
	a.Location = cmp.Or(locationOf(resp.Header), resp.Location)
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
