package automaton

import (
	"math/bits"
	"regexp/syntax"
	"unicode"
)

// Needs is what every string has that an automaton accepts.
type Needs struct {
	Runes [][]rune // of each list, one of the runes
	Least int      // so many runes in all
}

// fewRunes is how long a list of Needs is at most.
const fewRunes = 4

// needs finds what a regular expression cannot do without.
func needs(tree *syntax.Regexp) (n Needs) {
	switch tree.Op {
	case syntax.OpLiteral:
		for _, r := range tree.Rune {
			any := []rune{r}
			for f := unicode.SimpleFold(r); f != r && tree.Flags&syntax.FoldCase != 0; f = unicode.SimpleFold(f) {
				any = append(any, f)
			}
			n.Runes = append(n.Runes, any)
		}
		n.Least = len(tree.Rune)
	case syntax.OpCharClass:
		var any []rune
		for i := 0; i < len(tree.Rune) && len(any) <= fewRunes; i += 2 {
			for r := tree.Rune[i]; r <= tree.Rune[i+1] && len(any) <= fewRunes; r++ {
				any = append(any, r)
			}
		}
		if 0 < len(any) && len(any) <= fewRunes {
			n.Runes = append(n.Runes, any)
		}
		n.Least = 1
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n.Least = 1
	case syntax.OpCapture, syntax.OpPlus:
		return needs(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			n = needs(tree.Sub[0])
			n.Least *= tree.Min
		}
	case syntax.OpConcat:
		for _, sub := range tree.Sub {
			of := needs(sub)
			n.Runes = append(n.Runes, of.Runes...)
			n.Least += of.Least
		}
	case syntax.OpAlternate:
		n = needs(tree.Sub[0])
		n.Runes = nil
		for _, sub := range tree.Sub[1:] {
			n.Least = min(n.Least, needs(sub).Least)
		}
	}
	return n
}

// Needs returns what the strings have that match.
func (a *Automaton) Needs() Needs { return a.needs }

// Open reports whether strings that match may begin in many ways, so that Walk has
// to look at most strings.
func (a *Automaton) Open() bool {
	s := a.start()
	for range openRunes {
		n := 0
		for _, word := range a.living(s) {
			n += bits.OnesCount64(word)
		}
		if n < openBytes {
			return false
		}
		next := a.dead
		for class := int32(0); next == a.dead; class++ {
			next = a.step(s, class)
		}
		s = next
	}
	return true
}

const (
	openRunes = 3  // at the beginning
	openBytes = 16 // that may be the first of each
)
