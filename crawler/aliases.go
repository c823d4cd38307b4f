package crawler

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// A page that gave way to another (rel=canonical) is done as far as the Frontier
// is concerned. To visit it once more needs a URL that the Frontier does not
// know and that leads to the same page: that with an empty fragment. It is never
// canonical, and only ever in the Frontier: as the URL of such a visit, and as
// the Via of a page that others gave way to, by which the first of them is
// remembered over a restart.
const onceMore = "#"

// backAgain does the same for a page whose redirects led back to it, see [goBack].
const backAgain = "#>"

// maxAliases is how many pages that gave way, and how many dead ones, are
// remembered. Beyond that pages give way no longer.
const maxAliases = 1 << 17

// again is the request to visit a page once more and put it, whatever it names
// as canonical.
func again(req frontier.Request) frontier.Request {
	req.URL, req.Hops, req.Attempt, req.Memo = req.URL+onceMore, maxHops+1, 0, ""
	return req
}

// asVisited returns a request as everybody but the Frontier sees it.
func asVisited(req frontier.Request) frontier.Request {
	for _, mark := range [...]string{onceMore, backAgain} {
		if url, ok := strings.CutSuffix(req.URL, mark); ok && req.Hops > maxHops {
			req.URL, req.Hops = url, maxHops
		}
	}
	req.Via = strings.TrimSuffix(req.Via, onceMore)
	known := readNote(req.Memo)
	req.Memo, req.Priority = known.own, known.priorityOf(req)
	return req
}

// aliases remembers pages that gave way to others until it is known whether
// those can be had, and where URLs redirect to.
type aliases struct {
	mu      sync.Mutex
	to      map[string]string             // from page to page, to find circles
	waiting map[string][]frontier.Request // for a page, those that gave way to it
	dead    map[uint64]struct{}           // hashes of URLs without a page
	hops    map[uint64]hop                // by hashes of URLs that redirect
	seed    maphash.Seed
}

// hop is a redirect.
type hop struct {
	to     uint64 // hash of its target
	cookie bool   // it came with one
	at     time.Time
}

// sameTime is how long before a visit was due another may have been made for both
// to be of one chain of redirects. Beyond that the other is of an earlier crawl, and
// its URL may be a page by now.
const sameTime = time.Hour

func newAliases() aliases {
	return aliases{
		to: make(map[string]string), waiting: make(map[string][]frontier.Request), dead: make(map[uint64]struct{}),
		hops: make(map[uint64]hop), seed: maphash.MakeSeed(),
	}
}

// redirect notes a redirect. It reports whether that closes a circle, and whether
// any of those in it came with a cookie.
func (a *aliases) redirect(req frontier.Request, to string, cookie bool) (circle, cookies bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	begin, at := maphash.String(a.seed, req.URL), maphash.String(a.seed, to)
	if len(a.hops) < maxAliases {
		a.hops[begin] = hop{at, cookie, time.Now()}
	}
	for range maxHops {
		next, ok := a.hops[at]
		switch cookie = cookie || next.cookie; {
		case !ok, next.at.Before(req.Due.Add(-sameTime)):
			return false, false
		case next.to == at:
			return false, false // of a Fetcher of another make
		case at == begin:
			return true, cookie
		}
		at = next.to
	}
	return false, false
}

// arrived forgets the redirects of a URL that has none any more, and the one that
// led to it: it is of no circle.
func (a *aliases) arrived(url, via string) {
	at, from := maphash.String(a.seed, url), maphash.String(a.seed, via)
	delete(a.hops, at)
	if a.hops[from].to == at {
		delete(a.hops, from)
	}
}

// add notes that a page gives way to another. It is false, and notes nothing,
// where that is known not to be had, where it closes a circle, and where memory
// is full.
func (a *aliases) add(from frontier.Request, to string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.to) >= maxAliases || a.isDead(to) {
		return false
	}
	at := to
	for range maxHops {
		next, ok := a.to[at]
		if !ok {
			break
		}
		if at = next; at == from.URL {
			return false
		}
	}
	a.to[from.URL] = to
	a.waiting[to] = append(a.waiting[to], from)
	return true
}

func (a *aliases) isDead(url string) bool {
	_, dead := a.dead[maphash.String(a.seed, url)]
	return dead
}

// settle takes what became of a URL, and returns the visits that it owes to
// pages that gave way to it.
func (a *aliases) settle(req frontier.Request, e Event) (owed []frontier.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	waiting := a.waiting[e.URL]
	if e.Kind != Retrying && e.Kind != resting && e.Reason != SkipRedirect {
		a.arrived(e.URL, req.Via)
	}
	switch {
	case e.Kind == Retrying, e.Kind == resting:
		return nil
	case e.Reason == SkipRedirect, e.Reason == SkipCanonical:
		owed = a.moveOn(waiting, e.Target)
	case e.Kind == Failed, e.Reason == SkipRobots, e.Reason == SkipScope, e.Reason == SkipType:
		if len(a.dead) < maxAliases {
			a.dead[maphash.String(a.seed, e.URL)] = struct{}{}
		}
		owed = a.owe(waiting)
		if strings.HasSuffix(req.Via, onceMore) { // for all that is remembered after a restart
			first := req
			first.URL, first.Via = strings.TrimSuffix(req.Via, onceMore), ""
			owed = append(owed, again(first))
		}
	default:
		for _, from := range waiting {
			delete(a.to, from.URL)
		}
	}
	delete(a.waiting, e.URL)
	return owed
}

// moveOn has pages wait for another. One that this leads back to, one that the home
// page would be made of, and all if it is not to be had, need wait no longer.
func (a *aliases) moveOn(waiting []frontier.Request, to string) (owed []frontier.Request) {
	if len(waiting) == 0 {
		return nil
	}
	if a.isDead(to) {
		return a.owe(waiting)
	}
	for _, from := range waiting {
		if from.URL == to || isHome(to) && !isIndex(from.URL) {
			owed = append(owed, again(from))
		} else {
			a.waiting[to] = append(a.waiting[to], from)
		}
	}
	return owed
}

func (a *aliases) owe(waiting []frontier.Request) []frontier.Request {
	owed := make([]frontier.Request, 0, len(waiting)+1)
	for _, from := range waiting {
		owed = append(owed, again(from))
	}
	return owed
}
