package html

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// space are the characters that HTML takes for white space.
const space = " \t\n\f\r"

// separator is what stands between two runs of text, the weightiest wins.
type separator uint8

const (
	joined separator = iota
	spaced
	celled
	lined
)

// blockText collects visible text: white space collapsed to one space, blocks
// apart by one newline, table cells by one tab.
type blockText struct {
	buf []byte
	sep separator // due before the next character
}

// apart separates what is there from what comes.
func (t *blockText) apart(s separator) { t.sep = max(t.sep, s) }

// flush writes the separator that is due.
func (t *blockText) flush() {
	if t.sep == joined {
		return
	}
	if n := len(t.buf); n > 0 && t.buf[n-1] != '\n' {
		t.buf = append(t.buf, " \t\n"[t.sep-spaced])
	}
	t.sep = joined
}

// add appends s with its white space collapsed. Soft hyphens, byte order marks
// and zeros are left out.
func (t *blockText) add(s string) {
	for i := 0; i < len(s); {
		if n := words(s[i:]); n > 0 {
			t.flush()
			t.buf = append(t.buf, s[i:i+n]...)
			i += n
			continue
		}
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case unicode.IsSpace(r) || r < ' ' && r != 0:
			t.apart(spaced)
		case !ignorable(r):
			t.flush()
			t.buf = utf8.AppendRune(t.buf, r)
		}
		i += size
	}
}

// words returns how much of the start of s can stay as it is: plain characters
// with single spaces between them.
func words(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c > ' ' && c < 0x7f || c == ' ' && i > 0 && i+1 < len(s) && s[i+1] > ' ' && s[i+1] < 0x7f {
			continue
		}
		if c <= 0x7f || odd(c) {
			return i
		}
	}
	return len(s)
}

// odd reports whether a byte starts characters of which some are white space
// or marks.
func odd(c byte) bool {
	switch c {
	case 0xc2, 0xe1, 0xe2, 0xe3, 0xef:
		return true
	}
	return false
}

// ignorable reports whether a character is never seen.
func ignorable(r rune) bool {
	return r == 0 || r == 0x7f || r == '\u00AD' || r == '\uFEFF'
}

// addLines appends s with its lines and indentation as they are.
func (t *blockText) addLines(s string) {
	if t.sep == lined || len(t.buf) == 0 {
		s = strings.TrimLeft(s, "\n")
	}
	if s == "" {
		return
	}
	t.flush()
	for _, r := range s {
		switch {
		case r == '\u00A0':
			t.buf = append(t.buf, ' ')
		case r == '\n' || r == '\t' || r >= ' ' && !ignorable(r):
			t.buf = utf8.AppendRune(t.buf, r)
		}
	}
}

// cut takes back what was added since the text had n bytes and sep was due.
func (t *blockText) cut(n int, sep separator) {
	t.buf, t.sep = t.buf[:n], sep
}

// oneLine returns s with all white space collapsed and none at its ends.
func oneLine(s string) string {
	if words(s) == len(s) {
		return s
	}
	var t blockText
	t.add(s)
	return string(t.buf)
}

// clip shortens s to at most n bytes, at a grapheme cluster and if possible at a
// space.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[:clusters(s, n)]
	if i := strings.LastIndexByte(s, ' '); i > n/2 && clusters(s, i) == i {
		s = s[:i]
	}
	return s
}

// clusters is the length of the whole grapheme clusters among the first n bytes of s; of
// whole characters when the first cluster is longer.
func clusters(s string, n int) (end int) {
	for g := graphemes.FromString(s); g.Next() && end+len(g.Value()) <= n; {
		end += len(g.Value())
	}
	if end > 0 {
		return end
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
