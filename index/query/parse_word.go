package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word reads a bare word: a Match, a Prefix, a Wildcard, a Fuzzy or All. It is
// nil when there is none.
func (p *parser) word() Query {
	var w bareWord
	start, star := p.pos, -1
	for {
		text, end := p.scan(p.pos, "*?^~")
		w.add(text)
		p.pos = end
		r, n := p.peek()
		switch {
		case r == '^' && end > start && p.boostAt(end):
			return p.boosted(p.bare(&w, start, star))
		case r == '~' && end > start && w.stars == 0 && w.solid:
			if q, ok := p.fuzzy(w.text.String()); ok {
				return p.boosted(q)
			}
		case r == '*', r == '?':
			if r == '*' && star < 0 {
				star = end
			}
			w.sign(r, p.text[end:end+n])
			p.pos += n
			continue
		}
		switch {
		case r == '^':
			p.complain(end+n, "expected a number from 0 up after ^")
		case r == '~':
			p.complain(end, "a ~ may only follow a word, a phrase or a group")
		case end == start:
			return nil
		default:
			return p.bare(&w, start, star)
		}
		w.add(p.text[end : end+n]) // the sign is part of the word
		p.pos += n
	}
}

// bare is what the bare word from start to pos asks for; star is where its first *
// is, if any.
func (p *parser) bare(w *bareWord, start, star int) Query {
	if text, ok := w.prefix(); ok {
		return p.starred(text)
	}
	if pattern, ok := w.wildcard(p.field != ""); ok {
		return Wildcard{p.field, pattern}
	}
	if star >= 0 {
		p.complain(star, "here a * may only end a word")
	}
	whole := Match{p.field, w.text.String()}
	if !p.either || p.excluding || p.field != "" && p.kind(p.field) != Words {
		return whole
	}
	any := Or{whole}
	for _, word := range joinedWords(p.text[start:p.pos]) {
		any = append(any, Match{p.field, word})
	}
	return either(any)
}

// starred is what the text before a star asks for.
func (p *parser) starred(text string) Query {
	if text != "" {
		return Prefix{p.field, text}
	}
	if p.field != "" {
		return Exists{p.field}
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
