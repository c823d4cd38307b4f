package fold

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Kind says what a rune of folded text is to a word.
type Kind uint8

const (
	Other   Kind = iota // parts words
	Letter              // of a script with spaces between words
	Digit               // of any script, and other numbers
	Emoji               // a picture, or half of a flag
	Gram                // character of a script without spaces
	Mark                // belongs to the rune before it
	Ignored             // stands for nothing
)

// tables hold what is known of common runes.
type tables struct {
	kinds         [0x1200]Kind
	plains        [0x3400]bool            // what plain says
	folded, cased [foldEnd + 0x200]string // below foldEnd, and from 0x1E00 to 0x2000
}

const foldEnd = 0x700

// runeTables makes the tables on first use: it takes some milliseconds.
var runeTables = sync.OnceValue(func() *tables {
	t := new(tables)
	for i := range t.kinds {
		t.kinds[i] = classify(rune(i))
	}
	for i := range t.plains {
		s := string(rune(i))
		t.plains[i] = norm.NFKC.PropertiesString(s).BoundaryBefore() && norm.NFKC.IsNormalString(s)
	}
	for i := range t.folded {
		r := rune(i)
		if r >= foldEnd {
			r += 0x1E00 - foldEnd
		}
		t.folded[i] = foldSlowly(r, false)
		t.cased[i] = foldSlowly(r, true)
	}
	return t
})

// plain reports whether r is its own normal form and combines with no rune
// before it.
func (t *tables) plain(r rune) bool {
	return int(r) < len(t.plains) && t.plains[r] || 0x4E00 <= r && r < 0xA000 || 0xAC00 <= r && r < 0xD7A4
}

// KindOf says what r is.
func (t *tables) KindOf(r rune) Kind {
	switch {
	case int(r) < len(t.kinds):
		return t.kinds[r]
	case 0x4E00 <= r && r < 0xA000, 0xAC00 <= r && r < 0xD7A4:
		return Gram
	}
	return classify(r)
}

func classify(r rune) Kind {
	switch {
	case isEmoji(r):
		return Emoji
	case ignorable(r):
		return Ignored
	case unicode.IsMark(r):
		return Mark
	case r == 'ー', r == '〇', unicode.IsLetter(r) && unicode.In(r, unspaced...):
		return Gram
	case unicode.IsLetter(r):
		return Letter
	case unicode.IsNumber(r):
		return Digit
	}
	return Other
}

// unspaced lists the scripts written without spaces between words, and Hangul,
// whose words carry endings.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Javanese, unicode.Balinese,
}

