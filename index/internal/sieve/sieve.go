// Package sieve tells which strings of a dictionary may be within some edits of
// another, or have some letters, by how long they are and which letters they have,
// at the cost of a few bit operations each.
//
// An edit takes away at most one letter and brings in at most one. So of the
// letters of a text at most as many are missing in a string as there are edits
// between them, and at most as many are there besides; strings that are longer or
// shorter have used up edits for that. What is left is compared in full by the
// caller.
//
// Where to look:
//
//	sieve.go  making it, and asking it
//	lazy.go   when it is worth making it
package sieve

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Dictionary is a walk over strings in ascending order, starting before the first.
type Dictionary interface {
	Next() bool   // goes to the next string, if there is one
	Term() []byte // the string, until the next move
}

const (
	longest  = 64 // strings of more runes are taken together
	blockLen = 64
)

// Sieve holds the letters of the strings of a dictionary, in eight bytes each. It
// may be used from many goroutines.
type Sieve struct{ groups [longest + 1]group } // by length in runes

// group is strings of one length, those of similar letters side by side.
type group struct {
	letters  []uint32
	places   []uint32 // in the dictionary
	any, all []uint32 // of each blockLen strings: letters that one has, that all have
}

// New makes the sieve of a dictionary of about n strings, in 70 ns each.
func New(dict Dictionary, n int) *Sieve {
	all := make([]uint64, 0, n) // letters<<32 | place
	lengths := make([]uint8, 0, n)
	var ends [longest + 1]int
	for dict.Next() {
		letters, runes := shape(dict.Term())
		all = append(all, uint64(letters)<<32|uint64(len(all)))
		lengths = append(lengths, uint8(min(runes, longest)))
		ends[lengths[len(lengths)-1]]++
	}
	for i := range longest {
		ends[i+1] += ends[i]
	}
	byLength := make([]uint64, len(all))
	for i, length := range slices.Backward(lengths) {
		ends[length]--
		byLength[ends[length]] = all[i]
	}
	s := new(Sieve)
	for i, from := range ends { // from is where they begin by now
		strings := byLength[from:]
		if i < longest {
			strings = byLength[from:ends[i+1]]
		}
		sortLetters(strings, all[:len(strings)])
		s.groups[i] = newGroup(strings)
	}
	return s
}

// sortLetters sorts strings in the order of their places by their letters, byte for
// byte. It needs as much room.
func sortLetters(strings, room []uint64) {
	for shift := 32; shift < 64 && len(strings) > 1; shift += 8 {
		var at [256]int
		for _, x := range strings {
			at[uint8(x>>shift)]++
		}
		sum := 0
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for _, x := range strings {
			digit := uint8(x >> shift)
			room[at[digit]] = x
			at[digit]++
		}
		strings, room = room, strings
	}
}

func newGroup(strings []uint64) group {
	g := group{letters: make([]uint32, len(strings)), places: make([]uint32, len(strings))}
	for i, x := range strings {
		letters := uint32(x >> 32)
		g.letters[i], g.places[i] = letters, uint32(x)
		if i%blockLen == 0 {
			g.any, g.all = append(g.any, letters), append(g.all, letters)
		}
		g.any[i/blockLen] |= letters
		g.all[i/blockLen] &= letters
	}
	return g
}

// ranks gives each letter its bit by the lowest five bits of its number, those
// that tell most strings apart the topmost.
const ranks = "\x00\x1d\x0f\x16\x15\x1f\x0e\x11\x10\x1e\x07\x0b\x17\x14\x1a\x19\x13\x06\x1c\x18\x1b\x12\x0c\x0a\x09\x0d\x08\x01\x02\x03\x04\x05"

// shape returns the letters of a string, as bits, and how many runes it has.
func shape(s []byte) (letters uint32, runes int) {
	for i := 0; i < len(s); runes++ {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(s[i:])
		}
		letters |= 1 << (ranks[r&31] & 31)
		i += n
	}
	return letters, runes
}

// Near returns the places of the strings that may be within dist edits of text,
// ascending. No other is.
func (s *Sieve) Near(text string, dist int) []uint32 {
	letters, runes := shape([]byte(text))
	var found []uint32
	for n := min(max(0, runes-dist), longest); n <= min(runes+dist, longest); n++ {
		missing, more := dist, dist
		if n < longest {
			missing -= max(0, n-runes)
			more -= max(0, runes-n)
		}
		found = s.groups[n].near(found, letters, missing, more)
	}
	slices.Sort(found)
	return found
}

// With returns the places of the strings that may have one rune of each list and
// so many runes in all, ascending. No other has.
func (s *Sieve) With(runes [][]rune, least int) []uint32 {
	letters := uint32(0)
	for _, any := range runes {
		if bits := lettersOf(any); bits&(bits-1) == 0 { // one letter
			letters |= bits
		}
	}
	var found []uint32
	for n := min(least, longest); n <= longest; n++ {
		found = s.groups[n].near(found, letters, 0, 32)
	}
	slices.Sort(found)
	return found
}

func lettersOf(runes []rune) (letters uint32) {
	for _, r := range runes {
		letters |= 1 << (ranks[r&31] & 31)
	}
	return letters
}

// near appends the places of the strings in which at most so many letters are
// missing, and that have at most so many more.
func (g *group) near(found []uint32, letters uint32, missing, more int) []uint32 {
	for i, any := range g.any {
		if bits.OnesCount32(letters&^any) > missing || bits.OnesCount32(g.all[i]&^letters) > more {
			continue
		}
		from := i * blockLen
		to := min(from+blockLen, len(g.letters))
		places := g.places[from:to]
		for j, has := range g.letters[from:to] {
			if bits.OnesCount32(letters&^has) <= missing && bits.OnesCount32(has&^letters) <= more {
				found = append(found, places[j])
			}
		}
	}
	return found
}
