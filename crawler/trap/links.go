package trap

import "github.com/zeebo/xxh3"

// trace is what is known of a URL that was seen in a link.
type trace struct {
	tag      uint32 // part of the URL's hash
	title    uint32 // hash of the title of the page it was found on, if that is of its family
	evidence float32
	hops     uint16 // links within one family on the way here
	set      bool
	later    uint8 // how much better it is to visit other things first
}

// seen is a Bloom filter of all links ever seen (Bloom 1970; in blocks of a cache
// line: Putze, Sanders and Singler, WEA 2007). It errs only in calling a link
// seen that was not, which speaks for the pages that it is on: what looks
// unseen is evidence of growth, and must not come from forgetting.
type seen struct {
	bits []uint64 // blocks of 8
	n    int      // links added
}

const bitsALink = 12 // beyond that some in a hundred are taken for seen

func newSeen(links int) seen { return seen{bits: make([]uint64, (links*bitsALink/512+1)*8)} }

// add reports whether a link is new, and adds it.
func (s *seen) add(hash uint64) (fresh bool) {
	block := s.bits[hash>>16%uint64(len(s.bits)/8)*8:][:8]
	h := hash * 0x9e3779b97f4a7c15
	for range 5 {
		bit := h & 511
		if block[bit/64]&(1<<(bit%64)) == 0 {
			block[bit/64] |= 1 << (bit % 64)
			fresh = true
		}
		h >>= 9
	}
	if fresh && s.n < 1<<40 {
		s.n++
	}
	return fresh
}

// full reports whether so many links were added that new ones are not told any
// more; then nothing grows.
func (s *seen) full() bool { return s.n > len(s.bits)*64/(bitsALink/2) }

// traces are those of the URLs seen lately: a table in which a new one takes the
// place of another.
type traces []trace

// levelOf is how late a URL is to be visited for the evidence of a trap alone.
func levelOf(evidence float32) uint8 {
	if evidence >= 1 {
		return 1
	}
	return 0
}

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
