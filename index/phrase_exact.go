package index

import "github.com/webquarry/quarry/index/internal/postings"

// steps is a byte for each place where a phrase may start in a document: how many
// of its words stand where they would have to. All are 0 between documents.
type steps [1 << 16]uint8

// exact counts the positions of the first word from which the others stand in a
// row. The rarest word marks where the phrase may start, and each further one
// raises the marks that it agrees with: no step depends on what is found, so that
// processors need not guess. Most documents are done with after the two rarest
// words, without reading where the frequent ones stand.
func (w *phraseWalk) exact() uint32 {
	lead, offset := w.read(0)
	if len(lead) == 0 || lead[len(lead)-1] >= uint32(len(steps{})) || len(w.order) > 255 {
		return w.exactLong()
	}
	marks := w.run.space().marks()
	for _, p := range lead {
		if at := p - offset; at < uint32(len(marks)) { // what is less than 0 is not
			marks[at] = 1
		}
	}
	n, high := uint32(len(lead)), uint8(1)
	for ; int(high) < len(w.order) && n > 0; high++ {
		if last := w.order[high]; w.plan.unscored && int(high) == len(w.order)-1 && len(last.cursors) == 1 {
			n = marks.meet(last.cursors[0], uint32(w.plan.offsets[last.at]), high)
			break
		}
		places, offset := w.read(int(high))
		n = marks.raise(places, offset, high)
		w.run.spend(len(places))
	}
	if n > 0 && !w.plan.unscored {
		n = marks.count(w.found[0], uint32(w.plan.offsets[0]), high)
	}
	for _, p := range lead {
		if at := p - offset; at < uint32(len(marks)) {
			marks[at] = 0
		}
	}
	return n
}

// raise raises the marks that are high and agree with the places of a word, and
// returns how many it has raised.
func (s *steps) raise(places []uint32, offset uint32, high uint8) (n uint32) {
	for _, p := range places {
		at := p - offset
		if at >= uint32(len(s)) {
			continue
		}
		var more uint8
		if s[at] == high {
			more = 1
		}
		s[at] += more
		n += uint32(more)
	}
	return n
}

// meetLen is how many places are compared before it is looked whether any agrees.
const meetLen = 16

// meet returns 1 if a place of a word agrees with a mark that is high, else 0. It
// reads no further than it must.
func (s *steps) meet(c *postings.Cursor, offset uint32, high uint8) (n uint32) {
	at := -offset
	c.EachGaps(func(gaps []uint32) bool {
		for len(gaps) > 0 {
			some, start, met := gaps[:min(meetLen, len(gaps))], at, uint8(0)
			first := at + some[0]
			for _, gap := range some {
				at += gap
				var agrees uint8
				if s[uint16(at)] == high {
					agrees = 1
				}
				met |= agrees
			}
			if met != 0 && (first <= at && at < uint32(len(s)) || s.agrees(start, some, high)) {
				n = 1
				return false
			}
			gaps = gaps[len(some):]
		}
		return true
	})
	return n
}

// agrees is meet for places that may lie beyond all marks.
func (s *steps) agrees(at uint32, gaps []uint32, high uint8) bool {
	for _, gap := range gaps {
		if at += gap; at < uint32(len(s)) && s[at] == high {
			return true
		}
	}
	return false
}

// count counts the places whose mark is high.
func (s *steps) count(places []uint32, offset uint32, high uint8) (n uint32) {
	for _, p := range places {
		if at := p - offset; at < uint32(len(s)) && s[at] == high {
			n++
		}
	}
	return n
}

// exactLong is exact for documents and phrases of any length: it merges.
func (w *phraseWalk) exactLong() (n uint32) {
	var starts starts
	for i := range w.order {
		places, offset := w.read(i)
		if i == 0 {
			starts = startsOf(places, int(offset))
		} else {
			starts = starts.narrow(places, int(offset))
		}
		if len(starts) == 0 || w.run.spend(len(places)) {
			return 0
		}
	}
	return uint32(len(starts))
}

// starts are where the first word of a phrase may stand, less its offset.
type starts []int

func startsOf(places []uint32, offset int) (s starts) {
	for _, p := range places {
		s = append(s, int(p)-offset)
	}
	return s
}

// narrow keeps those that a further word allows.
func (s starts) narrow(places []uint32, offset int) starts {
	kept, at := s[:0], 0
	for _, start := range s {
		for at < len(places) && int(places[at])-offset < start {
			at++
		}
		if at < len(places) && int(places[at])-offset == start {
			kept = append(kept, start)
		}
	}
	return kept
}
