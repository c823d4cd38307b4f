package fuzzy

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold takes away what people leave out when they type: case, the difference
// between forms of one character, and accents, where they may be left out:
// those of Latin and Greek, the vowel points of Arabic and Hebrew, the stress
// marks of Cyrillic (й is not и). "Naïve", "NAIVE" and "naive" fold to the same
// string. Fold the words of a dictionary and what is looked up in it, and such
// differences are no edits. Bytes that are not UTF-8 become U+FFFD.
func Fold(s string) string {
	s = norm.NFKD.String(strings.ToValidUTF8(s, "\ufffd")) // norm stumbles over stray bytes
	s = norm.NFKD.String(cases.Fold().String(strings.Map(lowerCherokee, s)))
	last := rune(0) // that is not a mark
	s = strings.Map(func(r rune) rune {
		if !unicode.Is(unicode.Mn, r) {
			last = r
			return r
		}
		if dispensable(last, r) {
			return -1
		}
		return r
	}, s)
	return norm.NFC.String(s)
}

// lowerCherokee is for cases.Fold, which exchanges upper and lower case of Cherokee.
func lowerCherokee(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToLower(r)
	}
	return r
}

func dispensable(letter, mark rune) bool {
	const grave, acute = 0x300, 0x301
	if unicode.Is(unicode.Cyrillic, letter) {
		return mark == grave || mark == acute
	}
	return unicode.In(letter, unicode.Latin, unicode.Greek, unicode.Arabic, unicode.Hebrew)
}
