package trap

import "fmt"

// Reason says what kind of trap a URL is in.
type Reason string

// The kinds of traps.
const (
	Repeated  Reason = "repeated segments"     // the path says the same again and again
	Growing   Reason = "growing query"         // queries that hold earlier queries
	Calendar  Reason = "calendar"              // dates without end
	Random    Reason = "ids without end"       // session ids and other parts drawn by lot
	Same      Reason = "same content"          // pages that say what others of the pattern say
	Endless   Reason = "links without end"     // pages under one title that lead nowhere else
	Parameter Reason = "parameter of no use"   // the URL differs from a known one in what makes no difference
	Redirects Reason = "redirects without end" // a chain of redirects within one pattern
	Dead      Reason = "dead links"            // many URLs of the pattern in a row have no page
	LinkFarm  Reason = "link farm"             // the budget of a host of a link farm is spent
	Hosts     Reason = "hosts without end"     // hosts of the registrable domain say the same, or are as many as are read
)

// A Verdict is what a [Guard] thinks of a URL.
type Verdict struct {
	Refused bool
	Reason  Reason // of what is refused
	Pattern string // that the URL folds to, with its host
	Pages   int    // of the pattern that were read; of a host of a link farm, all; of a domain with hosts without end, those
	Fresh   int    // of them that brought something new
	Budget  int    // pages of the pattern that may still bring nothing new, at the usual price
	Hops    int    // links within the pattern's family on the way to the URL, as far as known
}

// String says it in one line.
func (v Verdict) String() string {
	if v.Refused {
		return fmt.Sprintf("trap: refused: %s: %s (%d pages read, %d brought something new, %d links deep)", v.Reason, v.Pattern, v.Pages, v.Fresh, v.Hops)
	}
	return fmt.Sprintf("trap: allowed: %s (%d pages read, %d brought something new, budget %d)", v.Pattern, v.Pages, v.Fresh, v.Budget)
}

// Explain tells what is thought of a URL. ok is false where nothing is known:
// of a host that was not met, or a pattern of which no page was read.
func (g *Guard) Explain(url string) (v Verdict, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.shape(url, nil)
	h := g.hosts[s.host]
	if g.crowded(url) {
		return Verdict{Refused: true, Reason: Hosts, Pattern: g.site(originOf(url)), Pages: g.domains[g.site(originOf(url))].Hosts}, true
	}
	if h == nil {
		return Verdict{Refused: nested(url), Reason: map[bool]Reason{true: Growing}[nested(url)], Pattern: s.host + string(s.text)}, nested(url)
	}
	v.Pattern = s.host + string(s.text)
	p, _ := h.pattern(&s, false)
	if p != nil {
		v.Pages, v.Fresh, v.Budget = p.Pages, p.Fresh, int(max(p.Credit, 0))
	}
	if t := g.links.get(hashURL(url)); t != nil {
		v.Hops = int(t.hops)
	}
	if v.Reason, v.Refused = g.refuses(h, &s, url, false); v.Reason == LinkFarm {
		v.Pattern, v.Pages, v.Fresh = s.host+"/", h.Pages, 0
	} else if !v.Refused && g.barren(p) {
		v.Reason, v.Refused = Dead, true
	}
	return v, v.Refused || p != nil && p.Pages > 0
}

// Why is [Guard.Explain] in one line, and empty where there is nothing to say. With
// it a Guard is a Judge of package monitor.
func (g *Guard) Why(url string) string {
	if v, ok := g.Explain(url); ok {
		return v.String()
	}
	return ""
}

// Refused is the error of a URL that is not fetched. A Crawler counts it as
// skipped, with the reason "trap".
type Refused struct {
	URL    string
	Reason Reason
}

func (e *Refused) Error() string { return fmt.Sprintf("trap: %s: %s", e.URL, e.Reason) }

// SkipReason makes the URL skipped, not failed.
func (e *Refused) SkipReason() string { return "trap" }
