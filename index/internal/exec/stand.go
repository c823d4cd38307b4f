package exec

import (
	"slices"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// stand walks the documents and places of a word of a phrase. The word may be
// of many terms; their cursors are a heap, the least document on top.
type stand struct {
	Cursors []*postings.Cursor
	open    bool
}

func newStand(r *Run, f *segment.FieldReader, entries []postings.Entry) *stand {
	s := &stand{}
	for _, e := range entries {
		s.Cursors = append(s.Cursors, r.cursor(f, e))
	}
	return s
}

func (s *stand) doc() uint32 { return s.Cursors[0].Doc() }

func (s *stand) Advance(target uint32) uint32 {
	if len(s.Cursors) == 1 {
		return s.Cursors[0].Advance(target)
	}
	return s.advanceAll(target)
}

func (s *stand) advanceAll(target uint32) uint32 {
	if !s.open {
		s.open = true
		for _, c := range s.Cursors {
			c.Advance(target)
		}
		for i := len(s.Cursors)/2 - 1; i >= 0; i-- {
			s.sink(i)
		}
	}
	for s.doc() < target {
		s.Cursors[0].Advance(target)
		s.sink(0)
	}
	return s.doc()
}

func (s *stand) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.Cursors); child++ {
			if s.Cursors[child].Doc() < s.Cursors[least].Doc() {
				least = child
			}
		}
		if least == i {
			return
		}
		s.Cursors[i], s.Cursors[least] = s.Cursors[least], s.Cursors[i]
		i = least
	}
}

// positions appends the places of the word in the current document.
func (s *stand) positions(dst []uint32) []uint32 {
	if len(s.Cursors) == 1 {
		return s.Cursors[0].Positions(dst)
	}
	dst = s.gather(dst, 0, s.doc())
	slices.Sort(dst)
	return slices.Compact(dst)
}

// gather appends the places of the cursors at doc that are below i in the
// heap.
func (s *stand) gather(dst []uint32, i int, doc uint32) []uint32 {
	if i >= len(s.Cursors) || s.Cursors[i].Doc() != doc {
		return dst
	}
	dst = s.Cursors[i].Positions(dst)
	dst = s.gather(dst, 2*i+1, doc)
	return s.gather(dst, 2*i+2, doc)
}

func (s *stand) Size() int {
	n := 0
	for _, c := range s.Cursors {
		n += int(c.Len())
	}
	return n
}
