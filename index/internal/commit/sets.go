package commit

import "github.com/webquarry/quarry/index/internal/segment"

// Sets are values for columns that were given without their documents: by
// number of the field and document.
type Sets map[int]map[uint32]Value

// Value is a value that was set.
type Value struct {
	Number int64
	OK     bool // false: the document has no value any more
}

// Put adds a value.
func (s Sets) Put(field int, doc uint32, v Value) {
	if s[field] == nil {
		s[field] = map[uint32]Value{}
	}
	s[field][doc] = v
}

// Add adds later ones.
func (s Sets) Add(later Sets) {
	for field, values := range later {
		for doc, v := range values {
			s.Put(field, doc, v)
		}
	}
}

// MovedTo adds the sets to out, by the numbers that a merge has given the
// documents.
func (s Sets) MovedTo(out Sets, moved []uint32) {
	for field, values := range s {
		for doc, v := range values {
			if at := moved[doc]; at != segment.NoDoc {
				out.Put(field, at, v)
			}
		}
	}
}
