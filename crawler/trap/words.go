package trap

import "github.com/webquarry/quarry/crawler/dedup"

// words is what is known of the pages of a host whose URLs have no pattern, as there are
// only words in them. Each is its own, but a server that answers to any path, or to words
// however they are combined, shows: a page says what another did, was linked to by one of
// that kind, and links to what nobody had seen. Such pages share a budget. Once it is spent
// what only they link to is not visited.
type words struct {
	Credit float64
	Closed bool `json:",omitempty"`
	recent []said
	at     int // of recent, where the next goes
}

// said is what a page said. The rest of the print is there only where it has the title of
// the page before: the SimHash takes as long as all else.
type said struct {
	exact uint64
	print
}

const (
	recentWords = 32
	shortBytes  = 72 // of a text; that two so short are the same says nothing
	repeating   = -1 // in place of the evidence of a URL: its page said what another does
)

// compareWords holds a page against the last ones of its host.
func (o *observed) compareWords(parent uint32) {
	now := said{exact: o.exact}
	if o.titled = o.title != 0 && o.title == parent; o.titled {
		now.print = printOf(dedup.Of(o.page.Text))
	}
	w := &o.h.Words
	if w.Credit <= 0 && !w.Closed {
		w.Credit = startCredit // it is the first page
	}
	for _, q := range w.recent {
		if len(o.page.Text) < shortBytes {
			break
		}
		o.same = o.same || now.exact == q.exact || now.Words > 0 && now.says(q.print)
	}
	if len(w.recent) < recentWords {
		w.recent = append(w.recent, now)
		return
	}
	w.recent[w.at] = now
	w.at = (w.at + 1) % recentWords
}

// word is the trace of a link from such a page to another that nobody had seen.
func (o *observed) word() trace {
	o.unseen++
	t := trace{title: o.title}
	if o.same {
		t.hops, t.evidence = o.hops+1, repeating
		t.later = uint8(min(1+int(o.hops), latest))
	}
	return t
}

// settleWords takes what the page shows from the budget of its kind, or adds to it.
func (g *Guard) settleWords(o *observed, own uint64) {
	w := &o.h.Words
	if !o.same {
		if o.hops > 0 {
			w.Credit = min(w.Credit+gain, mostCredit*g.opt.Patience)
		}
		return
	}
	if t := g.links.get(own); t != nil {
		t.evidence = repeating
	}
	if o.hops == 0 || o.unseen == 0 || g.seen.full() {
		return
	}
	cost := float64(weighSame)
	if o.unseen == 1 {
		cost = weighTwice // the pictures of a gallery, one after the other
	}
	if w.Credit -= cost * o.h.suspect(nil) / g.opt.Patience; w.Credit <= 0 && !w.Closed {
		w.Closed = true
		o.h.Closed++
	}
}

// repeats reports whether a page has no pattern and said what another does.
func (g *Guard) repeats(url string) bool {
	t := g.links.get(hashURL(url))
	return t != nil && t.evidence == repeating
}
