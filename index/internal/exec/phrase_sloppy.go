package exec

import (
	"slices"
	"sort"
)

// sloppy counts a phrase whose words need not stand in a row: the positions of
// the first word from which the others can be chosen, all different, such that the
// positions, each moved back by the word's offset, lie in a window of slop.
type sloppy struct {
	run     *Run
	found   [][]uint32 // of each word, ascending
	offsets []int
	before  []int // the word before that is the same, but for the first one; 0: none
	slop    int

	first  int   // position of the first word
	chosen []int // positions of the words
	sorted []int
	kuhn   pairing
}

func newSloppy(run *Run, p *phrasePlan) *sloppy {
	s := &sloppy{run: run, offsets: p.offsets, slop: p.Slop, before: make([]int, len(p.Words)), chosen: make([]int, len(p.Words))}
	last := map[string]int{} // words, by their terms
	for i, w := range p.Words[1:] {
		s.before[i+1] = last[w.text]
		last[w.text] = i + 1
	}
	return s
}

func (s *sloppy) count(found [][]uint32) (n uint32) {
	s.found = found
	for _, first := range found[0] {
		if s.first = int(first); s.near() {
			n++
		}
	}
	return n
}

// near reports whether the other words are near the first one: in one of the
// windows that it is in. A window that fails says which later ones fail, too.
func (s *sloppy) near() bool {
	x := s.first - s.offsets[0]
	for start := x - s.slop; start <= x; {
		next, ok := s.fits(start)
		if ok {
			return true
		}
		start = next
	}
	return false
}

// far is behind all positions.
const far = 1 << 62

// fits reports whether each word can have a position of its own in the window
// from start on; if not, next is the first window that is worth trying.
//
// Of words that are the same, each takes the first position that those before it
// leave, which is best: windows of later words begin and end later. In later
// windows it can only be a later one, so that where it is outside, all windows fail
// that end before it. Words that are not the same seldom compete, unless terms
// stand at one position; then it is a matching.
func (s *sloppy) fits(start int) (next int, ok bool) {
	s.chosen[0] = s.first
	for i := 1; i < len(s.found); i++ {
		if s.run.Stop() {
			return far, false
		}
		from := start + s.offsets[i]
		if j := s.before[i]; j > 0 {
			from = max(from, s.chosen[j]+1)
		}
		p := s.from(i, from)
		if p == s.first {
			p = s.from(i, p+1)
		}
		if p > start+s.offsets[i]+s.slop {
			return p - s.offsets[i] - s.slop, false
		}
		s.chosen[i] = p
	}
	s.sorted = append(s.sorted[:0], s.chosen...)
	slices.Sort(s.sorted)
	if len(slices.Compact(s.sorted)) == len(s.found) || s.match(start) {
		return 0, true
	}
	return s.following(start), false
}

// from returns the first position of a word that is not less than p.
func (s *sloppy) from(word, p int) int {
	places := s.found[word]
	if i := sort.Search(len(places), func(i int) bool { return int(places[i]) >= p }); i < len(places) {
		return int(places[i])
	}
	return far
}

// following returns the next window that begins with a word.
func (s *sloppy) following(start int) int {
	next := far
	for i, offset := range s.offsets {
		next = min(next, s.from(i, start+offset+1)-offset)
	}
	return next
}

// pairing is a matching of words and positions, found along augmenting paths
// (Kuhn's algorithm).
type pairing struct {
	taken map[int]int  // for each position, the word that takes it
	tried map[int]bool // positions looked at for one word
}

// match reports whether there is a matching in the window from start on.
func (s *sloppy) match(start int) bool {
	s.kuhn = pairing{map[int]int{s.first: 0}, map[int]bool{}}
	for i := 1; i < len(s.found); i++ {
		clear(s.kuhn.tried)
		s.kuhn.tried[s.first] = true
		if !s.place(i, start) {
			return false
		}
	}
	return true
}

// place gives a word a position, and others others if need be.
func (s *sloppy) place(word, start int) bool {
	last := start + s.offsets[word] + s.slop
	for p := s.from(word, start+s.offsets[word]); p <= last; p = s.from(word, p+1) {
		if s.run.Stop() {
			return false
		}
		if s.kuhn.tried[p] {
			continue
		}
		s.kuhn.tried[p] = true
		if other, ok := s.kuhn.taken[p]; !ok || s.place(other, start) {
			s.kuhn.taken[p] = word
			return true
		}
	}
	return false
}
