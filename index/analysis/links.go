package analysis

import (
	"strings"

	"github.com/webquarry/quarry/internal/fold"
)

// link is what signs between words make of them.
type link uint8

const (
	unlinked   link = iota
	acronym         // U.S.A.: one word without the dots
	number          // 1,000,000: one without the commas
	ampersand       // AT&T: one word, and its parts
	hyphenated      // wi-fi: two words, and in documents also one
)

// at says what stands at a byte of a text: its kind, itself if it is ASCII, and its
// length; 0 at the end.
type at func(i int) (k fold.Kind, c byte, n int)

// place is where something stands in a text.
type place struct{ lo, hi int }

// longestLink bounds linked words, in bytes.
const longestLink = 64

// readLink reads words that one sign links, such as "u.s.a" or "1,000", from the first
// one at i on. It returns what they are and where each stands, at least the first one.
func readLink(read at, i int, words []place) (link, []place) {
	kinds := make([]wordKind, 0, 8)
	sign := byte(0)
	for {
		end, k := readWord(read, i)
		if end == i {
			break
		}
		words, kinds = append(words, place{i, end}), append(kinds, k)
		_, c, _ := read(end)
		if sign == 0 {
			sign = c
		}
		if c != sign || strings.IndexByte(",.&-", c) < 0 {
			break
		}
		i = end + 1
	}
	if len(words) < 2 || words[len(words)-1].hi-words[0].lo > longestLink {
		return unlinked, words
	}
	last := words[len(words)-1].hi
	_, next, _ := read(last)
	all := func(is func(wordKind) bool) bool {
		for _, k := range kinds {
			if !is(k) {
				return false
			}
		}
		return true
	}
	switch sign {
	case '.':
		if all(func(k wordKind) bool { return k.letters == 1 && k.digits == 0 }) {
			return acronym, words
		}
		decimals := false // 1.000,50
		if next == ',' {
			end, k := readWord(read, last+1)
			decimals = k.digits > 0 && k.letters == 0 && k.digits != 3 && end > last
		}
		if (len(words) > 2 || decimals) && thousands(kinds, false) && !(len(words) == 4 && kinds[0].address && kinds[1].address && kinds[2].address && kinds[3].address) {
			return number, words
		}
	case ',':
		if thousands(kinds, true) {
			return number, words
		}
	case '&':
		if all(func(k wordKind) bool { return k.digits == 0 && k.letters <= 3 }) {
			return ampersand, words
		}
	case '-':
		if len(words) == 2 && kinds[0].letters+kinds[1].letters > 0 && next != '+' && next != '#' && next != '\'' && next != '`' {
			return hyphenated, words
		}
	}
	return unlinked, words
}

// wordKind is what a word consists of.
type wordKind struct {
	letters, digits int
	zero            bool // it begins with 0
	address         bool // it is a number up to 255
}

func readWord(read at, i int) (end int, w wordKind) {
	value := 0
	for first := true; ; first = false {
		k, c, n := read(i)
		switch {
		case n > 0 && k == fold.Letter:
			w.letters++
		case n > 0 && k == fold.Digit:
			w.zero = w.zero || first && c == '0'
			if w.digits++; w.digits <= 3 {
				value = 10*value + int(c-'0')
			}
		case n > 0 && k == fold.Mark && !first:
		default:
			w.address = w.letters == 0 && w.digits <= 3 && value < 256
			return i, w
		}
		i += n
	}
}

// thousands reports whether words are a number in groups: of three digits, or, if pairs,
// as it is written in India (12,34,567).
func thousands(words []wordKind, pairs bool) bool {
	for i, w := range words {
		last := i == len(words)-1
		switch {
		case w.letters > 0, i == 0 && (w.digits > 3 || w.zero):
			return false
		case i > 0 && w.digits != 3 && (last || !pairs || w.digits != 2):
			return false
		}
	}
	return true
}

// linked emits words that are linked, whose parts are given.
func (s *scanner) linked(l link, parts []part) {
	first, last := parts[0], parts[len(parts)-1]
	var joined strings.Builder
	for _, p := range parts {
		joined.WriteString(p.term)
	}
	switch l {
	case acronym, ampersand:
		s.put(joined.String(), first.start, last.end)
		if joined.String() == "us" && l == acronym {
			s.put("usa", first.start, last.end)
		}
		for _, p := range parts {
			s.extra(p.term, p.start, p.end)
		}
		s.pos++
	case number:
		s.put(joined.String(), first.start, last.end)
		s.pos++
	case hyphenated:
		s.put(first.term, first.start, first.end)
		s.pos++
		if !s.query {
			s.extra(joined.String(), first.start, last.end)
		}
		s.put(last.term, last.start, last.end)
		s.pos++
	}
}

// dotNet reports whether the dot at i is that of .NET, which is a word with it.
func dotNet(read at, i int) bool {
	for k := range 3 {
		if _, c, _ := read(i + 1 + k); c|0x20 != "net"[k] {
			return false
		}
	}
	k, _, n := read(i + 4)
	return n == 0 || k != fold.Letter && k != fold.Digit && k != fold.Mark
}
