package html

import "golang.org/x/net/html/atom"

// startInTable takes a tag where only parts of a table may be.
func (s *stream) startInTable(t startTag) {
	switch t.atom {
	case atom.Script, atom.Style:
		if s.astray = s.top() == atom.Colgroup; !s.astray {
			s.raw(t)
		}
		return
	case atom.Caption, atom.Colgroup:
		s.dropTop(atom.Colgroup)
		s.astray = s.top() != atom.Table
	case atom.Col:
		if s.top() == atom.Table {
			s.imply(atom.Colgroup)
		}
		if s.astray = s.top() != atom.Colgroup; !s.astray {
			s.void(t)
		}
		return
	case atom.Tbody, atom.Tfoot, atom.Thead:
		s.dropTop(atom.Colgroup, atom.Tr)
		s.dropTop(atom.Tbody, atom.Tfoot, atom.Thead)
	case atom.Tr:
		s.dropTop(atom.Colgroup, atom.Tr)
		s.toRows()
	case atom.Td, atom.Th:
		s.dropTop(atom.Colgroup)
		if s.toRows(); s.top() != atom.Tr {
			s.imply(atom.Tr)
		}
	default:
		s.astray = true
	}
	if !s.astray {
		s.open(s.tag(t))
	}
}

// toRows begins the body of a table if there is none.
func (s *stream) toRows() {
	if s.top() == atom.Table {
		s.imply(atom.Tbody)
	}
}

// dropTop closes the innermost element if it is one of some.
func (s *stream) dropTop(a ...atom.Atom) {
	top := s.top()
	for _, a := range a {
		if top == a {
			s.drop(s.depth - 1)
			return
		}
	}
}

// startBesideTable takes a part of a table within a cell, which that ends, or where
// there is no table, and it counts for nothing.
func (s *stream) startBesideTable(t startTag) {
	switch i, a := s.partAround(); a {
	case 0:
	case atom.Td, atom.Th:
		s.drop(i)
		s.startInTable(t)
	default:
		s.astray = true
	}
}

// partAround returns the part of a table that the innermost element is in, or is.
func (s *stream) partAround() (place int, a atom.Atom) {
	for i := s.depth - 1; i >= 0; i-- {
		switch k := nestingOf(s.nodes[i].DataAtom); k {
		case tableTag, rowTag, cellTag:
			return i, s.nodes[i].DataAtom
		}
	}
	return 0, 0
}

// endInTable takes the end tag of a table or a part of it, and closes what is within.
func (s *stream) endInTable(a atom.Atom) {
	for {
		i, around := s.partAround()
		switch {
		case around == 0:
			return
		case around == a:
			s.drop(i)
			return
		case !s.endsPart(around, a):
			return
		}
		s.drop(i)
	}
}

// endsPart reports whether the end tag a ends the part of a table around it, of
// another kind.
func (s *stream) endsPart(around, a atom.Atom) bool {
	switch around {
	case atom.Td, atom.Th:
		return (a == atom.Table || a == atom.Tr || isRows(a)) && s.find(tableScope, a) >= 0
	case atom.Tr:
		return a == atom.Table || isRows(a) && s.find(tableScope, a) >= 0
	case atom.Colgroup:
		return a != atom.Col
	case atom.Table:
		return false
	}
	return a == atom.Table // tbody, caption
}

func isRows(a atom.Atom) bool { return a == atom.Tbody || a == atom.Tfoot || a == atom.Thead }
