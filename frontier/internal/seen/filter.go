package seen

import (
	"math/bits"

	"github.com/edsrzf/mmap-go"
)

const (
	lineBytes  = 64
	lineBits   = 8 * lineBytes
	bitsPerKey = 10
	multiplier = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, odd
)

// filter says of most keys that are not in a run that they are not. It is a
// Bloom filter in lines of 64 bytes, each of which is one access to memory
// (Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom
// Filters", 2007). A key is in one line, and the lines are in the order of the
// keys: a filter is written from its first byte to its last.
//
// Its memory is not the garbage collector's, which would let the heap grow by as
// much again before it looks at it.
type filter struct {
	lines uint64
	bits  mmap.MMap
}

// newFilter makes a filter for so many keys. About one in a hundred of other
// keys passes it.
func newFilter(keys int) (filter, error) {
	return emptyFilter(uint64((keys*bitsPerKey + lineBits - 1) / lineBits))
}

func emptyFilter(lines uint64) (filter, error) {
	b, err := mmap.MapRegion(nil, int(lines)*lineBytes, mmap.RDWR, mmap.ANON, 0)
	return filter{lines, b}, err
}

func (f *filter) free() error { return f.bits.Unmap() }

// line is the part of the filter that a key is in.
func (f *filter) line(key uint64) *[lineBytes]byte {
	i, _ := bits.Mul64(key, f.lines)
	return (*[lineBytes]byte)(f.bits[i*lineBytes:])
}

// touch reads the line of a key, and returns something of it; see the method of
// table.
func (f *filter) touch(key uint64) byte { return f.line(key)[0] }

// add makes a key pass.
func (f *filter) add(key uint64) {
	line, h := f.line(key), key*multiplier
	for shift := 55; shift >= 10; shift -= 9 {
		line[h>>(shift+3)&63] |= 1 << (h >> shift & 7)
	}
}

// pass is 1 for keys that were added and few others, and 0 for the rest. It
// decides nothing on the way, so that many lines can be waited for at once.
func (f *filter) pass(key uint64) int {
	line, h := f.line(key), key*multiplier
	b := line[h>>58] >> (h >> 55 & 7)
	b &= line[h>>49&63] >> (h >> 46 & 7)
	b &= line[h>>40&63] >> (h >> 37 & 7)
	b &= line[h>>31&63] >> (h >> 28 & 7)
	b &= line[h>>22&63] >> (h >> 19 & 7)
	b &= line[h>>13&63] >> (h >> 10 & 7)
	return int(b & 1)
}
