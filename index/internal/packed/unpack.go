package packed

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/parquet-go/bitpack"
)

// ErrDamaged is returned for bytes that no writer wrote.
var ErrDamaged = errors.New("damaged numbers")

// Unpack reads the block at the start of b and returns its size. b must have a
// capacity of [Padding] bytes beyond the block.
func Unpack(v *[Len]uint32, b []byte) (int, error) {
	size, err := Size(b)
	if err != nil || size+Padding > cap(b) {
		return 0, ErrDamaged
	}
	w := int(b[0] &^ exceptions)
	if b[0]&exceptions == 0 {
		unpackLow(v, b[1:], w)
		return size, nil
	}
	n := int(b[1])
	at := b[3 : 3+n]
	unpackLow(v, b[3+n:], w)
	return size, patch(v, at, b[3+n+w*Len/8:size], w)
}

func unpackLow(v *[Len]uint32, b []byte, w int) {
	if w == 0 {
		*v = [Len]uint32{}
		return
	}
	bitpack.Unpack(v[:], b, uint(w))
}

// patch gives the exceptions their high bits.
func patch(v *[Len]uint32, at, high []byte, w int) error {
	if len(high) == len(at) { // one byte each, as nearly always
		all := byte(0)
		for k, i := range at {
			all |= high[k] | i
			v[i%Len] |= uint32(high[k]) << w
		}
		if all >= Len {
			return ErrDamaged
		}
		return nil
	}
	for _, i := range at {
		x, n := Uvarint32(high)
		if n <= 0 || i >= Len {
			return ErrDamaged
		}
		v[i] |= x << w
		high = high[n:]
	}
	if len(high) != 0 {
		return ErrDamaged
	}
	return nil
}

// At returns one number of the block at the start of b, 0 <= i < Len; false: the
// bytes, whose size must be right (see [Size]), are damaged or lack the capacity
// that Unpack needs.
func At(b []byte, i int) (uint32, bool) {
	w := int(b[0] &^ exceptions)
	low, high := b[1:], uint32(0)
	if b[0]&exceptions != 0 {
		low = b[3+int(b[1]):]
		if k := bytes.IndexByte(b[3:3+int(b[1])], byte(i)); k >= 0 {
			rest := low[w*Len/8:]
			for range k + 1 {
				x, n := Uvarint32(rest)
				if n <= 0 {
					return 0, false
				}
				high, rest = x, rest[n:]
			}
		}
	}
	if at := i * w / 8; at+8 <= cap(low) {
		x := binary.LittleEndian.Uint64(low[at:at+8]) >> (i * w % 8)
		return uint32(x&(1<<w-1)) | high<<w, true
	}
	return 0, false
}

// Size returns the size of the block at the start of b without reading it.
func Size(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, ErrDamaged
	}
	w := int(b[0] &^ exceptions)
	size := 1 + w*Len/8
	if b[0]&exceptions != 0 {
		if len(b) < 3 {
			return 0, ErrDamaged
		}
		size += 2 + int(b[1]) + int(b[2])
	}
	if w > 32 || size > len(b) {
		return 0, ErrDamaged
	}
	return size, nil
}
