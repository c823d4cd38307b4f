package crawler

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler/internal/fetch"
	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
)

// A page that names another as the one to index (rel=canonical) gives way to it, and
// is done as far as the Frontier is concerned. If the other turns out not to be had,
// the page is to be put after all. That is not known yet, and may not be before the
// run is interrupted, or become known to another Crawler on the same Frontier. So
// what is owed to the page is a request of its own, a claim: it waits for the other
// page as a variant of that one's URL, which tells claims apart. Whoever
// gets it looks up what became of the other page. Mostly that is known, and nothing is
// asked for. Where it is not, the claim waits until all else of the host was visited,
// and then the other page is asked for once more.
//
// What a claim finds is passed on as requests: the claim for the page that this one
// leads to in turn, or that for the first page, to be put whatever it names. Of pages
// that give way to each other in a ring the one with the greatest URL is put.
//
// To the Frontier such requests are variants of a URL; the note says what each is for.

// role says what a request is for.
type role byte

const (
	asItself role = iota
	asPage        // the page is put, whatever it names as canonical
	asBack        // redirects led to the page once more, see withCookies
	asClaim       // what became of the page is to be found out for another
)

// claim is what a note says of a claim.
type claim struct {
	of      string      // URL of the page that gave way; where there is a trail, what tells apart claims for the page itself
	trail   fetch.Trail // the page is visited with these cookies if it is not to be had without
	way     string      // pages that led on to the present one, [wayStep] bytes each: a hash, and 1 for rel=canonical or 0 for a redirect
	greater bool        // one of those of rel=canonical has a greater URL than the page
	late    bool        // it waits until all else of its host was visited
}

// A way has at most so many steps. The pages of a ring that is larger are all put.
const (
	wayStep = 9
	maxWay  = 64
)

// again is the request to visit a page once more and put it.
func again(req frontier.Request) frontier.Request {
	req.Variant, req.Hops, req.Attempt, req.Meta = keys.Own, 0, 0, note{as: asPage}.on(keys.Onward(req.Meta))
	return req
}

// claimFor is the request to find out what becomes of a page that another gave way to.
func claimFor(page frontier.Request, to string, c claim) frontier.Request {
	page.URL, page.Variant = to, keys.Claim+hex.EncodeToString(hashOf(c.of))
	page.Hops, page.Attempt, page.Meta = 0, 0, note{as: asClaim, claim: c}.on(keys.Onward(page.Meta))
	return page
}

// asVisited returns a request as everybody but the Frontier sees it.
func asVisited(req frontier.Request) frontier.Request {
	known := noteOn(req)
	if known.as != asItself {
		req.Variant = ""
	}
	if known.as == asPage {
		req.Hops = maxHops
	}
	req.Meta, req.Priority = req.Meta.Without(keys.Crawler), known.priorityOf(req)
	return req
}

// fate is what became of a URL.
type fate struct {
	kind fateKind
	at   time.Time
	to   string // where it led
	with uint64 // hash of the request, if there were cookies of redirects in it
	shut bool   // cookies may open it
}

type fateKind uint8

const (
	isPending   fateKind = iota
	isAlive              // there is a page, or it is known not to be wanted
	isDead               // there is none
	hasMoved             // to another URL
	hasGivenWay          // to another page
)

// fateOf is what an event tells of its URL.
func fateOf(e Event) fate {
	switch {
	case e.Kind == Retrying, e.Kind == resting:
		return fate{}
	case e.Reason == SkipRedirect:
		return fate{kind: hasMoved, to: e.Target, shut: true}
	case e.Reason == SkipCanonical:
		return fate{kind: hasGivenWay, to: e.Target}
	case e.Kind == Failed, e.Reason == SkipRobots, e.Reason == SkipScope, e.Reason == SkipType:
		fe, ok := errors.AsType[*FetchError](e.Err)
		return fate{kind: isDead, shut: ok && (fe.Kind == ErrStatus && fe.Status < 500 || fe.Kind == ErrRedirectLoop)}
	}
	return fate{kind: isAlive}
}

// opensWith reports whether a URL may be a page if it is asked for with cookies, as it
// was not yet. The request is that of [fetch.Trail.To].
func (f fate) opensWith(request string) bool { return f.shut && f.with != xxh3.HashString(request) }

// maxFates is how many URLs are remembered at least, and twice as many at most.
const maxFates = 1 << 17

// fates remembers what became of URLs lately. What is forgotten costs a claim a
// request.
type fates struct {
	mu         sync.Mutex
	young, old map[uint64]fate // by hashes of URLs
}

