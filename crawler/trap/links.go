package trap

import "github.com/zeebo/xxh3"

// trace is what is known of a URL that was seen in a link.
type trace struct {
	tag      uint32 // part of the URL's hash
	title    uint32 // hash of the title of the page it was found on, if that is of its family
	evidence float32
	hops     uint16 // links within one family on the way here
	set      bool
	later    bool // there are better things to visit first
}

// traces are those of the URLs seen lately: a table in which a new one takes the
// place of another. What is forgotten looks new, which speaks for a page.
type traces []trace

func hashURL(url string) uint64 { return xxh3.HashString(url) }

func (t traces) get(hash uint64) *trace {
	e := &t[hash%uint64(len(t))]
	if e.set && e.tag == uint32(hash>>32) {
		return e
	}
	return nil
}

func (t traces) put(hash uint64, e trace) {
	e.tag, e.set = uint32(hash>>32), true
	t[hash%uint64(len(t))] = e
}
