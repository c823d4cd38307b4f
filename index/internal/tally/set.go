package tally

import "math/bits"

// set is a set of numbers: a table with room for twice as many. The zero value
// is empty. A map takes twice the time where most of a million numbers differ, and
// the same where few do (BenchmarkSet).
type set struct {
	slots []int64 // 0: free
	zero  bool    // 0 is in it
	count int
}

const leastSlots = 64

// add adds a number.
func (s *set) add(v int64) {
	if v == 0 {
		if !s.zero {
			s.zero = true
			s.count++
		}
		return
	}
	if 2*s.count >= len(s.slots) {
		old := s.slots
		s.slots = make([]int64, max(leastSlots, 2*len(old)))
		for _, o := range old {
			if o != 0 {
				s.slots[s.find(o)] = o
			}
		}
	}
	if i := s.find(v); s.slots[i] == 0 {
		s.slots[i] = v
		s.count++
	}
}

// merge adds the numbers of another set.
func (s *set) merge(other set) {
	if other.zero {
		s.add(0)
	}
	for _, v := range other.slots {
		if v != 0 {
			s.add(v)
		}
	}
}

// find returns the slot of a number, or the free one where it would be.
func (s *set) find(v int64) int {
	mask := len(s.slots) - 1
	h := uint64(v) * 0x9e3779b97f4a7c15
	i := int(h>>32^h>>(64-uint(bits.Len(uint(mask))))) & mask
	for s.slots[i] != 0 && s.slots[i] != v {
		i = (i + 1) & mask
	}
	return i
}
