package crawler

import (
	"cmp"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/internal/fetch"
	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// redirected makes a redirect's target a request of its own, so that scope,
// robots.txt, pace and the URLs already seen hold for every hop. The cookies that were
// set on the way go along, see [fetch.Trail].
func (r *run) redirected(req frontier.Request, known note, resp *Response) verdict {
	if resp.Location == req.URL && req.Variant == "" {
		return r.redirectedToItself(req, known, resp)
	}
	next, ok := r.followRedirect(req, resp.Location)
	on := note{way: known.wayOn(req), trail: known.trail.After(resp.URL, resp.Header)}
	ask, special := AskOf(req)
	if special && ok {
		onwards, may := fetch.Ask(ask).Redirected(resp.Status, req.URL, next.URL, false)
		if !may {
			return r.failed(req, nil, &FetchError{URL: req.URL, Kind: ErrRedirect, Status: resp.Status, Err: errAskElsewhere})
		}
		next, _ = Ask(onwards).On(next)
		if next.URL == req.URL && next.Variant == req.Variant {
			return r.redirectedToItself(req, known, resp)
		}
	}
	switch {
	case resp.Location == "":
		return r.failed(req, nil, &FetchError{URL: req.URL, Kind: ErrRedirect, Status: resp.Status, Err: errNoLocation})
	case next.Hops > maxHops, len(on.way) > maxHops*wayHash:
		return r.failed(req, nil, &FetchError{URL: req.URL, Kind: ErrRedirectTooMany, Hops: []string{req.Via}})
	case !ok:
		v := r.skipped(req, resp, SkipScope, nil)
		v.Target = resp.Location
		return v
	}
	with := requestOf(next, on.trail)
	if onWay(on.way, with) || with == next.URL && req.Variant == "" && r.fates.circle(req, next.URL) {
		return r.failed(req, nil, &FetchError{URL: req.URL, Kind: ErrRedirectLoop, Hops: []string{next.URL}})
	}
	to := next
	to.Meta = on.on(to.Meta)
	found := []frontier.Request{to}
	if on.trail != "" && next.Variant == "" {
		found = append(found, r.bringCookies(next, on)...)
	}
	v := r.skipped(req, resp, SkipRedirect, found)
	v.Target, v.hidden = resp.Location, len(found)-1
	return v
}

// bringCookies returns what it takes to bring the cookies of redirects to a page that
// may be known already. Where they may open it, it is visited once more; where it led
// on, they go on; and where it was not visited yet, that is decided later, as it may
// have been found before, and will be visited without them then.
func (r *run) bringCookies(to frontier.Request, on note) []frontier.Request {
	for range maxHops {
		with := on.trail.To(to.URL, false)
		f := r.fates.of(to.URL)
		switch {
		case with != to.URL && (f.opensWith(with) || onWay(on.way, to.URL)):
			return []frontier.Request{withCookies(to, on)}
		case f.kind == isPending:
			return []frontier.Request{claimFor(to, to.URL, claim{of: with, trail: on.trail})}
		case f.kind != hasMoved || f.to == to.URL:
			return nil
		}
		to = onward(to, f.to)
	}
	return nil
}

// redirectedToItself is the verdict on a redirect to a URL that is the page's own, or
// that canonicalisation makes so: the site wants a cookie, a parameter for its
// statistics, or a session in the URL. The next visit of the page asks for that URL.
func (r *run) redirectedToItself(req frontier.Request, known note, resp *Response) verdict {
	asked := known.target(req).URL
	at := cmp.Or(fetch.AsWritten(resp.URL, cmp.Or(fetch.Location(resp.Header), resp.Location)), req.URL)
	on := note{at: at, trail: known.trail.After(resp.URL, resp.Header)}
	sent := known.trail.To(asked, true)
	on.way = known.way + string(hashOf(sent))
	next := on.trail.To(on.at, true)
	switch {
	case next == sent, onWay(on.way, next), len(on.way) > fetch.SelfHops*wayHash:
		return r.failed(req, nil, &FetchError{URL: req.URL, Kind: ErrRedirectLoop, Hops: []string{on.at}})
	}
	v := verdict{Event: Event{Kind: resting}, out: frontier.Outcome{Again: time.Now()}, attempt: req.Attempt, bytes: wireBytes(resp), on: on}
	witness(&v.out, resp)
	return v
}

// spent is the request that takes the place of the one of withCookies when a page was
// visited with its cookies already, so that it is not visited with them once more.
func spent(req frontier.Request, known note) frontier.Request {
	req = withCookies(req, note{trail: known.trail})
	req.Meta = note{as: asBack}.on(keys.Onward(req.Meta))
	return req
}

// wayHash is the size of a hash on a way.
const wayHash = 8

// wayOn is the way of the request that a redirect of this one leads to.
func (n note) wayOn(req frontier.Request) string {
	return n.way + string(hashOf(requestOf(req, n.trail)))
}

// requestOf tells apart requests by their URL, the cookies of redirects and the Variant.
func requestOf(req frontier.Request, t fetch.Trail) string {
	this := t.To(req.URL, false)
	if req.Variant != "" {
		this += "\n" + req.Variant
	}
	return this
}

// onWay reports whether a request is among those of which a note has the hashes.
func onWay(way, request string) bool {
	h := string(hashOf(request))
	for ; way != ""; way = way[wayHash:] {
		if way[:wayHash] == h {
			return true
		}
	}
	return false
}

// withCookies is the request for a page that was visited already, to visit it once more
// now that redirects led to it with cookies: a site may want them before it shows the
// page.
func withCookies(to frontier.Request, on note) frontier.Request {
	with := on.trail.To(to.URL, false)
	on.as = asBack
	to.Variant, to.Meta = keys.Cookies+hex.EncodeToString(hashOf(with)), on.on(keys.Onward(to.Meta))
	return to
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

// onward is the request for where req leads: as deep and as urgent as req, and with the
// values that came with it, but for what is remembered of its URL.
func onward(req frontier.Request, target string) frontier.Request {
	next := req
	next.URL, next.Variant, next.Via, next.Hops, next.Attempt = target, "", req.URL, req.Hops+1, 0
	next.Meta = keys.Onward(req.Meta)
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
func (r *run) unwanted(page *Page, found []frontier.Request, as role) verdict {
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
	if r.fates.of(to).kind != isAlive && as != asClaim { // a claim is of another page: what is owed to this one its own visit sees to
		found, hidden = append(found, claimFor(req, to, claim{of: req.URL})), 1
	}
	v := r.skipped(req, resp, SkipCanonical, found)
	v.Target, v.hidden = to, hidden
	return v
}

func (r *run) isAlias(page *Page, to string) bool {
	req := page.Response.Request
	if to == "" || req.Variant != "" || to == page.URL || to == req.URL || req.Hops >= maxHops ||
		urlnorm.Site(to) != urlnorm.Site(page.URL) || isHome(to) && !isIndex(page.URL) {
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

var (
	errNoLocation   = errors.New("no Location, or none that is an http URL")
	errAskElsewhere = errors.New("its method and body may not go to another origin")
)
