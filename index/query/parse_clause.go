package query

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clause reads a query with what stands before and behind it. Its query is nil
// when there is none.
func (p *parser) clause() clause {
	if p.operator() == "NOT" {
		p.pos += len("NOT")
		p.skipSpace()
		return p.excluded("NOT")
	}
	r, n := p.peek()
	if r != '-' && r != '+' || !p.begins || p.literal {
		return p.primary()
	}
	if p.isNone(p.pos) {
		_, m := p.at(p.pos + n)
		p.pos += n + m
		return clause{query: None{}}
	}
	if isArrow(p.text[p.pos+n:]) {
		return p.primary()
	}
	p.pos += n
	if r == '-' {
		return p.excluded("-")
	}
	if p.missing("+") {
		return clause{}
	}
	c := p.primary()
	c.sign = '+'
	return c
}

// isArrow reports whether a - or + before rest is part of a word, such as --help,
// ->next, += or -|-.
func isArrow(rest string) bool {
	r, n := utf8.DecodeRuneInString(rest)
	next, _ := utf8.DecodeRuneInString(rest[n:])
	r = sign(r)
	if (r == '=' || r == '~') && sign(next) == '"' { // a Term or Like
		return false
	}
	return n > 0 && strings.ContainsRune("-+=<>|&!^~:;,]}", r)
}

// isNone reports whether -* stands at i, as a whole word.
func (p *parser) isNone(i int) bool {
	minus, n := p.at(i)
	star, m := p.at(i + n)
	return minus == '-' && star == '*' && p.ends(i+n+m)
}

// excluded reads what stands behind a NOT or a minus.
func (p *parser) excluded(op string) clause {
	if p.missing(op) || !p.enter() {
		return clause{}
	}
	outer := p.excluding
	p.excluding = true
	defer func() {
		p.depth--
		p.excluding = outer
	}()
	c := p.clause()
	if c.query == nil {
		return clause{}
	}
	return clause{query: c.signed(), sign: '-'}
}

// missing complains when no term can begin at pos.
func (p *parser) missing(op string) bool {
	r, n := p.peek()
	if next := p.operator(); n > 0 && r != ')' && !unicode.IsSpace(r) && next != "AND" && next != "OR" {
		return false
	}
	p.complain(p.pos, "expected a term after "+op+", found "+p.found(p.pos))
	return true
}

// primary reads a group or a leaf, and the boost behind it.
func (p *parser) primary() clause {
	outer, start := p.field, p.pos
	defer func() { p.field = outer }()
	r, n := p.peek()
	if r != '(' && r != '"' && p.regexpEnd(p.pos) == 0 {
		if field, length := p.fieldName(); length > 0 {
			p.field = field
			p.pos += length
			r, n = p.peek()
		}
	}
	if r == '(' {
		c := p.group(n)
		if r, _ := p.peek(); r == '^' || p.field != "" {
			c = clause{query: p.boosted(c.query)}
		}
		return c
	}
	value := p.pos
	c := p.leaf()
	q, ok := p.fitted(value, c.query)
	if ok || !p.lenient {
		c.query = q
		return c
	}
	p.pos, p.field = start, "" // as words
	if r, _ := p.peek(); r == '"' {
		return clause{query: p.boosted(p.quoted())}
	}
	return clause{query: p.word(), bare: true}
}

// leaf reads a leaf, and the boost behind it.
func (p *parser) leaf() clause {
	if r, _ := p.peek(); r == '"' {
		return clause{query: p.boosted(p.quoted())}
	}
	if q, ok := p.marked(); ok {
		return clause{query: p.boosted(q)}
	}
	if q, ok := p.ranged(); ok {
		return clause{query: p.boosted(q)}
	}
	return clause{query: p.word(), bare: p.field == ""}
}

// fieldName returns the field that is named at pos and the length of that with
// its colon; 0 when there is none.
func (p *parser) fieldName() (name string, length int) {
	name, end := p.scan(p.pos, ":")
	r, n := p.at(end)
	if r != ':' {
		return "", 0
	}
	if end == p.pos {
		p.complain(p.pos, "expected the name of a field before :")
		return "", 0
	}
	after, _ := p.at(end + n)
	missing := p.ends(end+n) && after != '(' && after != '"'
	known := p.kind(name) != NoField
	if p.lenient {
		switch {
		case known && !missing:
			return name, end + n - p.pos
		case known:
			p.note(p.pos, Warning{WarnSyntax, name, "nothing stands behind " + strconv.Quote(name+":") + ": it is read as a word"})
		case isName(name) && after != '/' && after != '\\' && after != ':' && !unicode.IsSpace(after) && after != 0 && after != ')':
			p.note(p.pos, Warning{WarnUnknownField, name, "there is no field " + strconv.Quote(name) + ": " + p.found(p.pos) + " is read as words"})
		}
		return "", 0
	}
	switch {
	case !known:
		p.complain(p.pos, "unknown field "+strconv.Quote(name))
	case missing:
		p.complain(end+n, "expected a term after "+strconv.Quote(name+":")+", found "+p.found(end+n))
	}
	return name, end + n - p.pos
}

