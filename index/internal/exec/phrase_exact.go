package exec

import "math"

// steps is a mark for each place where a phrase may start in a document: how many of
// its words stand where they would have to, over what the marks of earlier documents
// are at most.
type steps struct {
	marks [1 << 16]uint16
	most  uint16
}

// begin returns the mark of the first of n words in a new document.
func (s *steps) begin(n int) (high uint16) {
	if int(s.most)+n > math.MaxUint16 {
		*s = steps{}
	}
	high = s.most + 1
	s.most += uint16(n)
	return high
}

// exact counts the positions of the first word from which the others stand in a
// row. The rarest word marks where the phrase may start, and each further one
// raises the marks that it agrees with: no step depends on what is found, so that
// processors need not guess. Most documents are done with after the two rarest
// words, without reading where the frequent ones stand.
func (w *PhraseIterator) exact() (n uint32) {
	if len(w.order) > math.MaxUint16 {
		return w.exactLong()
	}
	s := w.Run.space().marks()
	high := s.begin(len(w.order))
	for i := range w.order {
		from := -uint32(w.Plan.offsets[w.order[i].at])
		switch {
		case i == 0:
			var long bool
			if n, long = s.mark(w, from, high); long {
				return w.exactLong()
			}
			continue
		case w.Plan.unscored && i == len(w.order)-1:
			return s.meet(w, i, from, high)
		}
		if n = s.raise(w, i, from, high); n == 0 || w.Run.Err != nil {
			return 0
		}
		high++
	}
	return n
}

// eachGaps yields the places of the n-th rarest word in the current document piece
// by piece: how far each is from the one before.
func (w *PhraseIterator) eachGaps(n int, yield func(gaps []uint32) bool) {
	p := w.order[n]
	if len(p.Cursors) == 1 {
		p.Cursors[0].EachGaps(yield)
		return
	}
	places, _ := w.read(n)
	for i := len(places) - 1; i > 0; i-- {
		places[i] -= places[i-1]
	}
	yield(places)
}

// mark marks the places of the rarest word, and returns how many there are and
// whether some are beyond all marks.
func (s *steps) mark(w *PhraseIterator, from uint32, high uint16) (n uint32, long bool) {
	end := from
	w.eachGaps(0, func(gaps []uint32) bool {
		at := end
		for _, gap := range gaps {
			if at += gap; at < uint32(len(s.marks)) { // what is less than 0 is not
				s.marks[at] = high
			}
		}
		end = at
		n += uint32(len(gaps))
		return true
	})
	return n, end-from >= uint32(len(s.marks))
}

// raise raises the marks that are high and agree with the places of a word, and
// returns how many it has raised.
func (s *steps) raise(w *PhraseIterator, word int, from uint32, high uint16) (n uint32) {
	w.eachGaps(word, func(gaps []uint32) bool {
		at, raised := from, uint32(0)
		for _, gap := range gaps {
			if at += gap; at >= uint32(len(s.marks)) {
				continue
			}
			var more uint16
			if s.marks[at] == high {
				more = 1
			}
			s.marks[at] += more
			raised += uint32(more)
		}
		from, n = at, n+raised
		return !w.Run.Spend(len(gaps))
	})
	return n
}

// meetLen is how many places are compared before it is looked whether any agrees.
const meetLen = 16

// meet returns 1 if a place of a word agrees with a mark that is high, else 0. It
// reads no further than it must.
func (s *steps) meet(w *PhraseIterator, word int, from uint32, high uint16) (n uint32) {
	w.eachGaps(word, func(gaps []uint32) bool {
		for len(gaps) > 0 {
			some, at, met := gaps[:min(meetLen, len(gaps))], from, uint8(0)
			first := at + some[0]
			for _, gap := range some {
				at += gap
				var agrees uint8
				if s.marks[uint16(at)] == high {
					agrees = 1
				}
				met |= agrees
			}
			if met != 0 && (first <= at && at < uint32(len(s.marks)) || s.agrees(from, some, high)) {
				n = 1
				return false
			}
			from, gaps = at, gaps[len(some):]
		}
		return true
	})
	return n
}

// agrees is meet for places that may lie beyond all marks.
func (s *steps) agrees(at uint32, gaps []uint32, high uint16) bool {
	for _, gap := range gaps {
		if at += gap; at < uint32(len(s.marks)) && s.marks[at] == high {
			return true
		}
	}
	return false
}

// exactLong is exact for documents and phrases of any length: it merges.
func (w *PhraseIterator) exactLong() (n uint32) {
	var starts starts
	var places []uint32
	var of *stand // that places is of
	for i, p := range w.order {
		if p.stand != of {
			w.long = p.positions(w.long[:0])
			places, of = w.long, p.stand
		}
		offset := w.Plan.offsets[p.at]
		if i == 0 {
			starts = startsOf(places, offset)
		} else {
			starts = starts.narrow(places, offset)
		}
		if len(starts) == 0 || w.Run.Spend(len(places)) {
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
