package trap

import "github.com/webquarry/quarry/crawler/dedup"

// pattern is what is known of the pages whose URLs fold to one text.
type pattern struct {
	Text    string
	Pages   int     // read
	Fresh   int     // of them that brought something new
	Credit  float64 // what is left of the budget
	Refused int     // URLs
	Doubted int     // pages taken for fresh because they led to what nobody had read yet
	Reason  Reason  // of a pattern that is closed; empty: it is open
	Title   uint32  // hash of that of the last page
	Recent  []print // of the last pages
}

// print is what is kept of a text.
type print struct {
	Exact, Sim uint64
	Words      int
}

func printOf(f dedup.Fingerprint) print { return print{f.Exact, f.Sim, f.Words} }

// near is how many bits the SimHashes of pages may differ that say the same.
const near = 3

// says reports whether a text is that of q, or nearly.
func (p print) says(q print) bool {
	a, b := dedup.Fingerprint{Exact: p.Exact, Sim: p.Sim, Words: p.Words}, dedup.Fingerprint{Exact: q.Exact, Sim: q.Sim, Words: q.Words}
	return a.Near(b, near)
}

const (
	recentPages   = 8
	startCredit   = 16
	mostCredit    = 256
	gain          = 4 // for a page that brought something new
	gainLead      = 1 // for one that only led to it
	benefit       = 16
	patternsAHost = 1024
	patternsInAll = 1 << 17
	hostsInAll    = 4096
)

// proven reports whether most pages of a pattern brought something new.
func (p *pattern) proven() bool { return p.Pages > 0 && 2*p.Fresh > p.Pages }

func (p *pattern) closed() bool { return p.Reason != "" }

// host is what is known of an origin.
type host struct {
	Patterns map[string]*pattern
	Params   map[string]*param
	Pages    int
	Closed   int // patterns, and parameters that make no difference
	Farm     *farm

	bases map[uint64]answer
	used  int64
	all   *int // patterns of all hosts
}

// pattern returns that of a shape, nil if there was none and make is false or
// there are too many. fresh says that it is new.
func (h *host) pattern(s *shape, make bool) (p *pattern, fresh bool) {
	if p := h.Patterns[string(s.text)]; p != nil || !make {
		return p, false
	}
	if len(h.Patterns) >= patternsAHost && !h.forget() {
		return nil, false
	}
	p = &pattern{Text: string(s.text), Credit: startCredit}
	h.Patterns[p.Text] = p
	*h.all++
	return p, true
}

// forget drops some pattern that little is known of.
func (h *host) forget() bool {
	tries := 0
	for text, p := range h.Patterns {
		if p.Pages <= 1 && !p.closed() {
			delete(h.Patterns, text)
			*h.all--
			return true
		}
		if tries++; tries > 64 {
			break
		}
	}
	return false
}

// host returns what is known of an origin, forgetting the one that was not met
// for longest where there are too many.
func (g *Guard) host(origin string) *host {
	h := g.hosts[origin]
	if h == nil {
		for len(g.hosts) >= hostsInAll || g.patterns > patternsInAll && len(g.hosts) > 0 {
			g.forgetHost()
		}
		h = &host{Patterns: make(map[string]*pattern), all: &g.patterns}
		g.hosts[origin] = h
	}
	g.tick++
	h.used = g.tick
	return h
}

func (g *Guard) forgetHost() {
	oldest, found := "", false
	for name, h := range g.hosts {
		if !found || h.used < g.hosts[oldest].used {
			oldest, found = name, true
		}
	}
	g.patterns -= len(g.hosts[oldest].Patterns)
	delete(g.hosts, oldest)
}
