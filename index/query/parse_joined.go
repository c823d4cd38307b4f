package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// joinedWords returns the words of a bare word that signs list or combine, as in
// "publickey,password", "DVD+RW" or "name=value"; nil if it is a single one. What names
// one thing is: "pg_dump", "e-mail", "3.12", "a/b", "C++", "AT&T", "1,000". The word is
// given as it was typed: a sign behind a backslash does not part words.
func joinedWords(typed string) (words []string) {
	var word strings.Builder
	solid, parted := false, false // the word holds letters or digits; signs that part it were read since
	cut := 0                      // where word ends then
	before := ' '
	for i := 0; i < len(typed); {
		r, n := utf8.DecodeRuneInString(typed[i:])
		next, m := utf8.DecodeRuneInString(typed[i+n:])
		switch {
		case r == '\\' && m > 0 && escapes(sign(next)):
			i += n
			r, n = next, m
		case isWordRune(r):
			if solid && parted {
				words = append(words, word.String()[:cut])
				word.Reset()
			}
			solid, parted = true, false
		case solid && !parted && partsWords(before, r, next):
			parted, cut = true, word.Len()
		}
		word.WriteString(typed[i : i+n])
		before = r
		i += n
	}
	if words == nil {
		return nil
	}
	return append(words, word.String())
}

// asOneWord puts backslashes before the signs that part a bare word, if it would be
// parted.
func asOneWord(typed string) string {
	if plain(typed) || joinedWords(typed) == nil {
		return typed
	}
	var b strings.Builder
	escaped := false
	for i := 0; i < len(typed); {
		r, n := utf8.DecodeRuneInString(typed[i:])
		if !escaped && partsWords('a', r, 'a') {
			b.WriteByte('\\')
		}
		b.WriteString(typed[i : i+n])
		escaped = r == '\\' && !escaped
		i += n
	}
	return b.String()
}

func isWordRune(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.M) }

// partsWords reports whether r, between two other runes, parts words.
func partsWords(before, r, after rune) bool {
	switch r {
	case ',', '+', '×', '，', '＋':
		if unicode.IsDigit(before) && unicode.IsDigit(after) {
			return false // 1,000 and 10+5
		}
		return r != '+' && r != '＋' || isWordRune(before) && isWordRune(after) // not in C++11
	case '‘', '’', '~':
		return false
	case ';', '…', '—', '―', '、', '。', '；', '！', '？', '،', '؛', '؟', '۔', '।', '॥', '።':
		return true
	}
	return unicode.In(r, unicode.Ps, unicode.Pe, unicode.Pi, unicode.Pf, unicode.Sm)
}
