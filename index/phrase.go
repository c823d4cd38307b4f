package index

// countSloppy counts the positions of the first word from which the others can
// be chosen, all different, such that the positions, each moved back by the
// word's offset, differ by at most slop.
func countSloppy(run *run, found [][]uint32, offsets []int, slop int) uint32 {
	s := sloppy{run: run, found: found, offsets: offsets, slop: slop, taken: map[int]int{}, tried: map[int]bool{}}
	n := uint32(0)
	for _, x := range found[0] {
		if s.near(int(x)) {
			n++
		}
	}
	return n
}

type sloppy struct {
	run     *run
	found   [][]uint32
	offsets []int
	slop    int
	taken   map[int]int  // for each position, the word that takes it
	tried   map[int]bool // positions looked at for one word
}

// near reports whether the other words are near the first one at x. The moved
// back positions lie in a window of slop that x is in; it suffices to try
// those windows that start at one of them.
func (s *sloppy) near(x int) bool {
	x -= s.offsets[0]
	for i, positions := range s.found {
		for _, p := range positions[s.search(i, x-s.slop+s.offsets[i]):] {
			start := int(p) - s.offsets[i]
			if start > x || s.run.stop() {
				break
			}
			if s.fits(start, x) {
				return true
			}
		}
	}
	return false
}

// search returns the first of a word's positions that is not less than p.
func (s *sloppy) search(word, p int) int {
	lo, hi := 0, len(s.found[word])
	for lo < hi {
		if mid := (lo + hi) / 2; int(s.found[word][mid]) < p {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// fits reports whether each word can have a position of its own in the window
// from start on, the first word being at x. It is a matching of words and
// positions, found along augmenting paths (Kuhn's algorithm).
func (s *sloppy) fits(start, x int) bool {
	first := x + s.offsets[0]
	clear(s.taken)
	s.taken[first] = 0
	for i := 1; i < len(s.found); i++ {
		clear(s.tried)
		s.tried[first] = true
		if !s.place(i, start) {
			return false
		}
	}
	return true
}

func (s *sloppy) place(word, start int) bool {
	from := s.search(word, start+s.offsets[word])
	for _, p := range s.found[word][from:] {
		at := int(p)
		if at > start+s.offsets[word]+s.slop {
			break
		}
		if s.tried[at] {
			continue
		}
		s.tried[at] = true
		if other, ok := s.taken[at]; !ok || s.place(other, start) {
			s.taken[at] = word
			return true
		}
	}
	return false
}
