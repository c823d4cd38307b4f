package query

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/webquarry/quarry/index/internal/automaton"
)

// marked reads what a sign in front makes of a quotation: ="term",
// ?"wildcard", /"regexp", ~"key"; and /regexp/.
func (p *parser) marked() (Query, bool) {
	if end := p.regexpEnd(p.pos); end > 0 {
		return p.regexp(p.text[p.pos+1:end-1], end)
	}
	r, n := p.peek()
	if next, _ := p.at(p.pos + n); next != '"' || !strings.ContainsRune("=?/~", r) {
		return nil, false
	}
	p.pos += n
	start := p.pos
	text, star, ok := p.quotation()
	if !ok {
		return nil, false
	}
	if star {
		text += "*"
	}
	switch r {
	case '=':
		return Term{p.field, text}, true
	case '?':
		return Wildcard{p.field, text}, true
	case '~':
		words, _ := p.slop()
		return Like{p.field, text, words}, true
	}
	if q, ok := p.regexp(text, p.pos); ok {
		return q, true
	}
	p.pos = start // read it as a phrase
	return p.quoted(), true
}

// isExpression reports whether a pattern has signs of regular expressions: without any,
// /usr/ is a path.
func isExpression(pattern string) bool { return strings.ContainsAny(pattern, `\.+*?()|[]{}^$`) }

// regexpEnd returns where the /regexp/ at i ends; 0: there is none. It has no
// blanks and is a whole word.
func (p *parser) regexpEnd(i int) int {
	if i >= len(p.text) || p.text[i] != '/' {
		return 0
	}
	escaped := false
	for j, r := range p.text[i+1:] {
		j += i + 1
		switch {
		case unicode.IsSpace(r), j == i+1 && (r == '/' || sign(r) == '"'):
			return 0
		case r == '/' && !escaped:
			if (p.ends(j+1) || p.boostAt(j+1)) && isExpression(p.text[i+1:j]) {
				return j + 1
			}
			return 0
		}
		escaped = r == '\\' && !escaped
	}
	return 0
}

func (p *parser) regexp(pattern string, end int) (Query, bool) {
	if err := automaton.CheckRegexp(pattern); err != nil {
		p.complain(p.pos, "no regular expression: "+err.Error())
		return nil, false
	}
	p.pos = end
	return Regexp{p.field, pattern}, true
}

// fuzzy reads the ~, ~n, ~/m or ~n/m at the end of a word.
func (p *parser) fuzzy(text string) (Query, bool) {
	_, n := p.peek()
	digits := p.pos + n
	end := p.digits(digits)
	prefix, last := 0, end
	if strings.HasPrefix(p.text[end:], "/") {
		end = p.digits(last + 1)
		var err error
		if prefix, err = strconv.Atoi(p.text[last+1 : end]); err != nil {
			return nil, false
		}
	}
	if !p.ends(end) && !p.boostAt(end) {
		return nil, false
	}
	q := Fuzzy{Field: p.field, Text: text, Prefix: prefix}
	if digits < last {
		dist, err := strconv.Atoi(p.text[digits:last])
		if err != nil || dist > MaxDistance {
			p.complain(digits, "expected a distance of at most "+strconv.Itoa(MaxDistance))
			dist = MaxDistance
		}
		if dist == 0 {
			p.pos = end
			return Match{p.field, text}, true
		}
		q.Distance = dist
	}
	p.pos = end
	return q, true
}

// digits returns where the digits at i end.
func (p *parser) digits(i int) int {
	for i < len(p.text) && '0' <= p.text[i] && p.text[i] <= '9' {
		i++
	}
	return i
}

// fuzzyNothing reads the ~~ or ~~n behind an empty quotation: a Fuzzy of no text.
func (p *parser) fuzzyNothing(text string, star bool) (Query, bool) {
	r, n := p.peek()
	next, _ := p.at(p.pos + n)
	if text != "" || star || r != '~' || next != '~' {
		return nil, false
	}
	start := p.pos
	p.pos += n
	q, ok := p.fuzzy("")
	if !ok {
		p.pos = start
	}
	return q, ok
}

// bareWord is a word with the signs * and ? in it, as it is read.
type bareWord struct {
	text   strings.Builder // as it was written, the signs too
	pieces []automaton.Piece
	stars  int
	marks  int  // of which are question marks
	odd    bool // it has other runes than letters, digits and marks
	solid  bool // it has any
	letter bool // it has letters
}

// add adds text.
func (w *bareWord) add(text string) {
	if text == "" {
		return
	}
	w.text.WriteString(text)
	w.solid = true
	for _, r := range text {
		w.letter = w.letter || unicode.IsLetter(r)
		w.odd = w.odd || !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}
	w.pieces = append(w.pieces, automaton.Piece{Text: text})
}

// sign adds a * or ?, which was written as text.
func (w *bareWord) sign(op rune, text string) {
	w.text.WriteString(text)
	w.pieces = append(w.pieces, automaton.Piece{Op: op, Text: text})
	if op == '*' {
		w.stars++
	} else {
		w.marks++
	}
}

// prefix returns what stands before a * that ends the word, if that is the
// only sign.
func (w *bareWord) prefix() (string, bool) {
	if n := len(w.pieces); w.stars != 1 || w.pieces[n-1].Op != '*' {
		return "", false
	}
	if _, ok := w.wildcard(false); ok {
		return "", false
	}
	return strings.TrimSuffix(w.text.String(), w.pieces[len(w.pieces)-1].Text), true
}

// wildcard returns the pattern that the word is, if it is one. Signs mean
// something in words of letters and digits, a * also in other words if a field is
// named, but not between numbers: 5*3 is a product. Question marks at the end of a word are text: people ask questions.
func (w *bareWord) wildcard(inField bool) (string, bool) {
	n := len(w.pieces)
	for n > 0 && w.pieces[n-1].Op == '?' {
		n--
	}
	if !w.solid || w.odd && !inField {
		return "", false
	}
	var b strings.Builder
	signs := 0
	for i, p := range w.pieces {
		if p.Op == '*' && 0 < i && i < len(w.pieces)-1 && !w.letter && !inField {
			return "", false
		}
		if p.Op == '*' || p.Op == '?' && !w.odd && i < n {
			signs++
			b.WriteRune(p.Op)
			continue
		}
		b.WriteString(strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`).Replace(p.Text))
	}
	only := signs == 1 && w.pieces[len(w.pieces)-1].Op == '*' // a prefix
	return b.String(), signs > 0 && !only
}

// meansMarks reports whether question marks in a bare word, before a * if
// starred, would mean something.
func meansMarks(s string, starred bool) bool {
	if !strings.Contains(s, "?") {
		return false
	}
	var w bareWord
	for i, text := range strings.Split(s, "?") {
		if i > 0 {
			w.sign('?', "?")
		}
		w.add(text)
	}
	if starred {
		w.sign('*', "*")
	}
	_, ok := w.wildcard(false)
	return ok
}
