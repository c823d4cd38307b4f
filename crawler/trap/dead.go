package trap

import "net/http"

const (
	deadRun   = 96 // URLs in a row without a page, and one more for each page that was read, for a pattern to be held
	deadProbe = 32 // of a pattern that is held one URL in so many is visited
)

// answered notes whether there was a page for a URL; that a server has trouble says
// nothing of it. Only patterns that vary are counted: of others each URL is its own.
func (g *Guard) answered(url string, status int) {
	if status >= 500 || status == http.StatusTooManyRequests {
		return
	}
	var buf [256]byte
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.shape(url, buf[:0])
	if !s.open {
		return
	}
	h := g.host(s.host)
	dead := status == http.StatusNotFound || status == http.StatusGone || status == http.StatusForbidden
	p, _ := h.pattern(&s, dead)
	switch {
	case p == nil:
	case !dead:
		p.Dead = 0
	case !g.barren(p):
		p.Dead++
	}
}

// barren reports whether a pattern is held for its dead links, until one of its URLs
// has a page.
func (g *Guard) barren(p *pattern) bool {
	return p != nil && float64(p.Dead) >= deadRun*g.opt.Patience+float64(p.Pages)
}

// spared reports whether a URL is not visited because its pattern is held.
func (g *Guard) spared(h *host, s *shape) bool {
	p, _ := h.pattern(s, false)
	if !s.open || !g.barren(p) {
		return false
	}
	p.Dead++
	return p.Dead%deadProbe != 0
}
