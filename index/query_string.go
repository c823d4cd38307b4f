package index

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
		return fieldPrefix(q.Field) + `\`
	}
	return fieldPrefix(q.Field) + escape(q.Text)
}

func (q Phrase) String() string {
	s := fieldPrefix(q.Field) + quote(q.Text)
	if q.Slop != 0 {
		s += "~" + strconv.Itoa(q.Slop)
	}
	return s
}

func (q Prefix) String() string {
	s := quote(q.Text)
	return fieldPrefix(q.Field) + s[:len(s)-1] + `*"`
}

func (q And) String() string {
	if len(q) == 0 {
		return All{}.String()
	}
	return join(q, " ")
}

func (q Or) String() string {
	if len(q) == 0 {
		return None{}.String()
	}
	return join(q, " OR ")
}

func (q Not) String() string { return "-" + member(q.Query) }

func (q Boost) String() string {
	return member(q.Query) + "^" + strconv.FormatFloat(q.By, 'g', -1, 64)
}

func join(qs []Query, sep string) string {
	parts := make([]string, len(qs))
	for i, q := range qs {
		parts[i] = member(q)
	}
	return strings.Join(parts, sep)
}

// member prints a query as part of another one: in parentheses unless it is a
// leaf.
func member(q Query) string {
	switch q := q.(type) {
	case nil:
		return "-*"
	case Term, Match, Phrase, Prefix:
		return q.String()
	}
	return "(" + q.String() + ")"
}

func fieldPrefix(name string) string {
	if name == "" {
		return ""
	}
	return escape(name) + ":"
}

// quote puts s in double quotes. Within them only the quote, the backslash and
// the star of a prefix mean anything.
func quote(s string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, `*`, `\*`).Replace(s) + `"`
}

// escape puts a backslash before every rune of a bare word that could mean
// something to the parser.
func escape(s string) string {
	if s == "AND" || s == "OR" || s == "NOT" {
		return `\` + s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.' {
			b.WriteByte('\\')
		}
		b.WriteString(s[i : i+n])
		i += n
	}
	return b.String()
}
