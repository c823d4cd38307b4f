package segment

import "cmp"

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
	numbers, err := m.ordered(o, &hosts)
	if err != nil {
		return err
	}
	for _, moved := range m.moved {
		m.renumber(moved, numbers)
	}
	m.w.Order(o, numbers)
	return nil
}

// ordered returns the number of each key; nil: they are in the order of keys.
func (m *merger) ordered(o Order, hosts *Hosts) ([]uint32, error) {
	switch o.By {
	case ByHost:
		return hosts.Numbers(m.check)
	case ByColumn:
		of, _, err := m.of(o.Field)
		if err != nil {
			return nil, err
		}
		v, err := m.values(of)
		if err != nil {
			return nil, err
		}
		return Descending(m.check, v)
	case AsGiven:
		return m.given(), nil
	}
	return nil, nil
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
	hi    uint32   // documents from here on are left to the next time
}

// posting is a document that holds a term tf times, and where in scatter.at it
// says where.
type posting struct {
	doc, tf  uint32
	from, to int
}

const postingSize = 24

// mostGathered is how many bytes are gathered at a time; of a document with more,
// these alone.
const mostGathered = 64 << 20

// lists merges the lists of one term.
func (s *scatter) lists(fw *FieldWriter, walks []*termWalk) error {
	for lo := uint32(0); lo < s.docs; lo = max(s.hi, lo+1) {
		s.hi = s.docs
		for _, t := range walks {
			if err := s.gather(t, lo, fw.positions != nil); err != nil {
				return err
			}
		}
		if err := s.sort(); err != nil {
			return err
		}
		for _, p := range s.found {
			fw.Add(p.doc, p.tf, s.at[p.from:p.to])
		}
		s.found, s.at = s.found[:0], s.at[:0]
	}
	return nil
}

// gather takes the documents from lo up to, not with, s.hi of a list.
func (s *scatter) gather(t *termWalk, lo uint32, positions bool) error {
	for err := t.open(); t.doc != NoDoc || err != nil; err = t.next() {
		if err == nil {
			err = s.check()
		}
		if err != nil {
			return err
		}
		if t.doc < lo || t.doc >= s.hi {
			continue
		}
		p := posting{doc: t.doc, tf: t.cursor.TF(), from: len(s.at)}
		if positions {
			s.at = t.cursor.Positions(s.at)
		}
		p.to = len(s.at)
		s.found = append(s.found, p)
		if postingSize*len(s.found)+4*len(s.at) > s.most && len(s.found) > 1 {
			if err := s.halve(); err != nil {
				return err
			}
		}
	}
	return t.cursor.Err()
}

func (s *scatter) sort() error {
	return sortFunc(s.check, s.found, func(a, b posting) int { return cmp.Compare(a.doc, b.doc) })
}

// halve leaves the later half of the documents to the next time.
func (s *scatter) halve() error {
	if err := s.sort(); err != nil {
		return err
	}
	half := len(s.found) / 2
	s.hi, s.found = s.found[half].doc, s.found[:half]
	if err := sortFunc(s.check, s.found, func(a, b posting) int { return cmp.Compare(a.from, b.from) }); err != nil {
		return err
	}
	kept := s.at[:0]
	for i, p := range s.found {
		s.found[i].from = len(kept)
		kept = append(kept, s.at[p.from:p.to]...)
		s.found[i].to = len(kept)
	}
	s.at = kept
	return nil
}
