package query

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func (All) String() string { return "*" }

func (None) String() string { return "-*" }

func (q Term) String() string { return fieldPrefix(q.Field) + "=" + quote(q.Text) }

func (q Match) String() string {
	if q.Text == "" {
		return fieldPrefix(q.Field) + `""`
	}
	return inField(q.Field, asOneWord(escapeWord(q.Text)))
}

func (q Phrase) String() string {
	s := fieldPrefix(q.Field) + quote(q.Text)
	if q.Slop != 0 || q.Text == "" {
		s += "~" + strconv.Itoa(q.Slop)
	}
	return s
}

func (q Prefix) String() string {
	if q.Text != "" && strings.IndexFunc(q.Text, unicode.IsSpace) < 0 {
		return inField(q.Field, escape(q.Text, true)+"*")
	}
	s := strings.TrimSuffix(quote(q.Text), `"`)
	if r, n := utf8.DecodeLastRuneInString(s); unicode.IsSpace(r) {
		s = s[:len(s)-n] + `\` + s[len(s)-n:]
	}
	return fieldPrefix(q.Field) + s + `*"`
}

func (q And) String() string {
	if len(q) == 0 {
		return All{}.String()
	}
	return join(q, " AND ")
}

func (q Or) String() string {
	if len(q) == 0 {
		return None{}.String()
	}
	return join(q, " OR ")
}

func (q Not) String() string {
	s := member(q.Query)
	switch m := q.Query.(type) {
	case All:
		return "-(*)"
	case Boost, Constant:
		s = m.String()
	}
	if isArrow(s) {
		s = "(" + s + ")"
	}
	return "-" + s
}

func (q Boost) String() string {
	return member(q.Query) + "^" + strconv.FormatFloat(q.By, 'g', -1, 64)
}

func join(qs []Query, sep string) string {
	parts := make([]string, len(qs))
	for i, q := range qs {
		switch q.(type) {
		case Not, Boost, Constant:
			parts[i] = q.String()
		default:
			parts[i] = member(q)
		}
	}
	return strings.Join(parts, sep)
}

// member prints a query as part of another one: in parentheses, but for the
// leaves.
func member(q Query) string {
	switch q := q.(type) {
	case nil:
		return "(" + None{}.String() + ")"
	case AtLeast:
		if len(q.Of) == 0 {
			return "(" + q.String() + ")"
		}
		return q.String()
	case All, Term, Match, Phrase, Prefix, Wildcard, Regexp, Fuzzy, Like, Range, Exists:
		return q.String()
	}
	return "(" + q.String() + ")"
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