// isName reports whether a word looks like the name of a field.
func isName(s string) bool {
	letters := 0
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters++
		case letters == 0 || !unicode.IsNumber(r) && r != '_' && r != '-' && r != '.':
			return false
		}
	}
	return letters > 1
}

// group reads what stands in parentheses.
func (p *parser) group(n int) clause {
	open := p.pos
	p.pos += n
	if !p.enter() {
		return clause{}
	}
	outer := p.literal
	p.literal = outer || !p.begins
	s := p.clauses()
	q := s.join(p.either)
	p.depth--
	p.literal = outer
	r, n := p.peek()
	switch {
	case r != ')':
		p.complain(open, "a ( without its )")
	case q == nil:
		p.complain(p.pos, "expected a term, found )")
	}
	p.pos += n
	if r, _ := p.peek(); r == '~' && n > 0 && q != nil {
		if least, ok := p.slop(); ok {
			return clause{query: AtLeast{least, s.members(p.either)}}
		}
	}
	return clause{query: q, words: s.words()}
}

// quoted reads a phrase.
func (p *parser) quoted() Query {
	text, star, ok := p.quotation()
	if !ok {
		return nil
	}
	if q, ok := p.fuzzyNothing(text, star); ok {
		return q
	}
	slop, given := p.slop()
	switch {
	case star && given:
		p.complain(p.pos, "a phrase with a * takes no ~")
		return Prefix{p.field, text}
	case star:
		return Prefix{p.field, text}
	case text == "" && !given:
		return Match{Field: p.field}
	}
	return Phrase{p.field, text, slop}
}

// quotation reads a text in quotes, and whether a star ends it. Straight quotes
// end straight ones, any curly quote ends a curly one.
func (p *parser) quotation() (text string, star, ok bool) {
	open, first := p.pos, rune(p.text[p.pos])
	var b strings.Builder
	blank := false // the rune before is a bare blank
	_, n := p.peek()
	for i := p.pos + n; i < len(p.text); {
		r, n := utf8.DecodeRuneInString(p.text[i:])
		next, m := p.at(i + n)
		switch {
		case r == '"' || first != '"' && sign(r) == '"':
			p.pos = i + n
			return b.String(), star, true
		case r == '\\' && m > 0 && escapes(next):
			b.WriteString(p.text[i+n : i+n+m])
			blank, n = false, n+m
		case sign(r) == '*' && !blank && next == '"' && p.closes(first, i+n):
			star = true
		default:
			b.WriteString(p.text[i : i+n])
			blank = unicode.IsSpace(r)
		}
		i += n
	}
	p.complain(open, "a quote that is not closed")
	p.pos = open + n
	return "", false, false
}

// closes reports whether the quote at i ends a quotation that began with first.
func (p *parser) closes(first rune, i int) bool { return first != '"' || p.text[i] == '"' }

// slop reads the ~n behind a phrase.
func (p *parser) slop() (n int, given bool) {
	r, size := p.peek()
	if r != '~' {
		return 0, false
	}
	end := p.digits(p.pos + size)
	slop, err := strconv.Atoi(p.text[p.pos+size : end])
	p.pos += size
	if err != nil {
		p.complain(p.pos, "expected a number after ~, found "+p.found(p.pos))
		return 0, false
	}
	p.pos = end
	return slop, true
}

// boosted reads the ^x or ^=x behind q.
func (p *parser) boosted(q Query) Query {
	r, n := p.peek()
	if r != '^' || q == nil {
		return q
	}
	p.pos += n
	constant := false
	if r, n := p.peek(); r == '=' {
		p.pos += n
		constant = true
	}
	by, end, ok := p.number(p.pos)
	if !ok {
		p.complain(p.pos, "expected a number from 0 up after ^, found "+p.found(p.pos))
		return q
	}
	p.pos = end
	if constant {
		return Constant{q, by}
	}
	return Boost{q, by}
}

// boostAt reports whether a ^ with its number stands at i.
func (p *parser) boostAt(i int) bool {
	r, n := p.at(i)
	if r != '^' {
		return false
	}
	if next, m := p.at(i + n); next == '=' {
		n += m
	}
	_, _, ok := p.number(i + n)
	return ok
}

// number reads the number at i, up to the end of the word.
func (p *parser) number(i int) (x float64, end int, ok bool) {
	const longest = 32
	for end = i; !p.ends(end) && end < i+longest; {
		_, n := p.at(end)
		end += n
	}
	x, err := strconv.ParseFloat(p.text[i:end], 64)
	return x, end, err == nil && p.ends(end) && x >= 0 && !math.IsInf(x, 1)
}
