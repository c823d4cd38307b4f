package segment

import (
	"cmp"
	"slices"
)

// number merges the keys and numbers the documents.
func (m *merger) number(o Order) error {
	var hosts Hosts
	each := func([]byte) {}
	if o.By == ByHost {
		each = hosts.Add
	}
	if err := m.keys(each); err != nil {
		return err
	}
	var numbers []uint32 // by place of the key
	switch o.By {
	case ByHost:
		numbers = hosts.Numbers()
	case ByColumn:
		of, _, err := m.of(o.Field)
		if err != nil {
			return err
		}
		v, err := m.values(of)
		if err != nil {
			return err
		}
		numbers = Descending(v)
	case AsGiven:
		numbers = m.given()
	}
	for _, moved := range m.moved {
		m.renumber(moved, numbers)
	}
	m.w.Order(o, numbers)
	return nil
}

// renumber takes places of keys for the numbers of their documents.
func (m *merger) renumber(moved, numbers []uint32) {
	next := uint32(0)
	for doc, place := range moved {
		if place == NoDoc {
			continue
		}
		if numbers != nil {
			moved[doc] = numbers[place]
		}
		m.scattered = m.scattered || moved[doc] < next
		next = moved[doc]
	}
}

// given numbers keys as their documents follow each other.
func (m *merger) given() []uint32 {
	numbers, next := make([]uint32, m.docs), uint32(0)
	for _, moved := range m.moved {
		for _, place := range moved {
			if place != NoDoc {
				numbers[place] = next
				next++
			}
		}
	}
	return numbers
}

// scatter merges lists whose documents come in another order: it gathers and
// sorts them, some at a time.
type scatter struct {
	*merger
	found []posting
	at    []uint32 // where they stand
}

// posting is a document that holds a term tf times, and where in scatter.at it
// says where.
type posting struct {
	doc, tf  uint32
	from, to int
}

// mostGathered is about how many bytes are gathered at a time.
const mostGathered = 64 << 20

// lists merges the lists of one term.
func (s *scatter) lists(fw *FieldWriter, walks []*termWalk) error {
	size := uint64(0)
	for _, t := range walks {
		e, err := t.terms.Entry()
		if err != nil {
			return err
		}
		size += 24*uint64(e.Docs) + 6*e.PosSize
	}
	step := max(1, uint64(s.docs)/(1+size/mostGathered))
	for lo := uint64(0); lo < uint64(s.docs); lo += step {
		for _, t := range walks {
			if err := s.gather(t, lo, lo+step, fw.positions != nil); err != nil {
				return err
			}
		}
		slices.SortFunc(s.found, func(a, b posting) int { return cmp.Compare(a.doc, b.doc) })
		for _, p := range s.found {
			fw.Add(p.doc, p.tf, s.at[p.from:p.to])
		}
		s.found, s.at = s.found[:0], s.at[:0]
	}
	return nil
}

// gather takes the documents from lo up to, not with, hi of a list.
func (s *scatter) gather(t *termWalk, lo, hi uint64, positions bool) error {
	for err := t.open(); t.doc != NoDoc || err != nil; err = t.next() {
		if err == nil {
			err = s.check()
		}
		if err != nil {
			return err
		}
		if doc := uint64(t.doc); doc < lo || doc >= hi {
			continue
		}
		p := posting{doc: t.doc, tf: t.cursor.TF(), from: len(s.at)}
		if positions {
			s.at = t.cursor.Positions(s.at)
		}
		p.to = len(s.at)
		s.found = append(s.found, p)
	}
	return t.cursor.Err()
}
