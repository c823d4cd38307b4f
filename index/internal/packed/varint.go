package packed

import "encoding/binary"

// Uvarint32 decodes a varint of at most 32 bits and returns its size; a size
// of 0 or less means that b holds none.
func Uvarint32(b []byte) (uint32, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint32(b[0]), 1
	}
	x, n := binary.Uvarint(b)
	if n <= 0 || x > 1<<32-1 {
		return 0, 0
	}
	return uint32(x), n
}

// Bytes takes numbers and bytes off the front of a slice. After the first that
// is not there, all are zero and Bad is true.
type Bytes struct {
	B   []byte
	Bad bool
}

// Uvarint takes a varint of at most 64 bits.
func (b *Bytes) Uvarint() uint64 {
	if len(b.B) > 0 && b.B[0] < 0x80 {
		x := b.B[0]
		b.B = b.B[1:]
		return uint64(x)
	}
	x, n := binary.Uvarint(b.B)
	if n <= 0 {
		b.B, b.Bad = nil, true
		return 0
	}
	b.B = b.B[n:]
	return x
}

// Uvarint32 takes a varint of at most 32 bits.
func (b *Bytes) Uvarint32() uint32 {
	x, n := Uvarint32(b.B)
	if n <= 0 {
		b.B, b.Bad = nil, true
		return 0
	}
	b.B = b.B[n:]
	return x
}

// Take takes n bytes.
func (b *Bytes) Take(n uint64) []byte {
	if n > uint64(len(b.B)) {
		b.B, b.Bad = nil, true
		return nil
	}
	head := b.B[:n]
	b.B = b.B[n:]
	return head
}

// Counted takes a varint and as many bytes as it says.
func (b *Bytes) Counted() []byte { return b.Take(b.Uvarint()) }
