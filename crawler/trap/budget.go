package trap

import "github.com/webquarry/quarry/crawler/dedup"

// pattern is what is known of the pages whose URLs fold to one text.
type pattern struct {
	lead
	budget
	Text    string
	Pages   int     `json:",omitempty"` // read
	Fresh   int     `json:",omitempty"` // of them that brought something new
	Seen    int     `json:",omitempty"` // URLs found
	Refused int     `json:",omitempty"` // of them
	Doubted int     `json:",omitempty"` // pages taken for fresh because they led to what nobody had read yet
	Reason  Reason  `json:",omitempty"` // of a pattern that is closed; empty: it is open
	Title   uint32  `json:",omitempty"` // hash of that of the last page
	Recent  []print `json:",omitempty"` // of the last pages
}

// budget is what the URLs of a pattern may still cost.
type budget struct {
	Credit float64 // what is left for pages that bring nothing new
	Held   float64 `json:",omitempty"` // to be taken from it if the family grows
	Chains int     `json:",omitempty"` // of redirects that were cut
	Dead   int     `json:",omitempty"` // URLs in a row that had no page, or were not asked for one
}

// lead is where the pages of a pattern that brought nothing new themselves led.
type lead struct {
	Led  int `json:",omitempty"` // pages that led to what may be new
	Sure int `json:",omitempty"` // of them, that led to what is
	Far  int `json:",omitempty"` // links from the last such page to what is new; 0: no page was
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
	mostHeld      = startCredit / 2
	mostCredit    = 256
	strayCredit   = 4 * startCredit // the most there is of it for pages that lead to ids of another pattern
	gain          = 4               // for a page that brought something new, or led there
	gainLead      = 1               // for one that led to what nobody has read yet
	benefit       = 16
	growing       = 3
	farthest      = 3
	latest        = 6 // levels of those
	patternsAHost = 1024
	patternsInAll = 1 << 17
	hostsInAll    = 4096
)

// proven reports whether most pages of a pattern brought something new.
func (p *pattern) proven() bool { return p.Pages > 0 && 2*p.Fresh > p.Pages }

// promising reports whether pages of the pattern are worth a visit now.
func (p *pattern) promising() bool { return p.Pages > 0 && 2*(p.Fresh+p.Led) > p.Pages }

// far is how many links it is from the pattern to what is new, if most of its
// pages are, or lead there: 0 for itself. ok is false for others, and where it is
// too far: patterns that lead to each other must not speak for each other.
func (p *pattern) far() (links int, ok bool) {
	switch {
	case p.proven():
		return 0, true
	case p.Pages > 0 && 2*(p.Fresh+p.Sure) > p.Pages && p.Far > 0:
		return p.Far, p.Far <= farthest
	}
	return 0, false
}

func (p *pattern) closed() bool { return p.Reason != "" }

// listed reports whether the URLs of a closed pattern that other pages link to are
// read all the same, and only what the pattern makes up itself is not: the goods of
// a shop are alike, and its categories list them; a page links to the month that it
// is of.
func (p *pattern) listed() bool {
	return p.Reason == Same || p.Reason == Endless || p.Reason == Calendar
}

// family is what is known of the patterns that vary below one path. A trap grows:
// its pages lead to ever more of its kind. The pages of a site link to each other.
type family struct {
	Growth int // pages that brought nothing new so far but unseen links to the family, less twice those that did
}

// growing reports whether a family grows without bringing anything new.
func (f *family) growing() bool { return f != nil && f.Growth >= growing }

// host is what is known of an origin.
type host struct {
	Patterns map[string]*pattern
	Families map[string]*family
	Params   map[string]*param
	shapeless
	Pages    int // read
	Admitted int // URLs fetched, by Fetcher
	Closed   int // patterns, and parameters that make no difference
	Traps    int `json:",omitempty"` // of the patterns, for more than saying the same
	Farm     *farm

	bases map[uint64]answer
	used  int64
	all   *int // patterns of all hosts
}

// shapeless is what is known of URLs beyond their patterns.
type shapeless struct {
	Words    words
	Combined map[string]int `json:",omitempty"` // sets of two parameters or more, by path
}

// close closes a pattern.
func (h *host) close(p *pattern, why Reason) {
	p.Reason = why
	h.Closed++
	if why != Same && why != Redirects { // that is counted with the first chain
		h.Traps++
	}
}

// mostSuspect bounds by how much more a page weighs on a host that has traps, and
// mostShaped where its URL looks like that of one as well.
const (
	mostSuspect = 7
	mostShaped  = 16
	manyTraps   = 2 // on a host with so many a pattern is not taken for new because another of its family is
)

// suspect is by how much more a page that brings nothing new weighs: who made one
// trap has mostly made others, and hosts without any go unharmed.
func (h *host) suspect(s *shape) float64 {
	if s.suspicious() {
		return float64(min(1+5*h.Traps, mostShaped))
	}
	return float64(min(1+2*h.Traps, mostSuspect))
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
	p = &pattern{Text: string(s.text), budget: budget{Credit: startCredit}}
	h.Patterns[p.Text] = p
	if s.names > 1 {
		h.combine(string(s.text[:s.asked]))
	}
	*h.all++
	return p, true
}

// combine counts a set of parameters of a path.
func (h *host) combine(path string) {
	if h.Combined == nil {
		h.Combined = make(map[string]int)
	}
	if _, known := h.Combined[path]; known || len(h.Combined) < patternsAHost {
		h.Combined[path]++
	}
}

// family returns that of a shape, nil if there are too many.
func (h *host) family(s *shape) *family {
	f := h.Families[string(s.text[:s.root])]
	if f == nil && len(h.Families) < patternsAHost {
		if h.Families == nil {
			h.Families = make(map[string]*family)
		}
		f = new(family)
		h.Families[string(s.text[:s.root])] = f
	}
	return f
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
		g.meet(origin)
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
