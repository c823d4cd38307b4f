package query

import (
	"strings"
	"unicode"
)

// ranged reads a range behind the name of a field: [a TO b], with { or } where
// the bound itself is left out, a..b, a.., ..b, >a, >=a, <b and <=b.
func (p *parser) ranged() (Query, bool) {
	if p.field == "" {
		return nil, false
	}
	if r, _ := p.peek(); r == '[' || r == '{' {
		if q, ok := p.bracketed(); ok {
			return q, true
		}
		p.complain(p.pos, "expected a range such as [1 TO 2]")
		return nil, false
	}
	end := p.pos
	for !p.ends(end) && !p.boostAt(end) {
		_, n := p.at(end)
		end += n
	}
	q, ok := rangeOf(p.text[p.pos:end])
	if ok {
		q.Field = p.field
		p.pos = end
	}
	return q, ok
}

// rangeOf reads a range that is one word.
func rangeOf(word string) (q Range, ok bool) {
	if from, to, found := strings.Cut(word, ".."); found {
		q = Range{From: from, To: to}
		return q, (from == "" || isValue(from)) && (to == "" || isValue(to)) && from+to != ""
	}
	switch {
	case strings.HasPrefix(word, ">="):
		q.From = word[2:]
	case strings.HasPrefix(word, ">"):
		q.From, q.AfterFrom = word[1:], true
	case strings.HasPrefix(word, "<="):
		q.To = word[2:]
	case strings.HasPrefix(word, "<"):
		q.To, q.BeforeTo = word[1:], true
	}
	return q, isValue(q.From + q.To)
}

// isValue reports whether s looks like a number or a time.
func isValue(s string) bool {
	digits := strings.TrimLeft(s, "+-.")
	return digits != "" && '0' <= digits[0] && digits[0] <= '9' && isPlainBound(s)
}

// isPlainBound reports whether s is made of what numbers and times are made of.
func isPlainBound(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("+-.:_", r))
	}) < 0
}

// bracketed reads [a TO b], and leaves pos where it is if that is not there.
func (p *parser) bracketed() (Query, bool) {
	start := p.pos
	q := Range{Field: p.field, AfterFrom: p.text[p.pos] == '{'}
	p.pos++
	var ok [3]bool
	q.From, ok[0] = p.bound()
	p.skipSpace()
	if strings.HasPrefix(p.text[p.pos:], "TO") {
		p.pos += len("TO")
		r, _ := p.peek()
		ok[1] = unicode.IsSpace(r)
	}
	q.To, ok[2] = p.bound()
	p.skipSpace()
	r, n := p.peek()
	if ok != [3]bool{true, true, true} || r != ']' && r != '}' {
		p.pos = start
		return nil, false
	}
	q.BeforeTo = r == '}'
	p.pos += n
	return q, true
}

// bound reads a bound: *, a plain one, or any in quotes.
func (p *parser) bound() (string, bool) {
	p.skipSpace()
	r, n := p.peek()
	switch {
	case r == '*':
		p.pos += n
		return "", true
	case r == '"' && strings.ContainsRune(p.text[p.pos+n:], '"'):
		text, star, ok := p.quotation()
		if star {
			text += "*"
		}
		return text, ok && text != ""
	}
	end := p.pos
	for end < len(p.text) && isPlainBound(p.text[end:end+1]) {
		end++
	}
	text := p.text[p.pos:end]
	p.pos = end
	return text, text != "" && text != "TO"
}

// inField prints a bare word in a field, such that it is not read as a range.
func inField(field, word string) string {
	if field == "" || word == "" {
		return word
	}
	if word[0] == '[' || word[0] == '{' {
		return fieldPrefix(field) + `\` + word
	}
	if _, ok := rangeOf(word); ok {
		if word[0] == '<' || word[0] == '>' {
			word = `\` + word
		} else {
			word = strings.Replace(word, "..", `\..`, 1)
		}
	}
	return fieldPrefix(field) + word
}
