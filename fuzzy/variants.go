package fuzzy

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// mostVariants is how many ways to read what was typed are tried.
const mostVariants = 64

// variants is the keys that words of the shelf make of a key with one edit in one of
// its words, not in the first rune.
func (s *shelf) variants(key string) []string {
	var list []string
	words := strings.SplitAfter(key, " ")
	at := 0
	for i, word := range words {
		before, after := key[:at], key[at+len(word):]
		at += len(word)
		whole := i+1 < len(words)
		plain := strings.TrimSuffix(word, " ")
		if utf8.RuneCountInString(plain) < 3 {
			continue
		}
		v := variation{shelf: s, typed: []rune(plain), whole: whole, found: map[string]bool{}}
		first, size := utf8.DecodeRuneInString(plain)
		if from, to := v.child(0, len(s.words), 0, first); from < to {
			v.walk(from, to, size, 1, true)
		}
		for text := range v.found {
			if text == plain {
				continue
			}
			if whole {
				text += " "
			}
			list = append(list, before+text+after)
		}
	}
	sort.Strings(list)
	return list[:min(len(list), mostVariants)]
}

// A variation walks the words of a shelf as the branches of a tree.
type variation struct {
	shelf *shelf
	typed []rune
	whole bool            // all of a word is wanted, not its beginning
	found map[string]bool // beginnings, or words
}

// child is the words from from to to that have r behind depth bytes.
func (v *variation) child(from, to, depth int, r rune) (int, int) {
	var buf [utf8.UTFMax]byte
	want := string(buf[:utf8.EncodeRune(buf[:], r)])
	next := func(i int) string {
		at := int(v.shelf.words[i]) + depth
		return v.shelf.keys[at:min(len(v.shelf.keys), at+len(want))]
	}
	lo := from + sort.Search(to-from, func(i int) bool { return next(from+i) >= want })
	hi := lo + sort.Search(to-lo, func(i int) bool { return next(lo+i) > want })
	return lo, hi
}

// walk goes on behind depth bytes, and behind n runes that were typed. While it is
// allowed, one edit is made.
func (v *variation) walk(from, to, depth, n int, edit bool) {
	s := v.shelf
	if n == len(v.typed) {
		text := s.keys[s.words[from] : int(s.words[from])+depth]
		if !v.whole || s.word(s.words[from]) == text { // the shortest comes first
			v.found[text] = true
		}
		if !edit || !v.whole {
			return
		}
	} else if lo, hi := v.child(from, to, depth, v.typed[n]); lo < hi {
		v.walk(lo, hi, depth+utf8.RuneLen(v.typed[n]), n+1, edit)
	}
	if !edit {
		return
	}
	if n < len(v.typed) {
		v.walk(from, to, depth, n+1, false) // a rune too many was typed
	}
	for from < to {
		at := int(s.words[from]) + depth
		if c := s.keys[at]; c == 0 || c == ' ' { // the word ends here
			from++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.keys[at:])
		_, next := v.child(from, to, depth, r)
		if n == len(v.typed) {
			v.walk(from, next, depth+size, n, false) // the last rune is missing
			from = next
			continue
		}
		if r != v.typed[n] {
			v.walk(from, next, depth+size, n+1, false) // another one was typed
		}
		v.walk(from, next, depth+size, n, false) // it is missing
		if n+1 < len(v.typed) && r == v.typed[n+1] {
			if lo, hi := v.child(from, next, depth+size, v.typed[n]); lo < hi {
				v.walk(lo, hi, depth+size+utf8.RuneLen(v.typed[n]), n+2, false) // two changed places
			}
		}
		from = next
	}
}
