package automaton

import (
	"math/bits"
	"unicode/utf8"
)

// Dictionary is strings in ascending order, starting before the first.
type Dictionary interface {
	Next() bool         // goes to the next string, if there is one
	Seek(s []byte) bool // goes to the first string that is not less than s
	Term() []byte       // the string, until the next move
}

// runeStart is the least byte that continues no rune, from utf8.RuneSelf on.
const runeStart = 0xC0

// Walk yields the strings of a dictionary that the automaton accepts, with how
// far from the pattern they are. It looks at a string only if one that begins
// like it may match. It returns what ended it too early; an error of the
// dictionary is asked for there.
func (a *Automaton) Walk(dict Dictionary, yield func(term []byte, far int) bool) error {
	w := walker{a: a, dict: dict}
	w.path = append(w.path, point{0, a.start()})
	for ok := dict.Next(); ok && a.err == nil; {
		alive := w.follow(dict.Term())
		switch last := w.path[len(w.path)-1].state; {
		case !alive:
			if !w.leap() {
				return a.err
			}
			ok = dict.Seek(w.target)
		case last.far >= 0 && !yield(dict.Term(), last.far):
			return a.err
		default:
			ok = dict.Next()
		}
	}
	return a.err
}

// walker is a place in the dictionary, and the states on the way there.
type walker struct {
	a      *Automaton
	dict   Dictionary
	term   []byte // that was looked at last
	path   []point
	failed int // how much of term has no match
	target []byte
}

// point is a state after so many bytes.
type point struct {
	at    int
	state *state
}

// follow goes along a string, from where it parts from the one before, and
// reports whether it gets to its end.
func (w *walker) follow(term []byte) bool {
	same := 0
	for same < len(term) && same < len(w.term) && term[same] == w.term[same] {
		same++
	}
	for w.torn(w.path[len(w.path)-1].at, same) {
		w.path = w.path[:len(w.path)-1]
	}
	w.term = append(w.term[:same], term[same:]...)
	p := w.path[len(w.path)-1]
	for p.at < len(w.term) {
		class, n := w.a.class(w.term[p.at:])
		next := w.a.step(p.state, class)
		if next == w.a.dead {
			w.failed = p.at + n
			return false
		}
		p = point{p.at + n, next}
		w.path = append(w.path, p)
	}
	return true
}

// torn reports whether the rune before at may be another one in a string that
// has only the first bytes of term in common: it is not there as a whole, or
// was no UTF-8.
func (w *walker) torn(at, same int) bool {
	return at > same || at > 0 && w.term[at-1] >= utf8.RuneSelf && at+utf8.UTFMax-1 > same
}

// leap sets target to a string that is greater than all that begin with the
// failed part of term, such that none before it matches; false: there is none.
func (w *walker) leap() bool {
	for end := w.failed; len(w.path) > 0; {
		p := w.path[len(w.path)-1]
		if end == p.at+1 && w.term[p.at] >= utf8.RuneSelf { // no UTF-8: a longer string may have a rune here
			w.target = append(append(w.target[:0], w.term...), 0)
			return true
		}
		for i := end - 1; i > p.at; i-- { // inside a rune
			if w.term[i] < 0xFF {
				w.target = append(append(w.target[:0], w.term[:i]...), w.term[i]+1)
				return true
			}
		}
		b := after(w.a.living(p.state), int(w.term[p.at]))
		if more := max(int(w.term[p.at])+1, utf8.RuneSelf); more < runeStart && w.loose() && (b < 0 || more < b) {
			b = more
		}
		if b >= 0 {
			w.target = append(append(w.target[:0], w.term[:p.at]...), byte(b))
			if b < utf8.RuneSelf {
				w.target = append(w.target, w.a.first(w.a.step(p.state, w.a.ascii[b]))...)
			}
			return true
		}
		end = p.at
		w.path = w.path[:len(w.path)-1]
	}
	return false
}

// loose reports whether the byte before the last point is no UTF-8 by itself:
// other bytes behind it may make it a rune.
func (w *walker) loose() bool {
	n := len(w.path)
	return n > 1 && w.path[n-1].at == w.path[n-2].at+1 && w.term[w.path[n-2].at] >= utf8.RuneSelf
}

// after returns the least byte of a set that is greater than b; -1: none.
func after(set *[4]uint64, b int) int {
	for i := b + 1; i < 256; i = (i/64 + 1) * 64 {
		if rest := set[i/64] >> (i % 64); rest != 0 {
			return i + bits.TrailingZeros64(rest)
		}
	}
	return -1
}
