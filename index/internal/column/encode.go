package column

import (
	"encoding/binary"
	"math/bits"
)

// block is up to BlockLen numbers on their way to a file.
type block struct {
	values  [BlockLen]int64
	has     [BlockLen]bool
	n       int
	present int
}

func (b *block) add(v int64, ok bool) {
	b.values[b.n], b.has[b.n] = v, ok
	b.n++
	if ok {
		b.present++
	}
}

// shape is what the table says of a block.
type shape struct {
	min, max int64
	step     uint64
	width    int
}

func (b *block) shape() shape {
	s := shape{step: 1}
	first := true
	for i, v := range b.values[:b.n] {
		switch {
		case !b.has[i]:
		case first:
			s.min, s.max, first = v, v, false
		default:
			s.min, s.max = min(s.min, v), max(s.max, v)
		}
	}
	if s.min == s.max {
		return s
	}
	s.step = b.step(s.min)
	s.width = bits.Len64(distance(s.max, s.min) / s.step)
	if s.width > 56 {
		s.width = 64
	}
	return s
}

// distance is a-b for a ≥ b.
func distance(a, b int64) uint64 { return uint64(a) - uint64(b) }

// step is the greatest common divisor of all differences to least, not all of
// which are 0.
func (b *block) step(least int64) uint64 {
	step := uint64(0)
	for i, v := range b.values[:b.n] {
		if !b.has[i] {
			continue
		}
		for d := distance(v, least); d != 0; {
			step, d = d, step%d
		}
		if step == 1 {
			break
		}
	}
	return step
}

// append appends the bytes of the block.
func (b *block) append(dst []byte, s shape) []byte {
	if b.present == 0 {
		return dst
	}
	if b.present < b.n {
		at := len(dst)
		dst = append(dst, make([]byte, (b.n+7)/8)...)
		for i, ok := range b.has[:b.n] {
			if ok {
				dst[at+i/8] |= 1 << (i % 8)
			}
		}
	}
	if s.width == 64 {
		for i := range b.n {
			dst = binary.LittleEndian.AppendUint64(dst, b.low(i, s))
		}
		return dst
	}
	word, have := uint64(0), 0
	for i := range b.n {
		word |= b.low(i, s) << have
		for have += s.width; have >= 8; have -= 8 {
			dst = append(dst, byte(word))
			word >>= 8
		}
	}
	if have > 0 {
		dst = append(dst, byte(word))
	}
	return dst
}

func (b *block) low(i int, s shape) uint64 {
	if !b.has[i] {
		return 0
	}
	return distance(b.values[i], s.min) / s.step
}
