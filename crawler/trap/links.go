package trap

import (
	"slices"

	"github.com/zeebo/xxh3"
)

// trace is what is known of a URL that was seen in a link.
type trace struct {
	tag      uint32 // part of the URL's hash
	title    uint32 // hash of the title of the page it was found on, if that is of its family
	evidence float32
	hops     uint16 // links within one family on the way here
	later    uint8  // how much better it is to visit other things first
	more     uint8  // more of the hash, for a larger table; the highest bit: there is a trace
}

// seen is a Bloom filter of all links ever seen (Bloom 1970; in blocks of a cache
// line: Putze, Sanders and Singler, WEA 2007; that grows: Almeida, Baquero, Preguiça
// and Hutchison, IPL 2007). It errs only in calling a link seen that was not, which
// speaks for the pages that it is on: what looks unseen is evidence of growth, and must
// not come from forgetting.
type seen struct {
	levels []level // each for sixteen times as many as the one before
	n      int     // links added
	most   int     // links that it is meant for
}

// level is a filter that does not grow.
type level []uint64 // blocks of 8

const (
	bitsALink  = 12 // beyond that some in a hundred are taken for seen
	firstLinks = 1 << 16
)

func newSeen(links int) seen {
	s := seen{most: links}
	s.levels = []level{newLevel(s.room(0))}
	return s
}

func newLevel(links int) level { return make(level, (links*bitsALink/512+1)*8) }

// room is how many links a level is made for.
func (s *seen) room(level int) int { return min(firstLinks<<(4*level), s.most) }

// add reports whether a link is new, and adds it.
func (s *seen) add(hash uint64) (fresh bool) {
	last := len(s.levels) - 1
	before := 0
	for i := range last {
		if !s.levels[i].put(hash, false) {
			return false
		}
		before += s.room(i)
	}
	if !s.levels[last].put(hash, true) {
		return false
	}
	if s.n < 1<<40 {
		s.n++
	}
	if room := s.room(last); room < s.most && s.n-before >= room {
		s.levels = append(s.levels, newLevel(s.room(last+1)))
	}
	return true
}

// put reports whether a link is not in a level, and puts it there if keep is true.
func (l level) put(hash uint64, keep bool) (fresh bool) {
	block := l[hash>>16%uint64(len(l)/8)*8:][:8]
	h := hash * 0x9e3779b97f4a7c15
	for range 5 {
		bit := h & 511
		if block[bit/64]&(1<<(bit%64)) == 0 {
			fresh = true
			if !keep {
				return true
			}
			block[bit/64] |= 1 << (bit % 64)
		}
		h >>= 9
	}
	return fresh
}

// full reports whether so many links were added that new ones are not told any
// more; then nothing grows.
func (s *seen) full() bool { return s.n > 2*s.most }

// traces are those of the URLs seen lately: a table in buckets, where a new one takes
// the place of another when its bucket is full.
type traces struct {
	slots []trace
	set   int // of them
	most  int
}

// A table of the usual size is made when the first has filled.
const (
	bucket     = 4
	firstSlots = 1 << 16
	isSet      = 0x80
)

func newTraces(most int) traces {
	if most == defaultLinks {
		return traces{slots: make([]trace, firstSlots), most: most}
	}
	return traces{slots: make([]trace, (most+bucket-1)/bucket*bucket), most: most}
}

// in returns the bucket of a hash.
func (t *traces) in(hash uint64) []trace {
	return t.slots[hash/bucket%uint64(len(t.slots)/bucket)*bucket:][:bucket]
}

// levelOf is how late a URL is to be visited for the evidence of a trap alone.
func levelOf(evidence float32) uint8 {
	if evidence >= 1 {
		return 1
	}
	return 0
}

func hashURL(url string) uint64 { return xxh3.HashString(url) }

func (t *traces) get(hash uint64) *trace {
	in := t.in(hash)
	for i := range in {
		if in[i].more&isSet != 0 && in[i].tag == uint32(hash>>32) {
			return &in[i]
		}
	}
	return nil
}

func (t *traces) put(hash uint64, e trace) {
	if len(t.slots) < t.most && t.set > len(t.slots)/2 {
		t.grow()
	}
	e.tag, e.more = uint32(hash>>32), isSet|uint8(hash/firstSlots%(defaultLinks/firstSlots))
	in := t.in(hash)
	at := &in[hash%bucket]
	if same := t.get(hash); same != nil {
		at = same
	} else if i := slices.IndexFunc(in, func(e trace) bool { return e.more&isSet == 0 }); i >= 0 {
		at = &in[i]
		t.set++
	}
	*at = e
}

// grow makes the table of the usual size.
func (t *traces) grow() {
	old := t.slots
	t.slots = make([]trace, t.most)
	for i, e := range old {
		if e.more&isSet == 0 {
			continue
		}
		in := t.slots[i/bucket*bucket+int(e.more&^isSet)*firstSlots:][:bucket]
		in[slices.IndexFunc(in, func(e trace) bool { return e.more&isSet == 0 })] = e // of a bucket all have room
	}
}
