package fuzzy

import (
	"unicode"
	"unicode/utf8"
)

// Clusters cuts s into what a reader takes for single characters: letters with
// their marks, syllables of Hangul, emoji with what belongs to them, flags. It
// follows the rules of Unicode for extended grapheme clusters, but for those of
// Indic conjuncts and of marks that come before their letter. The pieces joined
// are s. [Between] tells the distance of two such lists.
func Clusters(s string) []string {
	var list []string
	for s != "" {
		n := clusterLen(s)
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

const zeroWidthJoiner = 0x200D

// clusterLen is the length of the cluster that s, which is not empty, begins with.
func clusterLen(s string) int {
	before, n := utf8.DecodeRuneInString(s)
	if before == '\r' && n < len(s) && s[n] == '\n' {
		return 2
	}
	picture := unicode.Is(unicode.So, before) // until something else than its marks
	flag := isRegional(before)
	for n < len(s) && !unicode.IsControl(before) {
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case unicode.IsMark(r), r == zeroWidthJoiner, r == 0x200C, 0x1F3FB <= r && r <= 0x1F3FF, 0xE0020 <= r && r <= 0xE007F:
		case before == zeroWidthJoiner && picture && unicode.Is(unicode.So, r):
		case flag && isRegional(r):
			flag = false
		case hangulJoins(before, r):
			picture = false
		default:
			return n
		}
		n += size
		before = r
	}
	return n
}

func isRegional(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }

// hangulJoins reports whether b goes on with the syllable that a is the last of:
// leading consonants, vowels, trailing consonants, or syllables of two or three.
func hangulJoins(a, b rune) bool {
	lead := func(r rune) bool { return 0x1100 <= r && r <= 0x115F || 0xA960 <= r && r <= 0xA97C }
	vowel := func(r rune) bool { return 0x1160 <= r && r <= 0x11A7 || 0xD7B0 <= r && r <= 0xD7C6 }
	trail := func(r rune) bool { return 0x11A8 <= r && r <= 0x11FF || 0xD7CB <= r && r <= 0xD7FB }
	syllable := func(r rune) bool { return 0xAC00 <= r && r <= 0xD7A3 }
	open := func(r rune) bool { return syllable(r) && (r-0xAC00)%28 == 0 }
	switch {
	case lead(a):
		return lead(b) || vowel(b) || syllable(b)
	case vowel(a), open(a):
		return vowel(b) || trail(b)
	}
	return (trail(a) || syllable(a)) && trail(b)
}
