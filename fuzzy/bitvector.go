package fuzzy

// wordBits is the length of the longest pattern that one machine word holds.
const wordBits = 64

// A pattern computes the Levenshtein or OSA distance of one string to many, a
// column of the table at a time: bit i of each word stands for row i+1
// (Myers, 1999; Hyyrö, 2003).
type pattern struct {
	size  int // runes, 1 to wordBits
	ascii [128]uint64
	other []runeBits
}

// runeBits has the bits of the rows where a rune stands.
type runeBits struct {
	r    rune
	bits uint64
}

func (p *pattern) compile(s []rune) {
	p.size = len(s)
	clear(p.ascii[:])
	p.other = p.other[:0]
	for i, r := range s {
		*p.at(r) |= 1 << i
	}
}

// at is where the bits of a rune of the pattern are kept.
func (p *pattern) at(r rune) *uint64 {
	if uint32(r) < uint32(len(p.ascii)) {
		return &p.ascii[r]
	}
	for i := range p.other {
		if p.other[i].r == r {
			return &p.other[i].bits
		}
	}
	p.other = append(p.other, runeBits{r: r})
	return &p.other[len(p.other)-1].bits
}

func (p *pattern) bits(r rune) uint64 {
	if uint32(r) < uint32(len(p.ascii)) {
		return p.ascii[r]
	}
	for i := range p.other {
		if p.other[i].r == r {
			return p.other[i].bits
		}
	}
	return 0
}

// distance is the distance of the pattern and a text of n runes, or something
// greater than most when that is greater than most. With prefix it is the
// least distance of the pattern and any prefix of the text.
func (p *pattern) distance(text string, n, most int, prefix, swaps bool) int {
	score, best, left := p.size, p.size, n
	if prefix {
		left = min(left, p.size+most)
	}
	top := uint64(1) << (p.size - 1)
	up, down := ^uint64(0), uint64(0) // rows where the cell is one more, one less than the cell above
	var diagonal, before uint64       // rows where the cell equals its upper left neighbour; bits of the rune before
	for _, r := range text {
		if left == 0 {
			break
		}
		left--
		bits := p.bits(r)
		swapped := (^diagonal & bits) << 1 & before
		diagonal = (bits&up + up) ^ up | bits | down
		if swaps {
			diagonal |= swapped
		}
		more := down | ^(diagonal | up) // rows where the cell is one more than the cell to the left
		less := diagonal & up
		if more&top != 0 {
			score++
		} else if less&top != 0 {
			score--
		}
		if score < best {
			best = score
		}
		if !prefix && score-left > most {
			return score - left
		}
		more = more<<1 | 1
		up, down = less<<1|^(diagonal|more), more&diagonal
		before = bits
	}
	if prefix {
		return best
	}
	return score
}
