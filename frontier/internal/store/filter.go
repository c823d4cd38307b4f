package store

import (
	"encoding/binary"
	"math/bits"
)

// A filter says of most lanes that are not in a run that they are not. It is a
// Bloom filter of 64-bit words: a lane is in one word, in up to four bits of it.
// With twelve bits for each lane, some four in a hundred of others pass.
type filter []uint64 // nil: all pass

const (
	filterBits   = 12 // for each lane
	filterHashes = 4
)

// filterKey stands for a lane of a host; its bits are spread evenly.
func filterKey(host uint64, lane byte) uint64 {
	return (host ^ uint64(lane)<<63) * 0x9e3779b97f4a7c15
}

func newFilter(keys []uint64) filter {
	f := make(filter, (len(keys)*filterBits+63)/64)
	for _, key := range keys {
		word, mask := f.find(key)
		f[word] |= mask
	}
	return f
}

func (f filter) find(key uint64) (word uint64, mask uint64) {
	word, low := bits.Mul64(key, uint64(len(f)))
	for i := range filterHashes {
		mask |= 1 << (low >> (58 - 6*i) & 63)
	}
	return word, mask
}

func (f filter) has(key uint64) bool {
	if len(f) == 0 {
		return true
	}
	word, mask := f.find(key)
	return f[word]&mask == mask
}

func (f filter) append(b []byte) []byte {
	for _, word := range f {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}