// ignorable reports whether r stands for nothing: invisible formatting, and
// the Arabic stretching sign. The zero-width space does part words.
func ignorable(r rune) bool {
	switch {
	case r == 0x0640, r == 0x034F:
		return true
	case r == 0x200B:
		return false
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// script is what decides which marks are diacritics.
type script uint8

const (
	noScript script = iota
	vowelled        // Latin, Greek, Arabic, Hebrew: all marks may be left out
	cyrillic
)

func scriptOf(r rune) script {
	switch {
	case r < 'A':
		return noScript
	case r < 0x250, 0x370 <= r && r < 0x400, 0x590 <= r && r < 0x700, 0x750 <= r && r < 0x780, 0x1E00 <= r && r < 0x2000:
		return vowelled
	case 0x400 <= r && r < 0x530:
		return cyrillic
	case 0x3000 <= r && r < 0xA640, 0xAC00 <= r && r < 0xD7B0:
		return noScript
	case unicode.In(r, unicode.Latin, unicode.Greek, unicode.Arabic, unicode.Hebrew):
		return vowelled
	}
	return noScript
}

// dropsMark reports whether the mark r is a diacritic that falls away behind a
// letter of s. Of Cyrillic only the stress marks do: й is not и.
func dropsMark(s script, r rune) bool {
	return s == vowelled && unicode.Is(unicode.Mn, r) || s == cyrillic && (r == 0x300 || r == 0x301)
}

// foldRune folds the case of a letter, and its diacritics unless they are kept.
func (t *tables) foldRune(r rune, keepMarks bool) string {
	known := &t.folded
	if keepMarks {
		known = &t.cased
	}
	switch {
	case r < foldEnd:
		return known[r]
	case 0x1E00 <= r && r < 0x2000:
		return known[r-0x1E00+foldEnd]
	}
	return foldSlowly(r, keepMarks)
}

// caseless reports whether r, beyond the tables, is known to have no case.
func caseless(r rune) bool {
	return foldEnd <= r && r < 0x10A0 || 0x3000 <= r && r < 0xA640 || 0xAC00 <= r && r < 0xD7B0
}

func foldSlowly(r rune, keepMarks bool) string {
	if IsApostrophe(r) {
		return "'"
	}
	if unicode.Is(unicode.Cherokee, r) {
		r = unicode.ToLower(r) // cases.Fold exchanges upper and lower case of these
	}
	switch r { // letters of Persian and Arabic keyboards
	case 'ک':
		r = 'ك'
	case 'ی':
		r = 'ي'
	}
	s := cases.Fold().String(string(r))
	if keepMarks {
		return s
	}
	var out []byte
	base := noScript
	for _, c := range norm.NFD.String(s) {
		switch {
		case !unicode.IsMark(c):
			base = scriptOf(c)
			out = appendPlain(out, c)
		case c == 0x308 && strings.HasSuffix(string(out), "е"): // ё
		case !dropsMark(base, c):
			out = utf8.AppendRune(out, c)
		}
	}
	return norm.NFC.String(string(out))
}

// appendPlain appends a letter as people write it who do not have it: without strokes,
// hooks and the like, which are no marks to Unicode.
func appendPlain(out []byte, r rune) []byte {
	if plain, ok := plainLetters[r]; ok {
		return append(out, plain...)
	}
	return utf8.AppendRune(out, r)
}

var plainLetters = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ħ': "h", 'ŧ': "t", 'ı': "i", 'æ': "ae", 'œ': "oe", 'þ': "th", 'ð': "d", 'ŋ': "n", 'ə': "e",
	'ɓ': "b", 'ƀ': "b", 'ƈ': "c", 'ɖ': "d", 'ɗ': "d", 'ɛ': "e", 'ǝ': "e", 'ƒ': "f", 'ǥ': "g", 'ɠ': "g", 'ɣ': "g", 'ɨ': "i", 'ɩ': "i",
	'ƙ': "k", 'ƚ': "l", 'ɫ': "l", 'ɲ': "n", 'ƞ': "n", 'ɵ': "o", 'ɔ': "o", 'ƥ': "p", 'ɍ': "r", 'ƭ': "t", 'ʈ': "t", 'ʉ': "u", 'ʋ': "v",
	'ƴ': "y", 'ƶ': "z", 'ȥ': "z", 'ȷ': "j",
	'ґ': "г",
	'ة': "ه", 'ہ': "ه", 'ھ': "ه", 'ە': "ه", 'ى': "ي", 'ٱ': "ا",
}

// digit is the ASCII digit for a decimal digit of any script.
func digit(r rune) (d byte, ok bool) {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + byte((r-rune(t.Lo))%10), true
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + byte((r-rune(t.Lo))%10), true
		}
	}
	return 0, false
}

// IsApostrophe reports whether people type r for an apostrophe. Between letters
// all of these are one, folded to the one of ASCII.
func IsApostrophe(r rune) bool {
	switch r {
	case '\'', '`', '´', 'ʹ', 'ʻ', 'ʼ', 'ʽ', 'ʾ', 'ʿ', 'ˈ', '‘', '’', '‛', '′', '\u1ffd', '\ua78b', '\ua78c', '＇', '՚', '׳':
		return true
	}
	return false
}
