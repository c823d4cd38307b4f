package invert

// passTokens is how many tokens are sorted at a time, about: it bounds the
// memory that sorting takes.
const passTokens = 4 << 20

// sorter turns the tokens of a field, document after document, into the
// documents of each term, by counting: it counts the tokens of each term, gives
// each term its room, and puts every token there. Terms take turns, as many as
// passTokens allow.
type sorter struct {
	f      *field
	runs   []placed // by document
	order  []uint32 // the terms in their order
	counts []uint32 // by term
	next   []uint32 // by term: where its next token goes; from none on: not this time
	found  []occurrence
}

const none = 1 << 31

// occurrence is a place in a document. Those of one term are neighbours, in
// ascending order.
type occurrence struct{ doc, pos uint32 }

func newSorter(f *field, runs []placed) *sorter {
	n := len(f.terms.starts)
	s := &sorter{f: f, runs: runs, order: f.terms.sorted(), counts: make([]uint32, n), next: make([]uint32, n)}
	for _, r := range runs {
		for piece := range f.pieces(r.run) {
			for _, x := range piece {
				if x < jump {
					s.counts[x]++
				}
			}
		}
	}
	return s
}

// terms yields the terms that have any tokens, in order, with these.
func (s *sorter) terms(yield func(term uint32, at []occurrence) bool) {
	for len(s.order) > 0 {
		some, n := s.take()
		s.place(n)
		from := uint32(0)
		for _, term := range some {
			to := s.next[term]
			if to > from && !yield(term, s.found[from:to]) {
				return
			}
			from = to
		}
	}
}

// take takes the next terms, and gives them room.
func (s *sorter) take() (some []uint32, tokens int) {
	for i := range s.next {
		s.next[i] = none
	}
	n := 0
	for n < len(s.order) && (n == 0 || tokens+int(s.counts[s.order[n]]) <= passTokens) {
		s.next[s.order[n]] = uint32(tokens)
		tokens += int(s.counts[s.order[n]])
		n++
	}
	some, s.order = s.order[:n], s.order[n:]
	return some, tokens
}

// place puts n tokens where they belong.
func (s *sorter) place(n int) {
	if cap(s.found) <= n {
		s.found = make([]occurrence, n+1)
	}
	found := s.found[:n+1] // the last takes what has no turn, which is quicker than looking whether
	for _, r := range s.runs {
		at := uint32(0)
		for piece := range s.f.pieces(r.run) {
			for _, x := range piece {
				if x >= jump {
					at += x&^jump - 1
					continue
				}
				to := s.next[x]
				s.next[x] = to + 1
				found[min(to, uint32(n))] = occurrence{r.doc, at}
				at++
			}
		}
	}
}
