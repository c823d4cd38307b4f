package frontier

import (
	"iter"
	"slices"
)

const (
	pageBits = 8
	pageLen  = 1 << pageBits
)

// slab keeps values by number, from 1 on, in pages, so that it grows without
// copying and without a pointer for each value. The number of a value stays the
// same until it is given back; then another value may get it.
type slab[T any] struct {
	pages []*[pageLen]T
	end   uint32   // numbers from here on are in no use
	n     int      // numbers in use
	free  []uint32 // all that are in no use before end, and some behind

	frozen []bool // pages that belong to a snapshot; nil: none
}

// take returns a number that is in no use; its value is zero.
func (s *slab[T]) take() uint32 {
	s.n++
	if i, ok := s.hole(); ok {
		return i
	}
	s.end = max(s.end, 1)
	if int(s.end>>pageBits) >= len(s.pages) {
		s.pages = append(s.pages, new([pageLen]T))
	}
	s.end++
	return s.end - 1
}

// hole takes a number before end, if one is free.
func (s *slab[T]) hole() (uint32, bool) {
	for n := len(s.free); n > 0; n-- {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		if i < s.end {
			return i, true
		}
	}
	return 0, false
}

// give makes a number free. A slab with nothing in it takes no memory.
func (s *slab[T]) give(i uint32) {
	var zero T
	*s.at(i) = zero
	s.free = append(s.free, i)
	if s.n--; s.n == 0 {
		*s = slab[T]{}
	}
}

// loose says whether most numbers are free.
func (s *slab[T]) loose() bool { return int(s.end) > 2*s.n+4*pageLen }

// trim makes end one less. The last value, unless its number is free, gets
// another one, which is told to moved.
func (s *slab[T]) trim(isFree func(*T) bool, moved func(from, to uint32)) {
	s.end--
	last := s.at(s.end)
	if !isFree(last) {
		to, _ := s.hole()
		*s.at(to) = *last
		var zero T
		*last = zero
		moved(s.end, to)
	}
	if s.end%pageLen == 0 {
		last := int(s.end >> pageBits)
		clear(s.pages[last:])
		s.pages = s.pages[:last]
	}
	if len(s.free) > 2*int(s.end) { // most are behind
		s.free = slices.Clip(slices.DeleteFunc(s.free, func(i uint32) bool { return i >= s.end }))
	}
}

// at returns a value by its number. The pointer is good until the next freeze.
func (s *slab[T]) at(i uint32) *T {
	if s.frozen != nil {
		s.thaw(int(i >> pageBits))
	}
	return &s.pages[i>>pageBits][i%pageLen]
}

// look returns a value by its number, only to be read: unlike at it copies nothing while there
// is a snapshot.
func (s *slab[T]) look(i uint32) *T { return &s.pages[i>>pageBits][i%pageLen] }

// thaw makes a page that belongs to a snapshot one that may be changed.
func (s *slab[T]) thaw(p int) {
	if p < len(s.frozen) && s.frozen[p] {
		s.frozen[p] = false
		page := *s.pages[p]
		s.pages[p] = &page
	}
}

// freeze returns a snapshot, which stays as it is. Until unfreeze, pages that are
// looked at are copied.
func (s *slab[T]) freeze() slab[T] {
	s.frozen = make([]bool, len(s.pages))
	for p := range s.frozen {
		s.frozen[p] = true
	}
	return slab[T]{pages: slices.Clone(s.pages), end: s.end, n: s.n}
}

// unfreeze gives the snapshot up.
func (s *slab[T]) unfreeze() { s.frozen = nil }

// all is over the numbers before end, also those that are free.
func (s *slab[T]) all() iter.Seq2[uint32, *T] {
	return func(yield func(uint32, *T) bool) {
		for i := uint32(1); i < s.end; i++ {
			if !yield(i, s.at(i)) {
				return
			}
		}
	}
}
