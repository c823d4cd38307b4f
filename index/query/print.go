package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// binding says how closely a printed query holds together.
type binding int

const (
	asList  binding = iota // alternatives, or what is wanted together
	asNot                  // with a sign in front
	asBoost                // with a factor behind
	asLeaf
)

// within prints a query as part of another one, in parentheses unless it binds at least
// so closely.
func within(q Query, least binding) string {
	switch {
	case q == nil:
		return "(" + None{}.String() + ")"
	case q.binds() < least:
		return "(" + q.String() + ")"
	}
	return q.String()
}

func fieldPrefix(name string) string {
	if name == "" {
		return ""
	}
	prefix := escapeWord(name) + ":"
	if prefix[0] == '/' {
		return `\` + prefix // with what follows it might be an expression
	}
	return prefix
}

// quote puts s in double quotes. Within them the quote, the backslash and a
// star at the end mean something.
func quote(s string) string {
	if !plain(s) {
		s = inQuotes.Replace(s)
	}
	return `"` + s + `"`
}

var inQuotes = strings.NewReplacer(`"`, `\"`, `\`, `\\`, `*`, `\*`, `＊`, `\＊`)

// escapeWord writes s as a bare word that is not an operator.
func escapeWord(s string) string {
	if isOperator(s) {
		return `\` + s
	}
	return escape(s, false)
}

// plain reports whether s is letters and digits of ASCII alone, which mean nothing
// else anywhere.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}

// escape puts a backslash before each rune of a bare word that means something
// to the parser where it stands, before a * if starred.
func escape(s string, starred bool) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	marks := meansMarks(s, starred)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if special(sign(r), i == 0) || r == '?' && marks || r == '/' && i == 0 && len(s) > 1 && strings.HasSuffix(s, "/") {
			b.WriteByte('\\')
		}
		b.WriteString(s[i : i+n])
		i += n
	}
	return b.String()
}

func special(r rune, first bool) bool {
	switch r {
	case '(', ')', '"', ':', '*', '^', '~', '\\':
		return true
	case '+', '-', '=':
		return first
	}
	return unicode.IsSpace(r)
}

// sign returns the sign of the query language that r stands for: people type
// curly quotes, and full-width signs with an East Asian keyboard.
func sign(r rune) rune {
	switch r {
	case '“', '”', '„', '‟', '«', '»', '＂':
		return '"'
	case '（':
		return '('
	case '）':
		return ')'
	case '：':
		return ':'
	case '＊':
		return '*'
	case '＋':
		return '+'
	case '－':
		return '-'
	case '＾':
		return '^'
	case '～':
		return '~'
	}
	return r
}

func isOperator(word string) bool { return word == "AND" || word == "OR" || word == "NOT" }
