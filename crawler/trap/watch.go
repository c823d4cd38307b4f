package trap

import (
	"math/bits"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
)

// observed is a page under examination.
type observed struct {
	page   *crawler.Page
	s      shape
	h      *host
	p      *pattern
	print  print  // where there is a pattern
	exact  uint64 // hash of the text, where there is none
	title  uint32
	hops   uint16
	before float32 // evidence of the chain that led here
	signs
}

// signs are what a page says for or against its pattern.
type signs struct {
	same   bool // it says what another page of its pattern says
	titled bool // it has the title of the page before
	leads  bool // to something that may be new, outside of its pattern
	far    int  // links to what is new, 1 for a link to it; 0: not known
	family int  // links to URLs of its family
	unseen int  // of them that nobody linked to before
	away   int  // and have another path than the page
	stray  int  // such links from id to id of another pattern, by a page that says what others say or has their title
}

// watch takes note of a page and of its links, before Follow is asked about them.
func (g *Guard) watch(page *crawler.Page, resp *crawler.Response) {
	o := &observed{page: page}
	url := resp.Request.URL
	g.mu.Lock()
	o.s = g.shape(url, nil)
	known := g.hosts[o.s.host]
	first := known == nil || known.Pages == 0
	g.mu.Unlock()
	var says print
	if first {
		says = firstOf(page, originOf(url))
	}
	if o.s.open {
		o.print = printOf(dedup.Of(page.Text))
	} else {
		o.exact = xxh3.HashString(page.Text)
	}
	if page.Title != "" {
		o.title = uint32(xxh3.HashString(page.Title)) | 1
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	o.h = g.host(o.s.host)
	if o.h.Pages++; first && o.h.Pages == 1 {
		g.meetHost(originOf(url), says)
	}
	parent := uint32(0)
	if t := g.links.get(hashURL(url)); t != nil {
		o.hops, o.before, parent = t.hops, max(t.evidence, 0), t.title
		t.evidence = max(t.evidence, 0)
	} else {
		g.seen.add(hashURL(url))
		g.links.put(hashURL(url), trace{})
	}
	if o.s.open {
		o.p, _ = o.h.pattern(&o.s, true)
	}
	switch {
	case !o.s.open:
		o.compareWords(parent)
	case o.p != nil:
		o.compare(parent)
		g.tryParams(o.h, page, url, o.print)
	}
	g.walk(o)
	g.farmed(o)
	g.store.tick(g)
}

// compare holds a page against the last ones of its pattern.
func (o *observed) compare(parent uint32) {
	p := o.p
	for _, q := range p.Recent {
		o.same = o.same || (o.print.Words > 0 || q.Words == 0) && o.print.says(q)
	}
	o.titled = o.title != 0 && (o.title == parent || p.Pages > 0 && o.title == p.Title)
	if len(p.Recent) == recentPages {
		copy(p.Recent, p.Recent[1:])
		p.Recent = p.Recent[:recentPages-1]
	}
	p.Recent = append(p.Recent, o.print)
	p.Title = o.title
	p.Pages++
}

// walk looks at the links of a page, settles what the page is evidence of, and
// leaves a trace at each link.
func (g *Guard) walk(o *observed) {
	var few [256]uint64
	fresh := few[:0] // links of the family, whose trace is known at the end
	var buf [256]byte
	own := hashURL(o.page.Response.Request.URL)
	path, query, _ := strings.Cut(o.page.Response.Request.URL, "?")
	for _, l := range o.page.Links {
		if l.NoFollow || !g.sameHost(o, l.URL) {
			continue
		}
		hash := hashURL(l.URL)
		if g.links.get(hash) != nil || !g.seen.add(hash) {
			if o.p != nil && hash != own && o.inFamily(g.shape(l.URL, buf[:0])) {
				o.family++
			}
			continue
		}
		s := g.shape(l.URL, buf[:0])
		later := o.lead(&s)
		kin := o.p != nil && s.open && o.relative(&s)
		above := o.above(&s)
		if !o.s.open && (!s.open || o.same) {
			g.links.put(hash, o.word())
			continue
		}
		if !kin && !above {
			later = min(later, 1) // others list it, and may before its own kind is refused
		}
		t := trace{later: later}
		if above {
			t.title = o.title
		}
		g.links.put(hash, t)
		if kin {
			o.family++
			o.unseen++
			if at, _, _ := strings.Cut(l.URL, "?"); at != path {
				o.away++
			}
			fresh = append(fresh, hash)
		} else if later > 0 && (o.same || o.titled) && o.s.id && s.id {
			o.stray++
		}
	}
	if !o.s.open {
		g.settleWords(o, own)
	}
	if o.away == 0 && (o.unseen > 0 || query != "") { // an id or a date that all of them have in their path is not what varies
		q := shapeOf(o.s.host+"/?"+query, nil)
		o.s.id, o.s.date = o.s.id && q.id, o.s.date && q.date
	}
	evidence := g.settle(o)
	for _, hash := range fresh {
		if t := g.links.get(hash); t != nil {
			t.title, t.evidence, t.hops, t.later = o.title, evidence, o.hops+1, max(t.later, levelOf(evidence))
		}
	}
}

// outside reports whether a page links to a URL of another family, and is itself of
// no pattern that is closed. A path that repeats itself has no outside.
func (g *Guard) outside(from *crawler.Page, url string) bool {
	if from.Response == nil {
		return false
	}
	a, b := g.shape(from.Response.Request.URL, nil), g.shape(url, nil)
	if !a.open && g.repeats(from.Response.Request.URL) {
		return false
	}
	if o := (observed{s: a}); b.repeats > 1 || o.relative(&b) {
		return false
	}
	if h := g.known(from.Response.Request.URL); h != nil && a.open {
		p, _ := h.pattern(&a, false)
		return p == nil || !p.closed()
	}
	return true
}

// relative reports whether a shape is of the family of the page.
func (o *observed) relative(s *shape) bool {
	return s.host == o.s.host && string(s.text[:s.root]) == string(o.s.text[:o.s.root])
}

// above reports whether the page lies where the family of a shape begins.
func (o *observed) above(s *shape) bool {
	n := s.root
	return s.open && n > 1 && len(o.s.text) > n && (o.s.text[n] == '/' || o.s.text[n-1] == '/') && s.host == o.s.host && string(o.s.text[:n]) == string(s.text[:n])
}

func (o *observed) inFamily(s shape) bool { return s.open && o.relative(&s) }

// lead notes that the page links to a URL that was not seen before. Whether
// there is something new is told by the pages of its pattern; where none was
// read yet, a pattern has the benefit of the doubt, for a number of its pages.
// later says how many URLs of the pattern are to be read before this one: each
// level has as many as all below it.
func (o *observed) lead(s *shape) (later uint8) {
	if !s.open {
		o.leads = true
		return 0
	}
	q, created := o.h.pattern(s, true)
	switch {
	case q == nil:
		o.leads = true
		return 0
	case q == o.p:
	case created:
		o.leads = o.leads || o.p == nil || !o.relative(s) || o.h.Traps < manyTraps && !o.h.Families[string(s.text[:s.root])].growing()
	case q.Pages == 0 && o.p != nil && float64(o.p.Doubted)*o.h.suspect(nil) < benefit && !o.leads:
		o.p.Doubted++
		o.leads = true
	}
	if links, ok := q.far(); ok && q != o.p && (o.far == 0 || links+1 < o.far) {
		o.leads, o.far = true, links+1
	}
	q.Seen++
	if q.promising() {
		return 0
	}
	level := bits.Len(uint(q.Seen - 1))
	if s.suspicious() && !s.date {
		level++
	}
	return uint8(min(level, latest))
}

// settle adds a page to what is known of its pattern and returns the evidence
// of the chain so far.
func (g *Guard) settle(o *observed) float32 {
	p := o.p
	if p == nil {
		return 0
	}
	f := o.h.family(&o.s)
	if f == nil || g.seen.full() {
		return 0
	}
	defer o.collect(f)
	most := mostCredit * g.opt.Patience
	switch {
	case !o.same && !o.titled:
		if p.Fresh++; p.Pages > 1 { // the first has nothing to be held against
			p.Credit = min(p.Credit+gain, most)
		}
		f.Growth = max(f.Growth-2, 0)
		return 0
	case o.leads:
		p.Led++
		p.Credit = min(p.Credit+gainLead, most)
		if o.far > 0 {
			p.Sure++
			p.Far = o.far // now: patterns that lead to each other get ever farther
			p.Credit = min(p.Credit+gain-gainLead, most)
		} else if o.unseen > 0 {
			f.Growth++ // it is not settled yet, and what it led to will tell
		}
		return 0
	case o.stray > 0 && o.unseen == 0 && !o.same:
		p.Credit = min(p.Credit, strayCredit*g.opt.Patience) - weighStray*o.h.suspect(nil)/g.opt.Patience
		return 0
	case o.unseen > 0, o.stray > 0:
		f.Growth++
	}
	w := o.weight()
	if p.proven() {
		w /= 8 // some pages are alike everywhere
	}
	cost := w * o.suspect() / g.opt.Patience
	if o.hops == 0 {
		cost /= 2 // it was not this pattern that made it up
	}
	if o.unseen == 0 && o.stray == 0 && !f.growing() {
		p.Held = min(p.Held+cost, mostHeld) // the family seems to have an end
		p.Credit = max(p.Credit, min(p.Credit+gainLead, startCredit))
		return 0
	}
	p.Credit -= cost
	evidence := o.before + float32(w)
	if g.cuts(o.h, &o.s, evidence) {
		f.Growth = max(f.Growth, growing) // it would go on
	}
	return evidence
}

// collect takes what was held back from the budget of a pattern, once its family
// grows, and closes it where nothing is left.
func (o *observed) collect(f *family) {
	p := o.p
	if f.growing() {
		p.Credit -= p.Held
		p.Held = 0
	}
	if p.Credit <= 0 && !p.closed() {
		o.h.close(p, o.s.reason(o.same))
	}
}
