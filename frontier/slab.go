package frontier

import "iter"

const (
	pageBits = 8
	pageLen  = 1 << pageBits
)

// slab keeps values by number, from 1 on, in pages, so that it grows without
// copying and without a pointer for each value. The number of a value stays the
// same until it is given back; then another value may get it.
type slab[T any] struct {
	pages []*[pageLen]T
	end   uint32   // numbers up to here were taken at some time
	free  []uint32 // of these, those that can be taken again
}

// take returns a number that is in no use; its value is zero.
func (s *slab[T]) take() uint32 {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		return i
	}
	s.end++
	if int(s.end>>pageBits) >= len(s.pages) {
		s.pages = append(s.pages, new([pageLen]T))
	}
	return s.end
}

// give makes a number free. A slab with nothing in it takes no memory.
func (s *slab[T]) give(i uint32) {
	var zero T
	*s.at(i) = zero
	s.free = append(s.free, i)
	if len(s.free) == int(s.end) {
		*s = slab[T]{}
	}
}

// at returns a value by its number.
func (s *slab[T]) at(i uint32) *T { return &s.pages[i>>pageBits][i%pageLen] }

// all is over the numbers that were taken at some time, also those that are free.
func (s *slab[T]) all() iter.Seq2[uint32, *T] {
	return func(yield func(uint32, *T) bool) {
		for i := uint32(1); i <= s.end; i++ {
			if !yield(i, s.at(i)) {
				return
			}
		}
	}
}

// clone returns a copy.
func (s *slab[T]) clone() slab[T] {
	c := slab[T]{pages: make([]*[pageLen]T, len(s.pages)), end: s.end}
	all := make([][pageLen]T, len(s.pages))
	for i, p := range s.pages {
		all[i] = *p
		c.pages[i] = &all[i]
	}
	return c
}
