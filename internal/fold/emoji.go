package fold

import (
	"unicode"
	"unicode/utf8"
)

// Emoji are words of one character or of several: joined by zero-width joiners (a
// family), two letters (a flag), or followed by tags (the flag of Scotland). The
// colour of a skin makes no difference, nor does the way of drawing.

const joiner = 0x200D

// isEmoji reports whether r is a picture, or half of a flag.
func isEmoji(r rune) bool {
	switch {
	case r < 0x231A:
		return false
	case isFlagLetter(r):
		return true
	case 0x1F000 <= r && r <= 0x1FAFF, 0x2600 <= r && r <= 0x27BF, 0x231A <= r && r <= 0x23FF, 0x2B00 <= r && r <= 0x2BFF:
		return unicode.Is(unicode.So, r) || isTone(r)
	}
	return false
}

func isFlagLetter(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }
func isTone(r rune) bool       { return 0x1F3FB <= r && r <= 0x1F3FF }
func isTag(r rune) bool        { return 0xE0020 <= r && r <= 0xE007F }
func isDrawing(r rune) bool    { return r == 0xFE0E || r == 0xFE0F }

// EmojiLen returns the length of the emoji that folded text begins with.
func EmojiLen(text []byte) (n int) {
	first, n := utf8.DecodeRune(text)
	for {
		r, size := utf8.DecodeRune(text[n:])
		switch {
		case size > 0 && isTag(r):
			n += size
		case isFlagLetter(first) && isFlagLetter(r):
			return n + size
		case r == joiner:
			next, more := utf8.DecodeRune(text[n+size:])
			if !isEmoji(next) {
				return n
			}
			n += size + more
		default:
			return n
		}
	}
}

// emoji folds the emoji that s, valid UTF-8, begins with and returns its length. It
// stands at from in the original.
func (f *Text) emoji(s string, from int) (i int) {
	f.script = noScript
	add := func(r rune, size int) {
		f.Norm = utf8.AppendRune(f.at(from+i, from+i+size, size, false), r)
		i += size
	}
	r, size := utf8.DecodeRuneInString(s)
	add(r, size)
	for i < len(s) {
		r, size = utf8.DecodeRuneInString(s[i:])
		switch {
		case isTone(r), isDrawing(r):
			i += size
			continue
		case isTag(r):
			add(r, size)
			continue
		case r != joiner:
			return i
		}
		if next, _ := utf8.DecodeRuneInString(s[i+size:]); !isEmoji(next) || isTone(next) {
			return i
		}
		add(r, size)
		next, size := utf8.DecodeRuneInString(s[i:])
		add(next, size)
	}
	return i
}
