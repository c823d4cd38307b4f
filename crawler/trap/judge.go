package trap

import (
	"strings"

	"github.com/webquarry/quarry/crawler"
)

// cutAt is the evidence at which a chain of links is followed no further.
const cutAt = 8

// maxRedirects is how many redirects in a row may lead from URL to URL of one
// pattern.
const maxRedirects = 3

const (
	mostChains = 4 // longer ones, before the pattern is closed
	ofRedirect = 2 // in place of a title's hash, which is odd: nothing but such a chain led to the URL
)

// refuses tells whether a URL is not to be visited, by what is known now. It was
// queued before if it is about to be fetched.
func (g *Guard) refuses(h *host, s *shape, url string, queued bool) (Reason, bool) {
	if h.Farm != nil && h.Farm.Verdict && max(h.Pages, h.Admitted) >= g.opt.FarmPages {
		return LinkFarm, true
	}
	if nested(url) {
		return Growing, true
	}
	p, _ := h.pattern(s, false)
	t := g.links.get(hashURL(url))
	if h.Words.Closed && t != nil && t.hops > 0 && (!s.open || t.evidence == repeating && (p == nil || p.Pages == 0)) {
		return Same, true
	}
	if !s.open {
		return "", false
	}
	if p != nil && p.closed() && !(p.listed() && t != nil && t.hops == 0) {
		return p.Reason, true
	}
	if t != nil && t.title == ofRedirect && !queued {
		return Redirects, true
	}
	if t != nil && g.cuts(h, s, t.evidence) {
		return s.reason(false), true
	}
	if h.claimed(g, url, queued) {
		return Parameter, true
	}
	return "", false
}

// suspect is by how much more the page weighs for the traps of its host. A month that
// leads to the next only may be one without events.
func (o *observed) suspect() float64 {
	if o.s.date && o.unseen <= 1 {
		return o.h.suspect(nil)
	}
	return o.h.suspect(&o.s)
}

// cuts reports whether a chain with this evidence is followed no further.
func (g *Guard) cuts(h *host, s *shape, evidence float32) bool {
	return float64(evidence)*h.suspect(s) >= cutAt*g.opt.Patience
}

// known returns the host of a URL if it was met.
func (g *Guard) known(url string) *host {
	at := strings.Index(url, "://")
	if at < 0 {
		return nil
	}
	if i := strings.IndexByte(url[at+3:], '/'); i >= 0 {
		url = url[:at+3+i]
	}
	return g.hosts[g.key(url)]
}

// reason names the trap that a URL of this shape is in.
func (s *shape) reason(same bool) Reason {
	switch {
	case s.repeats > 1:
		return Repeated
	case s.grown:
		return Growing
	case s.date:
		return Calendar
	case s.id:
		return Random
	case same:
		return Same
	}
	return Endless
}

// redirects reports whether Follow is asked about the target of a redirect.
func redirects(from *crawler.Page, link crawler.Link) bool {
	r := from.Response
	return r != nil && r.Status == 0 && r.Request.Hops >= maxRedirects && len(from.Links) == 0
}

// endless reports whether a redirect stays in the pattern that it came from. The chain
// is cut there, and closes the pattern only with others: one says little of the URLs
// that it does not lead to.
func (g *Guard) endless(from *crawler.Page, target string) bool {
	a, b := g.shape(from.URL, nil), g.shape(target, nil)
	if !a.open || a.host != b.host || string(a.text) != string(b.text) {
		return false
	}
	h := g.host(b.host)
	if hash := hashURL(target); g.links.get(hash) == nil {
		g.links.put(hash, trace{title: ofRedirect})
	}
	if p, _ := h.pattern(&b, true); p != nil && !p.closed() && !p.proven() {
		if p.Chains++; p.Chains == 1 {
			h.Traps++
		}
		if float64(p.Chains) >= mostChains*g.opt.Patience {
			h.close(p, Redirects)
		}
	}
	return true
}

// What a page that brings nothing new weighs as evidence of a trap.
const (
	weighSame   = 3       // it says what another of its pattern says
	weighTitle  = 1       // it has the title of the one before
	weighRepeat = 2       // its path says the same three times in a row, or its query holds others
	weighUnseen = 1       // all of its family that it links to is unseen
	weighBranch = 1       // several of them are, some links into the family
	weighFacets = 1       // and are combinations of parameters
	weighID     = 1       // there is an id in its URL
	weighDate   = 1       // there is a date in its URL
	weighTwice  = 1.0 / 4 // nothing speaks against it but a title and a path that says the same twice
	weighAlone  = 1.0 / 64
	weighText   = 1.0 / 256 // that, where each page has a text of its own
	weighStray  = 1.0 / 8   // a page with the title of others and a text of its own, that leads to new ids of another pattern, as a shop's pages do until all of it is known

	shortText = 12 // words, for texts that are the same to say something
	ownText   = 30 // words, for one to be that of a page that somebody wrote
)

// goesOn reports whether a page with a text of its own leads to one more of its kind by
// parameters alone, as those of a long thread do.
func (o *observed) goesOn() bool {
	s := o.s
	s.names = 1
	return o.unseen == 1 && !o.same && o.print.Words >= ownText && !s.suspicious()
}

// weight is the evidence of a stale page. Numbered URLs under one title, and
// nothing else, may be the pages of a slide show or the chapters of a book as well
// as a trap; so may those with titles of their own and next to no text.
func (o *observed) weight() float64 {
	w := 0.0
	if o.s.repeats >= 3 || o.s.grown {
		w += weighRepeat
	}
	if o.family > 0 && o.unseen == o.family && (o.family > 1 || w > 0) {
		w += weighUnseen
	}
	if o.unseen > 1 && o.hops > 1 {
		w += weighBranch
	}
	if o.unseen > 1 && o.s.names > 1 {
		w += weighFacets
	}
	if o.s.id {
		w += weighID
	}
	if o.s.date {
		w += weighDate
	}
	short := o.print.Words < shortText && !o.titled
	switch {
	case o.same && !short:
		w += weighSame
		if o.titled {
			w += weighTitle
		}
	case w == 0 && o.h.Traps > 0 && o.unseen > 0 && o.s.suspicious() && !o.goesOn():
		w = weighTitle // one trap more than it has by now is likely
	case w == 0 && o.s.repeats > 1:
		w = weighTwice
	case w == 0 && !o.same && o.print.Words >= ownText:
		w = weighText
	case w == 0: // the same title, or the same few words under another
		w = weighAlone
	default:
		w += weighTitle
	}
	if o.s.date && o.unseen == 1 && o.s.repeats == 1 && !o.s.grown {
		w /= 6 // months without events cost little, and one may follow
	}
	return w
}
