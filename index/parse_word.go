package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word reads a bare word: a Match, a Prefix or All. It is nil when there is
// none.
func (p *parser) word() Query {
	var b strings.Builder
	start := p.pos
	for {
		text, end := p.scan(p.pos, "*^~")
		b.WriteString(text)
		p.pos = end
		r, n := p.peek()
		switch {
		case r == '*' && p.ends(end+n) || r == '*' && p.boostAt(end+n):
			p.pos += n
			return p.boosted(p.starred(b.String()))
		case r == '^' && end > start && p.boostAt(end):
			return p.boosted(Match{p.field, b.String()})
		case r == '*':
			p.complain(end, "a * may only end a word")
		case r == '^':
			p.complain(end+n, "expected a number from 0 up after ^")
		case r == '~':
			p.complain(end, "a ~ may only follow a phrase")
		case end == start:
			return nil
		default:
			return Match{p.field, b.String()}
		}
		b.WriteString(p.text[end : end+n]) // the sign is part of the word
		p.pos += n
	}
}

// starred is what the text before a star asks for.
func (p *parser) starred(text string) Query {
	if text != "" {
		return Prefix{p.field, text}
	}
	if p.field != "" {
		p.complain(p.pos, "expected the beginning of a word before *")
	}
	return All{}
}

// scan reads the bare word at i up to its end or to one of the signs in stops.
// It returns its text and where it ends.
func (p *parser) scan(i int, stops string) (text string, end int) {
	if op := p.escapedOperator(i); op != "" {
		return op, i + 1 + len(op)
	}
	var b strings.Builder
	for !p.ends(i) {
		r, n := p.at(i)
		if strings.ContainsRune(stops, r) {
			break
		}
		if next, m := p.at(i + n); r == '\\' && m > 0 && escapes(next) {
			i, n = i+n, m
		}
		b.WriteString(p.text[i : i+n])
		i += n
	}
	return b.String(), i
}

// escapes reports whether a backslash takes away the meaning of r. Before
// letters and digits it is a backslash: people paste paths.
func escapes(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }

// escapedOperator returns the operator that stands at i behind a backslash, as
// a whole word.
func (p *parser) escapedOperator(i int) string {
	if r, n := p.at(i); r != '\\' || n == 0 {
		return ""
	}
	word := p.text[i+1:]
	if end := strings.IndexFunc(word, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`()":^*~`, sign(r)) }); end >= 0 {
		word = word[:end]
	}
	if isOperator(word) {
		return word
	}
	return ""
}

// cutAt returns at most n bytes of s, without parting a rune.
func cutAt(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
