package automaton

import (
	"errors"
	"slices"
	"sort"
	"unicode/utf8"
)

// ErrLarge is a pattern that needs too many states over the strings that it
// is asked of.
var ErrLarge = errors.New("the pattern is too complicated")

// ErrEnded is what ends an Automaton by Spend.
var ErrEnded = errors.New("the pattern was given up")

// maxStates and maxSteps bound what an Automaton remembers: states, and steps from
// these, of which each has one for each class of runes.
const (
	maxStates = 10_000
	maxSteps  = 4 << 20
)

// machine is a pattern. A state is a string; "" is the one that nothing leads
// out of.
type machine interface {
	start() string
	step(state string, r rune) string
	// accepts returns how far from the pattern a string is that leads to the
	// state; -1: it does not match.
	accepts(state string) int
}

// Automaton is a machine whose states are numbered when they are met. It is
// for one goroutine.
type Automaton struct {
	machine machine
	bounds  []rune // where runes begin that the machine tells from those before
	ascii   [utf8.RuneSelf]int32
	replace int32 // the class of what is not UTF-8
	numbers map[string]int32
	states  []*state
	dead    *state // that nothing leads out of
	begin   *state // nil: not known
	needs   Needs
	err     error

	// Spend is told of work, in steps of some tens of nanoseconds, and ends what is
	// under way by true; nil: nobody is told.
	Spend func(steps int) bool
}

// state is a state of the machine with what is known of it.
type state struct {
	text  string
	next  []*state // by class; nil: not known
	far   int      // -1: no match
	alive *[4]uint64
	first []byte // see there
}

// newAutomaton makes an automaton of a machine that tells apart only runes
// between which there is one of bounds.
func newAutomaton(m machine, bounds []rune) *Automaton {
	slices.Sort(bounds)
	a := &Automaton{machine: m, bounds: slices.Compact(bounds), numbers: map[string]int32{}, dead: &state{far: -1}}
	for c := range a.ascii {
		a.ascii[c] = a.search(rune(c))
	}
	a.replace = a.search(utf8.RuneError)
	return a
}

func (a *Automaton) search(r rune) int32 {
	return int32(sort.Search(len(a.bounds), func(i int) bool { return a.bounds[i] > r }))
}

// class returns the class of the rune at the beginning of s, and its length.
func (a *Automaton) class(s []byte) (class int32, size int) {
	if s[0] < utf8.RuneSelf {
		return a.ascii[s[0]], 1
	}
	r, n := utf8.DecodeRune(s)
	return a.search(r), n
}

// member returns a rune of a class.
func (a *Automaton) member(class int32) rune {
	if class == 0 {
		return 0
	}
	return a.bounds[class-1]
}

func (a *Automaton) start() *state {
	if a.begin == nil {
		a.begin = a.number(a.machine.start())
	}
	return a.begin
}

// number returns the state of the machine; dead when there are too many.
func (a *Automaton) number(text string) *state {
	if text == "" {
		return a.dead
	}
	if i, ok := a.numbers[text]; ok {
		return a.states[i]
	}
	if len(a.states) == maxStates || len(a.states)*(len(a.bounds)+1) > maxSteps {
		a.err = ErrLarge
		return a.dead
	}
	s := &state{text: text, next: make([]*state, len(a.bounds)+1), far: a.machine.accepts(text)}
	a.numbers[text] = int32(len(a.states))
	a.states = append(a.states, s)
	return s
}

func (a *Automaton) step(s *state, class int32) *state {
	if s == a.dead {
		return a.dead
	}
	if s.next[class] == nil {
		if a.err == nil && a.Spend != nil && a.Spend(1+len(s.text)/4) {
			a.err = ErrEnded
		}
		if a.err != nil {
			return a.dead
		}
		s.next[class] = a.number(a.machine.step(s.text, a.member(class)))
	}
	return s.next[class]
}

// Match returns how far from the pattern text is; -1: it does not match.
func (a *Automaton) Match(text []byte) int {
	s := a.start()
	for len(text) > 0 && s != a.dead {
		class, n := a.class(text)
		s, text = a.step(s, class), text[n:]
	}
	return s.far
}

// Err is ErrLarge after the pattern was too complicated for a string.
func (a *Automaton) Err() error { return a.err }

// Begins reports whether a string that begins with b may match.
func (a *Automaton) Begins(b byte) bool { return a.living(a.start())[b/64]&(1<<(b%64)) != 0 }

// living returns the set of bytes with which a string may go on from s.
func (a *Automaton) living(s *state) *[4]uint64 {
	if s.alive != nil {
		return s.alive
	}
	set := new([4]uint64)
	for class := range int32(len(a.bounds) + 1) {
		if a.step(s, class) == a.dead {
			continue
		}
		lo, hi := a.member(class), utf8.MaxRune
		if int(class) < len(a.bounds) {
			hi = a.bounds[class] - 1
		}
		first, last := leading(lo), leading(hi)
		if class == a.replace {
			first, last = min(first, utf8.RuneSelf), 0xFF
		}
		for b := int(first); b <= int(last); b++ {
			set[b/64] |= 1 << (b % 64)
		}
	}
	s.alive = set
	return set
}

// first returns what the first string has behind s that matches, as far as it is
// ASCII, not long and not dear to find.
func (a *Automaton) first(s *state) []byte {
	if s.first != nil {
		return s.first
	}
	out, at := make([]byte, 0, 8), s
	for at.far < 0 && len(out) < longestFirst && len(a.bounds) < mostBounds && len(a.states) < maxStates/2 {
		b := after(a.living(at), -1)
		if b < 0 || b >= utf8.RuneSelf {
			break
		}
		out = append(out, byte(b))
		at = a.step(at, a.ascii[b])
	}
	s.first = out
	return out
}

const (
	longestFirst = 16  // what first returns: the first string may have no end
	mostBounds   = 256 // for first to be worth its states
)

// leading returns the first byte of r in UTF-8.
func leading(r rune) byte {
	if r < utf8.RuneSelf {
		return byte(r)
	}
	if 0xD800 <= r && r < 0xE000 { // no rune, but bounds may lie there
		return 0xED
	}
	var b [utf8.UTFMax]byte
	utf8.EncodeRune(b[:], r)
	return b[0]
}
