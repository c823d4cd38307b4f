package invert

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// terms numbers terms in the order in which they are first met. It holds no
// pointers, so that the collector has nothing to look at.
type terms struct {
	seed  maphash.Seed
	slots []uint64 // a table of number+1, with the upper half of the hash above; 0: free
	ends  []uint32 // where each term ends in text
	text  []byte
}

const (
	leastSlots = 1 << 10
	hashMask   = 0xffffffff << 32
)

// number returns the number of a term, a new one if need be.
func (t *terms) number(term string) uint32 {
	if 2*len(t.ends) >= len(t.slots) {
		t.grow()
	}
	h := maphash.String(t.seed, term)
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		slot := t.slots[i]
		if slot == 0 {
			t.text = append(t.text, term...)
			t.ends = append(t.ends, uint32(len(t.text)))
			n := uint32(len(t.ends))
			t.slots[i] = h&hashMask | uint64(n)
			return n - 1
		}
		if slot&hashMask == h&hashMask {
			if n := uint32(slot) - 1; string(t.term(n)) == term {
				return n
			}
		}
	}
}

// find returns the number of a term that has one.
func (t *terms) find(term string) (n uint32, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	h := maphash.String(t.seed, term)
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; t.slots[i] != 0; i = (i + 1) & mask {
		if slot := t.slots[i]; slot&hashMask == h&hashMask {
			if n := uint32(slot) - 1; string(t.term(n)) == term {
				return n, true
			}
		}
	}
	return 0, false
}

// grow doubles the table.
func (t *terms) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	t.slots = make([]uint64, max(leastSlots, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for n := range t.ends {
		h := maphash.Bytes(t.seed, t.term(uint32(n)))
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = h&hashMask | uint64(n+1)
	}
}

// term returns the term of a number.
func (t *terms) term(n uint32) []byte {
	from := uint32(0)
	if n > 0 {
		from = t.ends[n-1]
	}
	return t.text[from:t.ends[n]]
}

// size is about how many bytes of memory the terms take.
func (t *terms) size() int64 { return int64(len(t.ends)*termWeight + len(t.text)) }

// sorted returns the numbers in the order of the terms.
func (t *terms) sorted() []uint32 {
	type entry struct {
		head uint64 // the first eight bytes, big-endian
		n    uint32
	}
	all := make([]entry, len(t.ends))
	for n := range all {
		var head [8]byte
		copy(head[:], t.term(uint32(n)))
		all[n] = entry{binary.BigEndian.Uint64(head[:]), uint32(n)}
	}
	slices.SortFunc(all, func(a, b entry) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return slices.Compare(t.term(a.n), t.term(b.n))
	})
	numbers := make([]uint32, len(all))
	for i, e := range all {
		numbers[i] = e.n
	}
	return numbers
}
