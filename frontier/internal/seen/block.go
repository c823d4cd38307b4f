package seen

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/bits"
)

// A block holds keys in ascending order, as many as there is room for but at
// most 1024:
//
//	first  [8]  the first key
//	count  [2]  of keys
//	width  [1]  bits of a distance: as many as the last one needs, from 1; 64 if
//	            it needs more than 57, so that each can be read at once
//	zero   [1]
//	far    [.]  the distance of each key from the first, width bits each, the
//	            lowest first, the first itself included; zeros up to the sum
//	sum    [4]  of the number of the run [4], the number of the block in it [8],
//	            and all before
//
// At least the 4 bytes before the sum are zero.
const (
	blockSize = 1024
	blockHead = 12
	roomBits  = 8 * (blockSize - blockHead - sumSize - 4)
	maxKeys   = 1024
	maxWidth  = 57
)

// widthOf is how many bits distances take of which the greatest is far.
func widthOf(far uint64) int {
	w := max(bits.Len64(far), 1)
	if w > maxWidth {
		return 64
	}
	return w
}

// fits says whether so many keys fit into a block, the last of them far from the
// first.
func fits(keys int, far uint64) bool {
	return keys <= maxKeys && keys*widthOf(far) <= roomBits
}

// packBlock writes keys that fit into a block.
func packBlock(b *[blockSize]byte, keys []uint64, run uint32, number int) {
	*b = [blockSize]byte{}
	first := keys[0]
	w := widthOf(keys[len(keys)-1] - first)
	binary.LittleEndian.PutUint64(b[:], first)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(keys)))
	b[10] = byte(w)
	for i, key := range keys {
		bit := i * w
		at := b[blockHead+bit>>3:]
		word := binary.LittleEndian.Uint64(at)
		binary.LittleEndian.PutUint64(at, word|(key-first)<<(bit&7))
	}
	binary.LittleEndian.PutUint32(b[blockSize-sumSize:], blockSum(b, run, number))
}

// blockSum is the sum of a block, which is good in one place only.
func blockSum(b *[blockSize]byte, run uint32, number int) uint32 {
	var place [12]byte
	binary.LittleEndian.PutUint32(place[:], run)
	binary.LittleEndian.PutUint64(place[4:], uint64(number))
	return crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, b[:blockSize-sumSize])
}

// checkBlock says what is wrong with a block. The methods of block need one with
// which nothing is.
func checkBlock(b *[blockSize]byte, run uint32, number int) error {
	if blockSum(b, run, number) != binary.LittleEndian.Uint32(b[blockSize-sumSize:]) {
		return errSum
	}
	x := block{b}
	w, n := x.width(), x.count()
	if n == 0 || n > maxKeys || w == 0 || w > maxWidth && w != 64 || n*w > roomBits {
		return errors.New("the block cannot hold what it says")
	}
	return nil
}

// block reads a block in place.
type block struct{ b *[blockSize]byte }

func (x block) first() uint64 { return binary.LittleEndian.Uint64(x.b[:]) }
func (x block) count() int    { return int(binary.LittleEndian.Uint16(x.b[8:])) }
func (x block) width() int    { return int(x.b[10]) }

// far is how far key i is from the first.
func (x block) far(i, width int) uint64 {
	bit := i * width
	word := binary.LittleEndian.Uint64(x.b[blockHead+bit>>3:])
	return word >> (bit & 7) & (math.MaxUint64 >> (64 - width))
}

// guess is about where a key is in a block that spans the keys up to the fence of
// the next one: keys are spread evenly.
func guess(far, span uint64, count int) int {
	return max(min(int(float64(far)/float64(span)*float64(count)), count-1), 0)
}

// has says whether a key is in the block, which spans so many keys.
func (x block) has(key, span uint64) bool {
	far, n, w := key-x.first(), x.count(), x.width()
	i := guess(far, span, n)
	if x.far(i, w) < far {
		for i++; i < n && x.far(i, w) < far; i++ {
		}
		return i < n && x.far(i, w) == far
	}
	for i > 0 && x.far(i, w) > far {
		i--
	}
	return x.far(i, w) == far
}

// keys appends all keys of the block, and says no if they are not in order.
func (x block) keys(to []uint64) ([]uint64, bool) {
	first, w, last := x.first(), x.width(), uint64(0)
	for i := range x.count() {
		far := x.far(i, w)
		if i > 0 && far <= last || first+far < first {
			return to, false
		}
		last = far
		to = append(to, first+far)
	}
	return to, true
}
