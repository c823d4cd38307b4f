// Package packed stores small integers in few bits: blocks of 128 numbers with
// one width for most of them, and varints for what does not fill a block.
//
// Where to look:
//
//	block.go    the format of a block, and writing one
//	unpack.go   reading one
//	varint.go   varints with bounds
package packed

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/bitpack"
)

// Len is how many numbers a block holds.
const Len = 128

// Padding is how many readable bytes must follow a block, whatever they are.
const Padding = bitpack.PaddingInt32

// MaxSize bounds the bytes of a block.
const MaxSize = 3 + 32*Len/8

// A block is
//
//	head   [1]     width w, 0..32, in the low 6 bits; bit 7: there are exceptions; bit 6 is 0
//	n      [1]     number of exceptions, from 1       } only with
//	m      [1]     bytes of high, from 1               } exceptions
//	at     [n]     their places, ascending, 0..127     }
//	low    [16·w]  128 numbers of w bits, the first in the lowest bits of the first byte
//	high   [m]     n varints: what remains of each exception after its w low bits
//
// The width is the one that makes the block smallest. 127 times 1 and a 300 at
// place 5 are the bytes 81 01 02 05, then ff in every byte of low but the first,
// which is df, and as high 96 01 (300>>1 = 150).

const exceptions = 0x80

// Append appends the block of 128 numbers to dst.
func Append(dst []byte, v *[Len]uint32) []byte {
	w, n := width(v)
	if n == 0 {
		dst = append(dst, byte(w))
		return appendLow(dst, v, w)
	}
	dst = append(dst, byte(w)|exceptions, byte(n), 0)
	size := len(dst) - 1
	for i, x := range v {
		if x>>w != 0 {
			dst = append(dst, byte(i))
		}
	}
	dst = appendLow(dst, v, w)
	high := len(dst)
	for _, x := range v {
		if x>>w != 0 {
			dst = binary.AppendUvarint(dst, uint64(x>>w))
		}
	}
	dst[size] = byte(len(dst) - high)
	return dst
}

func appendLow(dst []byte, v *[Len]uint32, w int) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, w*Len/8)...)
	bitpack.Pack(dst[at:], v[:], uint(w))
	return dst
}

// width finds the width that makes the block smallest, and how many numbers do
// not fit in it.
func width(v *[Len]uint32) (w, n int) {
	var wide [33]int // how many numbers need so many bits
	for _, x := range v {
		wide[bits.Len32(x)]++
	}
	top := 32
	for top > 0 && wide[top] == 0 {
		top--
	}
	w = top
	best := top * Len / 8
	over := 0
	for try := top - 1; try >= 0; try-- {
		over += wide[try+1]
		high := 0
		for b := try + 1; b <= top; b++ {
			high += wide[b] * ((b - try + 6) / 7)
		}
		if high > 255 {
			break
		}
		if size := try*Len/8 + 2 + over + high; size < best {
			w, n, best = try, over, size
		}
	}
	return w, n
}
