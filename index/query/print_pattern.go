package query

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func (q Wildcard) String() string {
	if readsAsPattern(q.Pattern, q.Field != "") {
		return inField(q.Field, q.Pattern)
	}
	return fieldPrefix(q.Field) + "?" + quote(q.Pattern)
}

func (q Regexp) String() string {
	if readsAsRegexp(q.Pattern) {
		return fieldPrefix(q.Field) + "/" + q.Pattern + "/"
	}
	return fieldPrefix(q.Field) + "/" + quote(q.Pattern)
}

func (q Fuzzy) String() string {
	word := escapeWord(q.Text)
	if strings.Trim(q.Text, "?") == "" { // no word to the parser
		word = strings.ReplaceAll(q.Text, "?", `\?`)
	}
	s := word + "~"
	if q.Text == "" {
		s = `""~~`
	}
	if q.Distance != 0 {
		s += strconv.Itoa(q.Distance)
	}
	return inField(q.Field, s)
}

// readsAsPattern reports whether the parser takes a bare word for this pattern.
func readsAsPattern(pattern string, inField bool) bool {
	var w bareWord
	for i, r := range pattern {
		n := utf8.RuneLen(r)
		switch {
		case r == '*', r == '?':
			w.sign(r, pattern[i:i+1])
		case sign(r) != r, r == utf8.RuneError, special(r, i == 0), i == 0 && strings.ContainsRune("/[{", r):
			return false
		default:
			w.add(pattern[i : i+n])
		}
	}
	read, ok := w.wildcard(inField)
	return ok && read == pattern
}

// readsAsRegexp reports whether the parser takes /pattern/ for this pattern.
func readsAsRegexp(pattern string) bool {
	first, _ := utf8.DecodeRuneInString(pattern)
	return isExpression(pattern) && sign(first) != '"' && !strings.HasSuffix(pattern, `\`) &&
		strings.IndexFunc(pattern, func(r rune) bool { return r == '/' || unicode.IsSpace(r) }) < 0
}
