package postings

import (
	"encoding/binary"
	"math/bits"

	"github.com/webquarry/quarry/index/internal/packed"
)

// Where documents stand close together, those of a block are not gaps but bits:
//
//	head   [1]    64 + n, with n from 1 to 32
//	words  [8·n]  a bit for each document, the lowest comes first
//
// The first word starts at the multiple of 64 that is not greater than the least
// document that the block may hold, the last word has the block's last document.
// Bits are taken where they need no more than 5/4 of the bytes of the gaps: a
// document is found, and documents are counted, without reading the others.
// Documents 0, 3, 4, 7, 8 and so on up to 255 are the bytes 44 and 32 times 99.
const (
	denseHead  = 64
	denseWords = 32
)

// appendDense appends the documents of a block as bits, unless the gaps, of which
// there are so many bytes, are to be preferred.
func appendDense(dst []byte, docs *[blockLen]uint32, first uint32, gaps int) ([]byte, bool) {
	base := first / 64
	n := int(docs[blockLen-1]/64-base) + 1
	if n > denseWords || 4*(1+8*n) > 5*gaps {
		return dst, false
	}
	var words [denseWords]uint64
	for _, doc := range docs {
		words[(doc/64-base)%denseWords] |= 1 << (doc % 64)
	}
	dst = append(dst, byte(denseHead+n))
	for _, w := range words[:n] {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst, true
}

// dense is a block of bits that is being read.
type dense struct {
	words []byte // 8 each; nil: the block is none, or its documents were listed
	base  uint32 // the first word stands for documents from 64·base on
	at    int    // the word of the current document
	rank  int    // how many documents stand in the words before
}

// isDense reports whether a block is bits.
func isDense(data []byte) bool { return len(data) > 0 && data[0]&denseHead != 0 }

// openDense returns the bits at the start of a block, and their size.
func openDense(data []byte, first uint64, last uint32) (d dense, size int, err error) {
	n := int(data[0] - denseHead)
	d.base = uint32(first / 64)
	if size = 1 + 8*n; n < 1 || n > denseWords || size > len(data) || uint64(last) < first || int(last/64-d.base) != n-1 {
		return dense{}, 0, packed.ErrDamaged
	}
	d.words = data[1:size]
	sum := 0
	for i := range n {
		sum += bits.OnesCount64(d.word(i))
	}
	if sum != blockLen || d.word(0)&(1<<(first%64)-1) != 0 || d.word(n-1)>>(last%64) != 1 {
		return dense{}, 0, packed.ErrDamaged
	}
	return d, size, nil
}

func (d *dense) word(i int) uint64 { return binary.LittleEndian.Uint64(d.words[8*i:]) }

// seek goes to the first document not less than target, which is not greater
// than the last, and returns it and how many come before it.
func (d *dense) seek(target uint32) (doc uint32, rank int) {
	for to := int(target/64) - int(d.base); d.at < to; d.at++ {
		d.rank += bits.OnesCount64(d.word(d.at))
	}
	all := d.word(d.at)
	set := all
	if int(target/64)-int(d.base) == d.at {
		set &= ^uint64(0) << (target % 64)
	}
	for set == 0 {
		d.rank += bits.OnesCount64(all)
		d.at++
		all = d.word(d.at)
		set = all
	}
	bit := bits.TrailingZeros64(set)
	return 64*(d.base+uint32(d.at)) + uint32(bit), d.rank + bits.OnesCount64(all&(1<<bit-1))
}

// list lists the documents.
func (d *dense) list(docs *[blockLen]uint32) {
	n := uint(0)
	for i := range len(d.words) / 8 {
		from := 64 * (d.base + uint32(i))
		for w := d.word(i); w != 0; w &= w - 1 {
			docs[n%blockLen] = from + uint32(bits.TrailingZeros64(w))
			n++
		}
	}
}

// mark sets the bits of the documents from lo up to hi in marks, which start at
// lo.
func (d *dense) mark(lo, hi uint32, marks []uint64) {
	from := max(d.base, lo/64)
	n := min(d.base+uint32(len(d.words)/8), (hi+63)/64)
	if from >= n {
		return
	}
	words, marks := d.words[8*(from-d.base):], marks[from-lo/64:n-lo/64]
	for i := range marks {
		marks[i] |= binary.LittleEndian.Uint64(words[8*i:])
	}
}
