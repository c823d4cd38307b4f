package trap

import (
	"math/bits"
	"strings"

	"github.com/webquarry/quarry/crawler"
)

// A parameter makes no difference if pages whose URLs differ in nothing but its
// value say the same: session ids under names of their own, whence one came,
// how wide the screen is (Bar-Yossef, Keidar and Schonfeld, "Do not crawl in the
// DUST", WWW 2007). Of the URLs that differ in it only one is visited.
type param struct {
	Same   int // comparisons of pages that said the same
	Differ int // and that did not
	Bases  int // URLs without the parameter that were compared under
}

const (
	paramSame  = 4   // comparisons that make a parameter void, none of them to the contrary,
	paramBases = 2   // of so many pages
	paramsURL  = 6   // parameters of a URL that are looked at
	paramsHost = 64  // parameters of a host
	basesHost  = 512 // pages of a host that are kept to compare with
)

func (p *param) void() bool {
	return p.Differ == 0 && p.Same >= paramSame && p.Bases >= paramBases
}

// answer is what a page said under a URL without one of its parameters.
type answer struct {
	print    print
	to       uint64
	value    uint64
	compared bool
}

// eachParam calls yield with each parameter of a URL and the hash of the URL
// without it.
func eachParam(url string, yield func(name, value string, base uint64)) {
	path, query, ok := strings.Cut(url, "?")
	if !ok || len(query) > 1024 {
		return
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs[:min(len(pairs), paramsURL)] {
		name, value, _ := strings.Cut(pair, "=")
		if name == "" || len(name) > longName {
			continue
		}
		base := hashURL(path)
		for j, other := range pairs {
			if j != i {
				base = bits.RotateLeft64(base, 7) ^ hashURL(other)
			}
		}
		yield(name, value, base^bits.RotateLeft64(hashURL(name), 32))
	}
}

// leadsTo is a hash of the links of a page, in any order, without the parameters that its
// own URL has: pages of a list may say the same and lead to other goods.
func leadsTo(page *crawler.Page, url string) (all uint64) {
	_, own, _ := strings.Cut(url, "?")
	own = "&" + own
	for _, l := range page.Links {
		path, query, _ := strings.Cut(l.URL, "?")
		hash := hashURL(path)
		for pair := range strings.SplitSeq(query, "&") {
			name, _, _ := strings.Cut(pair, "=")
			if !strings.Contains(own, "&"+name+"=") {
				hash ^= hashURL(pair)
			}
		}
		all += hash | 1
	}
	return all
}

// tryParams compares a page with those whose URLs differ in one parameter.
func (g *Guard) tryParams(h *host, page *crawler.Page, url string, said print) {
	if said.Words == 0 || strings.IndexByte(url, '?') < 0 {
		return
	}
	to := leadsTo(page, url)
	eachParam(url, func(name, value string, base uint64) {
		if t := g.links.get(base); t == nil || t.later > 0 {
			g.links.put(base, trace{title: uint32(hashURL(url))})
		}
		before, known := h.bases[base]
		if !known {
			if h.bases == nil || len(h.bases) >= basesHost {
				h.bases = make(map[uint64]answer)
			}
			h.bases[base] = answer{print: said, to: to, value: hashURL(value)}
			return
		}
		if before.value == hashURL(value) {
			return
		}
		p := h.param(name)
		if p == nil {
			return
		}
		was := p.void()
		if !before.compared {
			p.Bases++
			before.compared = true
			h.bases[base] = before
		}
		if said.says(before.print) && to == before.to {
			p.Same++
		} else {
			p.Differ++
		}
		switch {
		case p.void() && !was:
			h.Closed++
		case was && !p.void():
			h.Closed--
		}
	})
}

func (h *host) param(name string) *param {
	p := h.Params[name]
	if p == nil && len(h.Params) < paramsHost {
		if h.Params == nil {
			h.Params = make(map[string]*param)
		}
		p = new(param)
		h.Params[name] = p
	}
	return p
}

// claimed reports whether another URL is visited in place of this one, which
// differs from it in a parameter that makes no difference; with read, whether it
// has been.
func (h *host) claimed(g *Guard, url string, read bool) (yes bool) {
	if len(h.Params) == 0 {
		return false
	}
	eachParam(url, func(name, _ string, base uint64) {
		if p := h.Params[name]; p != nil && p.void() {
			t := g.links.get(base)
			yes = yes || t != nil && t.title != uint32(hashURL(url)) && !(read && t.later > 0)
		}
	})
	return yes
}

// claim notes that this URL is visited in place of those like it.
func (h *host) claim(g *Guard, url string) {
	if len(h.Params) == 0 {
		return
	}
	eachParam(url, func(name, _ string, base uint64) {
		if p := h.Params[name]; p != nil && p.void() && g.links.get(base) == nil {
			g.links.put(base, trace{title: uint32(hashURL(url)), later: 1})
		}
	})
}
