package invert

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// terms numbers terms in the order in which they are first met. It holds no
// pointers, so that the collector has nothing to look at.
//
// Most of the time of finding a term is waiting for memory, first for its slot,
// then for its record. So terms are looked for some at a time, step by step,
// which lets the processor wait for all of them at once.
type terms struct {
	seed    maphash.Seed
	slots   []uint64 // a table of where records start, +1, with the upper half of the hash above; 0: free
	starts  []uint32 // of the records, by number
	records []byte   // number [4], length [4] and text of each term
}

const (
	leastSlots = 1 << 10
	hashMask   = 0xffffffff << 32
	headLen    = 8
	batchLen   = 32 // terms that are looked for at a time
)

// batch is terms that are looked for, and their numbers.
type batch struct {
	hashes, slots, heads [batchLen]uint64
	numbers              [batchLen]uint32
}

// number finds the numbers of the terms of up to batchLen tokens, and gives new
// ones to new terms.
func (t *terms) number(tokens []Token, b *batch) []uint32 {
	t.makeRoom()
	for i := range tokens {
		b.hashes[i] = maphash.String(t.seed, tokens[i].Term)
	}
	mask := uint64(len(t.slots) - 1)
	for i := range tokens {
		b.slots[i] = t.slots[b.hashes[i]&mask]
	}
	for i := range tokens {
		if slot := b.slots[i]; slot != 0 && slot&hashMask == b.hashes[i]&hashMask {
			b.heads[i] = binary.LittleEndian.Uint64(t.records[uint32(slot)-1:])
		} else {
			b.slots[i] = 0
		}
	}
	for i := range tokens {
		term, head, at := tokens[i].Term, b.heads[i], int(uint32(b.slots[i]))-1+headLen
		if n := len(term); b.slots[i] != 0 && head>>32 == uint64(n) && string(t.records[at:at+n]) == term {
			b.numbers[i] = uint32(head)
		} else {
			b.numbers[i] = t.numberOne(term, b.hashes[i])
		}
	}
	return b.numbers[:len(tokens)]
}

// add returns the number of one term.
func (t *terms) add(term string) uint32 {
	t.makeRoom()
	return t.numberOne(term, maphash.String(t.seed, term))
}

// numberOne returns the number of a term, a new one if need be.
func (t *terms) numberOne(term string, hash uint64) uint32 {
	n, free, ok := t.look(term, hash)
	if ok {
		return n
	}
	n = uint32(len(t.starts))
	t.slots[free] = hash&hashMask | uint64(len(t.records)+1)
	t.starts = append(t.starts, uint32(len(t.records)))
	t.records = binary.LittleEndian.AppendUint32(t.records, n)
	t.records = binary.LittleEndian.AppendUint32(t.records, uint32(len(term)))
	t.records = append(t.records, term...)
	return n
}

// look returns the number of a term, or the slot where it should be.
func (t *terms) look(term string, hash uint64) (n uint32, slot uint64, ok bool) {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := t.slots[i]
		if slot == 0 {
			return 0, i, false
		}
		if slot&hashMask == hash&hashMask {
			at := uint32(slot) - 1
			if string(t.text(at)) == term {
				return binary.LittleEndian.Uint32(t.records[at:]), i, true
			}
		}
	}
}

// find returns the number of a term that has one.
func (t *terms) find(term string) (n uint32, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	n, _, ok = t.look(term, maphash.String(t.seed, term))
	return n, ok
}

// makeRoom makes the table large enough for a batch of new terms.
func (t *terms) makeRoom() {
	if 4*(len(t.starts)+batchLen) < 3*len(t.slots) {
		return
	}
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	t.slots = make([]uint64, max(leastSlots, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for _, at := range t.starts {
		h := maphash.Bytes(t.seed, t.text(at))
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = h&hashMask | uint64(at+1)
	}
}

// text returns the text of a record.
func (t *terms) text(at uint32) []byte {
	n := binary.LittleEndian.Uint32(t.records[at+4:])
	return t.records[at+headLen:][:n]
}

// term returns the term of a number.
func (t *terms) term(n uint32) []byte { return t.text(t.starts[n]) }

// size is about how many bytes of memory the terms take.
func (t *terms) size() int64 { return int64(len(t.starts)*termWeight + len(t.records)) }

// sorted returns the numbers in the order of the terms.
func (t *terms) sorted() []uint32 {
	type entry struct {
		head uint64 // the first eight bytes, big-endian
		n    uint32
	}
	all := make([]entry, len(t.starts))
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