func (f *fates) note(url string, x fate) {
	if x.kind == isPending {
		return
	}
	x.at = time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.young == nil || len(f.young) >= maxFates {
		f.young, f.old = make(map[uint64]fate), f.young
	}
	f.young[xxh3.HashString(url)] = x
}

// of is what became of a URL; isPending where it is not known.
func (f *fates) of(url string) fate {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := xxh3.HashString(url)
	if x, ok := f.young[h]; ok {
		return x
	}
	return f.old[h]
}

// sameTime is how long before a visit was due another may have been made for both
// to be of one chain of redirects. Beyond that the other is of an earlier crawl, and
// its URL may be a page by now.
const sameTime = time.Hour

// circle reports whether a redirect of a URL leads back to it.
func (f *fates) circle(req frontier.Request, to string) bool {
	for range maxHops {
		next := f.of(to)
		switch {
		case to == req.URL:
			return true
		case next.kind != hasMoved, next.at.Before(req.Due.Add(-sameTime)), next.to == to:
			return false
		}
		to = next.to
	}
	return false
}

// closesRing reports whether a page that names another as canonical is the one to be
// put of those that give way to each other, as far as these are known.
func (f *fates) closesRing(page, to string) bool {
	for range maxHops {
		switch next := f.of(to); {
		case to == page:
			return true
		case next.kind == hasGivenWay && to > page, next.kind != hasGivenWay && next.kind != hasMoved:
			return false
		default:
			to = next.to
		}
	}
	return false
}

// visitClaim visits the page that a claim is for, if it has to.
func (r *run) visitClaim(ctx context.Context, req frontier.Request, known note, fetched func()) (v verdict, err error) {
	at := asVisited(req)
	switch f := r.fates.of(at.URL); {
	case f.kind != isPending:
		v = verdict{Event: Event{Kind: resting}}
		v.out.Unvisited, v.out.Found = true, r.settleClaim(at, known.claim, f)
		return v, nil
	case !known.claim.late:
		return verdict{Event: Event{Kind: resting}, attempt: req.Attempt, late: true, clear: known.clear,
			out: frontier.Outcome{Again: time.Now(), Unvisited: true}}, nil
	}
	v, err = r.visitPage(ctx, req, known, fetched)
	if err != nil {
		return v, err
	}
	f := fateOf(v.Event)
	r.fates.note(at.URL, f)
	if f.kind != isPending {
		v.out.Again = time.Time{}
		v.out.Found = append(v.out.Found, r.settleClaim(at, known.claim, f)...)
	}
	v.Event = Event{Kind: resting}
	v.late = true
	return v, nil
}

// settleClaim is what a claim leads to when it is known what became of the page that
// it is for. A page that gave way to one that gave way in turn is represented by that,
// whatever comes of it, unless all lead back to the first.
func (r *run) settleClaim(at frontier.Request, c claim, f fate) []frontier.Request {
	if c.trail != "" {
		on := note{trail: c.trail}
		switch {
		case f.opensWith(c.of) && c.of != at.URL:
			return []frontier.Request{withCookies(at, on)}
		case f.kind == hasMoved && f.to != at.URL:
			return r.bringCookies(onward(at, f.to), on)
		}
		return nil
	}
	page := at
	page.URL = c.of
	put := []frontier.Request{again(page)}
	_, represented := c.leadsBy("")
	switch {
	case len(c.way) >= maxWay*wayStep:
		return put
	case f.kind == isAlive, f.kind == isDead && represented:
		return nil
	case f.kind == isDead:
		return put
	}
	step := byte(0)
	if f.kind == hasGivenWay {
		step, represented = 1, true
		c.greater = c.greater || at.URL > c.of
	}
	c.way += string(append(hashOf(at.URL), step))
	ring, pages := c.leadsBy(f.to)
	switch {
	case f.to == c.of && !c.greater, !represented && (ring || isHome(f.to) && !isIndex(c.of)):
		return put
	case f.to == c.of, ring && pages:
		return nil
	}
	c.late = false
	return []frontier.Request{claimFor(page, f.to, c)}
}

// leadsBy reports whether a URL is on the way of a claim, and whether any page from
// there on gave way to another. The empty URL stands for the start.
func (c claim) leadsBy(url string) (found, pages bool) {
	found = url == ""
	hash := string(hashOf(url))
	for way := c.way; way != ""; way = way[wayStep:] {
		found = found || way[:wayStep-1] == hash
		pages = pages || found && way[wayStep-1] == 1
	}
	return found, pages
}

func hashOf(url string) []byte {
	return binary.BigEndian.AppendUint64(nil, xxh3.HashString(url))
}

// last is the priority of claims that wait for all else of their host.
const last = -math.MaxFloat64
