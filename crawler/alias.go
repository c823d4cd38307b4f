package crawler

import (
	"context"
	"strings"

	"github.com/webquarry/quarry/crawler/canon"
	"github.com/webquarry/quarry/frontier"
)

// redirected makes a redirect's target a request of its own, so that scope,
// robots.txt, pace and the URLs already seen hold for every hop.
func (r *run) redirected(req frontier.Request, known note, resp *Response) verdict {
	next, ok := r.followRedirect(req, resp.Location)
	switch {
	case resp.Location == "":
		return r.failed(req, nil, &FetchError{URL: req.URL, Kind: ErrRedirect, Status: resp.Status, Err: errNoLocation})
	case next.Hops > maxHops:
		return r.failed(req, nil, &FetchError{URL: req.URL, Kind: ErrRedirectTooMany, Hops: []string{req.Via}})
	case !ok:
		v := r.skipped(req, resp, SkipScope, nil)
		v.Target = resp.Location
		return v
	}
	cookie := len(resp.Header["Set-Cookie"]) > 0
	circle, cookies := r.fates.circle(req, next.URL)
	if cookies = cookies || cookie || known.cookie; onWay(known.way, next.URL) {
		circle = true
	}
	switch {
	case circle && !cookies:
		return r.failed(req, nil, &FetchError{URL: req.URL, Kind: ErrRedirectLoop, Hops: []string{next.URL}})
	case circle:
		next = goBack(next)
	default:
		way := known.way + string(hashOf(req.URL))
		next.Memo = note{way: way, cookie: cookies}.String()
	}
	v := r.skipped(req, resp, SkipRedirect, []frontier.Request{next})
	v.Target, v.cookie = resp.Location, cookie
	return v
}

// onWay reports whether a URL is among those of which a note has the hashes.
func onWay(way, url string) bool {
	h := string(hashOf(url))
	for ; way != ""; way = way[8:] {
		if way[:8] == h {
			return true
		}
	}
	return false
}

// goBack is the request for a page that redirects led back to, with a cookie on
// the way: a site may want it before it shows the page. The page is done as far as
// the Frontier is concerned, and is visited once more, this time to the end of its
// redirects in one go, so that the cookie lasts whoever keeps cookies.
func goBack(to frontier.Request) frontier.Request {
	to.URL, to.Hops, to.Memo = to.URL+markBack, 0, note{as: asBack}.String()
	return to
}

// onTheWay is the context of such a visit.
func (r *run) onTheWay(ctx context.Context, req frontier.Request) context.Context {
	to := termsOf(ctx)
	to.back = func(next string) bool { return r.mayPass(ctx, req, next) }
	return to.within(ctx)
}

// mayPass reports whether scope and robots.txt allow a URL that such a visit is led
// to. The first time round they were asked, but now it may be led elsewhere. What
// has been forgotten of a robots.txt since is loaded again; of a host that was not
// on the way then nothing is asked for here.
func (r *run) mayPass(ctx context.Context, req frontier.Request, next string) bool {
	req.Hops = 0 // it is the same circle, not a longer one
	if _, ok := r.followRedirect(req, next); !ok || r.robots == nil {
		return ok
	}
	e, known := r.robots.Peek(next)
	if !known && canon.Origin(next) == canon.Origin(req.URL) {
		var err error
		if e, err = r.robots.Load(ctx, next); err != nil {
			return false
		}
		known = true
	}
	return known && e.Allowed(next)
}

// followRedirect asks Follow about a redirect's target, as if its URL had stood
// in the page that the redirecting one was found on.
func (r *run) followRedirect(req frontier.Request, target string) (frontier.Request, bool) {
	before := req
	before.URL, before.Depth = req.Via, req.Depth-1
	if req.Via == "" {
		before.URL = req.URL
	}
	from := &Page{URL: before.URL, Response: &Response{Request: before, URL: before.URL}}
	next := onward(req, target)
	_, ok := r.Follow(from, Link{URL: target})
	return next, ok
}

// onward is the request for where req leads: as deep and as urgent as req. What
// is remembered of a URL is not of another.
func onward(req frontier.Request, target string) frontier.Request {
	next := req
	next.URL, next.Via, next.Hops, next.Attempt, next.Memo = target, req.URL, req.Hops+1, 0, ""
	return next
}

// unwanted tells pages that are not put: those that say so, and those that name
// another page as the one to index (rel=canonical). That one is visited then,
// if it was not already, so that each page is put once, under its right URL.
//
// A wrong rel=canonical must not lose the page, so it counts only where the
// target is of the same site and would be visited as a link. One that makes the home page out of any page is a fault in a template
// and does not count either. Where the target turns out not to be had, the page
// is visited once more and put, see [claim].
func (r *run) unwanted(page *Page, found []frontier.Request) verdict {
	req, resp := page.Response.Request, page.Response
	if page.NoIndex {
		return r.skipped(req, resp, SkipNoIndex, found)
	}
	to := r.canonical(page.URL, page.Canonical)
	if !r.isAlias(page, to) {
		return verdict{}
	}
	found = append(found, onward(req, to))
	hidden := 0
	if r.fates.of(to).kind != isAlive {
		found, hidden = append(found, claimFor(req, to, claim{of: req.URL})), 1
	}
	v := r.skipped(req, resp, SkipCanonical, found)
	v.Target, v.hidden = to, hidden
	return v
}

func (r *run) isAlias(page *Page, to string) bool {
	req := page.Response.Request
	if to == "" || to == page.URL || to == req.URL || req.Hops >= maxHops ||
		canon.Site(to) != canon.Site(page.URL) || isHome(to) && !isIndex(page.URL) {
		return false
	}
	if _, ok := r.Follow(page, Link{URL: to, Rel: "canonical"}); !ok {
		return false
	}
	if r.robots != nil {
		if e, known := r.robots.Peek(to); known && !e.Allowed(to) {
			return false
		}
	}
	return r.fates.of(to).kind != isDead && !r.fates.closesRing(req.URL, to)
}

// isHome reports whether a canonical URL is the root of its host.
func isHome(url string) bool { return strings.Count(url, "/") == 3 && strings.HasSuffix(url, "/") }

// isIndex reports whether a URL may well be another name of a host's root.
func isIndex(url string) bool {
	path, _, _ := strings.Cut(url, "?")
	if strings.Count(path, "/") != 3 {
		return false
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	return name == "" || strings.HasPrefix(name, "index") || strings.HasPrefix(name, "default") || strings.HasPrefix(name, "home")
}
