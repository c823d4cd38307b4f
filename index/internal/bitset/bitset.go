// Package bitset is a set of documents of a segment.
//
// Where to look: bitset.go holds it all.
package bitset

import (
	"encoding/binary"
	"errors"
	"iter"
	"math/bits"

	"github.com/webquarry/quarry/index/internal/packed"
)

// Set is a set of small numbers. A nil Set is empty and cannot be added to.
type Set struct {
	words []uint64
	count int
}

// New returns an empty set of numbers less than n.
func New(n uint32) *Set { return &Set{words: make([]uint64, (uint64(n)+63)/64)} }

// Of returns the set of the numbers whose bits are set. It keeps the bits.
func Of(words []uint64) *Set {
	s := &Set{words: words}
	for _, w := range words {
		s.count += bits.OnesCount64(w)
	}
	return s
}

// Has reports whether i is in the set.
func (s *Set) Has(i uint32) bool {
	return s != nil && int(i/64) < len(s.words) && s.words[i/64]>>(i%64)&1 != 0
}

// Add adds i and reports whether it was not there. I must be less than the n
// of [New].
func (s *Set) Add(i uint32) bool {
	if s.Has(i) {
		return false
	}
	s.words[i/64] |= 1 << (i % 64)
	s.count++
	return true
}

// Len is how many numbers are in the set.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return s.count
}

// Size is how many bytes the set takes.
func (s *Set) Size() int {
	if s == nil {
		return 0
	}
	return 8 * len(s.words)
}

// AddAll adds numbers, as Add does.
func (s *Set) AddAll(numbers []uint32) {
	for _, i := range numbers {
		w := &s.words[i/64]
		s.count += int(^*w >> (i % 64) & 1)
		*w |= 1 << (i % 64)
	}
}

// Next returns the least number in the set that is not less than i; false: there
// is none.
func (s *Set) Next(i uint32) (uint32, bool) {
	if s == nil || int(i/64) >= len(s.words) {
		return 0, false
	}
	at := int(i / 64)
	for w := s.words[at] >> (i % 64) << (i % 64); ; w = s.words[at] {
		if w != 0 {
			return uint32(64*at + bits.TrailingZeros64(w)), true
		}
		if at++; at == len(s.words) {
			return 0, false
		}
	}
}

// Overlap is how many numbers both sets have.
func (s *Set) Overlap(other *Set) int {
	n := 0
	if s != nil && other != nil {
		for i := range min(len(s.words), len(other.words)) {
			n += bits.OnesCount64(s.words[i] & other.words[i])
		}
	}
	return n
}

// Mark adds the numbers of the set to bits, whose first stands for from, a
// multiple of 64.
func (s *Set) Mark(bits []uint64, from uint32) {
	if s == nil {
		return
	}
	words := s.words[min(int(from/64), len(s.words)):]
	for i := range min(len(words), len(bits)) {
		bits[i] |= words[i]
	}
}

// Remove takes the numbers of the set out of bits, whose first stands for from,
// a multiple of 64.
func (s *Set) Remove(bits []uint64, from uint32) {
	if s == nil {
		return
	}
	words := s.words[min(int(from/64), len(s.words)):]
	for i := range min(len(words), len(bits)) {
		bits[i] &^= words[i]
	}
}

// Clone returns a copy, of an empty set for numbers less than n.
func (s *Set) Clone(n uint32) *Set {
	c := New(n)
	if s != nil {
		copy(c.words, s.words)
		c.count = s.count
	}
	return c
}

// All yields the numbers in ascending order.
func (s *Set) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if s == nil {
			return
		}
		for i, w := range s.words {
			for ; w != 0; w &= w - 1 {
				if !yield(uint32(i*64 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// Without yields the numbers of the set that another one does not have, in ascending
// order.
func (s *Set) Without(other *Set) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if s == nil {
			return
		}
		for i, w := range s.words {
			if other != nil && i < len(other.words) {
				w &^= other.words[i]
			}
			for ; w != 0; w &= w - 1 {
				if !yield(uint32(i*64 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// A set is written as
//
//	form    [1]  0 or 1
//
// and, of form 0, for each number in ascending order its distance from the one
// before [varint], from 0 for the first; of form 1, words of 64 bits [8 each],
// whose lowest bit comes first. The shorter form is taken. 3 and 10 are the
// bytes 00 03 07.
const (
	formGaps  = 0
	formWords = 1
)

var errDamaged = errors.New("damaged set of documents")

// Append appends the set to dst.
func (s *Set) Append(dst []byte) []byte {
	start, last := len(dst), uint32(0)
	dst = append(dst, formGaps)
	for i := range s.All() {
		dst = binary.AppendUvarint(dst, uint64(i-last))
		last = i
	}
	if s == nil || len(dst)-start <= 1+8*len(s.words) {
		return dst
	}
	dst = append(dst[:start], formWords)
	for _, w := range s.words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// Parse reads a set of numbers less than n.
func Parse(b []byte, n uint32) (*Set, error) {
	s := New(n)
	if len(b) == 0 {
		return nil, errDamaged
	}
	if b[0] == formWords {
		return s, s.parseWords(b[1:], n)
	}
	in, at := packed.Bytes{B: b[1:]}, uint64(0)
	for first := true; len(in.B) > 0; first = false {
		gap := in.Uvarint32()
		at += uint64(gap)
		if in.Bad || b[0] != formGaps || at >= uint64(n) || gap == 0 && !first {
			return nil, errDamaged
		}
		s.Add(uint32(at))
	}
	return s, nil
}

func (s *Set) parseWords(b []byte, n uint32) error {
	if len(b) != 8*len(s.words) {
		return errDamaged
	}
	for i := range s.words {
		s.words[i] = binary.LittleEndian.Uint64(b[8*i:])
		s.count += bits.OnesCount64(s.words[i])
	}
	if n%64 != 0 && s.words[len(s.words)-1]>>(n%64) != 0 {
		return errDamaged
	}
	return nil
}
