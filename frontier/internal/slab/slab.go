package slab

import (
	"iter"
	"slices"
)

const (
	pageBits = 8
	pageLen  = 1 << pageBits
)

// Slab keeps values by number, from 1 on, in pages, so that it grows without
// copying and without a pointer for each value. The number of a value stays the
// same until it is given back; then another value may get it.
type Slab[T any] struct {
	pages []*[pageLen]T
	End   uint32   // numbers from here on are in no use
	n     int      // numbers in use
	Free  []uint32 // all that are in no use before End, and some behind

	frozen []bool // pages that belong to a snapshot; nil: none
}

// Take returns a number that is in no use; its value is zero.
func (s *Slab[T]) Take() uint32 {
	s.n++
	if i, ok := s.hole(); ok {
		return i
	}
	s.End = max(s.End, 1)
	if int(s.End>>pageBits) >= len(s.pages) {
		s.pages = append(s.pages, new([pageLen]T))
	}
	s.End++
	return s.End - 1
}

// hole takes a number before End, if one is free.
func (s *Slab[T]) hole() (uint32, bool) {
	for n := len(s.Free); n > 0; n-- {
		i := s.Free[n-1]
		s.Free = s.Free[:n-1]
		if i < s.End {
			return i, true
		}
	}
	return 0, false
}

// Give makes a number free. A slab with nothing in it takes no memory.
func (s *Slab[T]) Give(i uint32) {
	var zero T
	*s.At(i) = zero
	s.Free = append(s.Free, i)
	if s.n--; s.n == 0 {
		*s = Slab[T]{}
	}
}

// Loose says whether most numbers are free.
func (s *Slab[T]) Loose() bool { return int(s.End) > 2*s.n+4*pageLen }

// Trim makes End one less. The last value, unless its number is free, gets
// another one, which is told to moved.
func (s *Slab[T]) Trim(isFree func(*T) bool, moved func(from, to uint32)) {
	s.End--
	last := s.At(s.End)
	if !isFree(last) {
		to, _ := s.hole()
		*s.At(to) = *last
		var zero T
		*last = zero
		moved(s.End, to)
	}
	if s.End%pageLen == 0 {
		last := int(s.End >> pageBits)
		clear(s.pages[last:])
		s.pages = s.pages[:last]
	}
	if len(s.Free) > 2*int(s.End) { // most are behind
		s.Free = slices.Clip(slices.DeleteFunc(s.Free, func(i uint32) bool { return i >= s.End }))
	}
}

// At returns a value by its number. The pointer is good until the next Freeze.
func (s *Slab[T]) At(i uint32) *T {
	if s.frozen != nil {
		s.thaw(int(i >> pageBits))
	}
	return &s.pages[i>>pageBits][i%pageLen]
}

// Look returns a value by its number, only to be read: unlike At it copies nothing while there
// is a snapshot.
func (s *Slab[T]) Look(i uint32) *T { return &s.pages[i>>pageBits][i%pageLen] }

// thaw makes a page that belongs to a snapshot one that may be changed.
func (s *Slab[T]) thaw(p int) {
	if p < len(s.frozen) && s.frozen[p] {
		s.frozen[p] = false
		page := *s.pages[p]
		s.pages[p] = &page
	}
}

// Freeze returns a snapshot, which stays as it is. Until Unfreeze, pages that are
// looked at are copied.
func (s *Slab[T]) Freeze() Slab[T] {
	s.frozen = make([]bool, len(s.pages))
	for p := range s.frozen {
		s.frozen[p] = true
	}
	return Slab[T]{pages: slices.Clone(s.pages), End: s.End, n: s.n}
}

// Unfreeze gives the snapshot up.
func (s *Slab[T]) Unfreeze() { s.frozen = nil }

// All is over the numbers before End, also those that are free.
func (s *Slab[T]) All() iter.Seq2[uint32, *T] {
	return func(yield func(uint32, *T) bool) {
		for i := uint32(1); i < s.End; i++ {
			if !yield(i, s.At(i)) {
				return
			}
		}
	}
}
