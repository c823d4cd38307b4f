package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clause is a member of a sequence: a query, and + or - before it.
type clause struct {
	query Query
	sign  rune
	bare  bool     // a word, or a pattern of one, in no particular field
	words []clause // of a group without operators, such as a remark in a sentence
}

// signed returns the clause as a query of its own.
func (c clause) signed() Query {
	if c.sign == '-' {
		return Not{c.query}
	}
	return c.query
}

// sequence reads the clauses of the text and joins them. It returns nil when there are
// none.
func (p *parser) sequence() Query { return p.join(p.clauses()) }

// join makes one query of the clauses of the text; nil of none.
func (p *parser) join(s sequence) Query {
	if p.allFirst && len(s.segments) == 1 {
		return rankAllFirst(withoutStars(s.segments[0]))
	}
	return s.join(p.either)
}

func (p *parser) clauses() (s sequence) {
	p.begins = true
	for p.skipSpace(); p.pos < len(p.text); p.skipSpace() {
		if r, n := p.peek(); r == ')' {
			if p.depth > 0 {
				break
			}
			p.complain(p.pos, "a ) without its (")
			p.pos += n
			p.begins = false
			continue
		}
		if op := p.operator(); op == "AND" || op == "OR" {
			if s.segments == nil || s.operator != "" {
				p.complain(p.pos, "expected a term before "+op)
			}
			s.operator = op
			p.pos += len(op)
			p.begins = true
			continue
		}
		if c := p.clause(); c.query != nil {
			s.add(c)
		}
		p.begins = false
	}
	if s.operator != "" {
		p.complain(p.pos, "expected a term after "+s.operator+", found "+p.found(p.pos))
	}
	return s
}

// operator returns the operator that stands at pos, or "".
func (p *parser) operator() string {
	if p.capitals {
		return ""
	}
	for _, op := range []string{"AND", "OR", "NOT"} {
		if len(p.text)-p.pos >= len(op) && p.text[p.pos:p.pos+len(op)] == op && p.ends(p.pos+len(op)) {
			return op
		}
	}
	return ""
}

// sequence is a list of clauses by how they are joined: segments by OR, the
// chains of a segment side by side, the clauses of a chain by AND.
type sequence struct {
	segments [][]chain
	operator string // that waits for its right side
}

type chain []clause

func (s *sequence) add(c clause) {
	op := s.operator
	s.operator = ""
	if s.segments == nil || op == "OR" {
		s.segments = append(s.segments, []chain{{c}})
		return
	}
	last := &s.segments[len(s.segments)-1]
	if op == "AND" {
		end := &(*last)[len(*last)-1]
		*end = append(*end, c)
		return
	}
	*last = append(*last, chain{c})
}

// join makes one query of all clauses; nil of none.
func (s *sequence) join(or bool) Query {
	var either []Query
	for _, chains := range s.segments {
		chains = withoutStars(chains)
		if or {
			either = append(either, prefer(chains)...)
		} else {
			either = append(either, require(chains))
		}
	}
	switch len(either) {
	case 0:
		return nil
	case 1:
		return either[0]
	}
	return Or(either)
}

// members returns what stands side by side, or is joined by OR, as
// alternatives.
func (s *sequence) members(or bool) (members []Query) {
	for _, chains := range s.segments {
		if len(s.segments) > 1 && !or {
			members = append(members, require(chains))
			continue
		}
		for _, c := range withoutStars(chains) {
			members = append(members, require([]chain{c}))
		}
	}
	return members
}

// withoutStars leaves out the stars among chains side by side: * and -* mean all and no
// documents only where they stand alone.
func withoutStars(chains []chain) []chain {
	if len(chains) == 1 {
		return chains
	}
	kept := slices.DeleteFunc(slices.Clone(chains), func(c chain) bool { return len(c) == 1 && isStar(c[0].query) })
	if len(kept) == 0 {
		return chains[:1]
	}
	return kept
}

func isStar(q Query) bool {
	switch q := q.(type) {
	case All, None:
		return true
	case Boost:
		return isStar(q.Query)
	case Constant:
		return isStar(q.Query)
	}
	return false
}

// require wants all clauses.
func require(chains []chain) Query {
	var qs []Query
	for _, together := range chains {
		for _, c := range together {
			qs = append(qs, c.signed())
		}
	}
	return all(qs)
}

// prefer wants the chains with a +, or without any at least one, and none with
// a -. It returns alternatives.
func prefer(chains []chain) []Query {
	var must, may, not []Query
	for _, together := range chains {
		switch c := together[0]; {
		case len(together) > 1:
			may = append(may, require([]chain{together}))
		case c.sign == '+':
			must = append(must, c.query)
		case c.sign == '-':
			not = append(not, c.signed())
		default:
			may = append(may, c.query)
		}
	}
	if len(must) == 0 && len(not) == 0 {
		return may
	}
	if len(may) > 0 {
		if len(must) > 0 {
			may = append([]Query{All{}}, may...) // they only add to the score
		}
		must = append(must, either(may))
	}
	return []Query{all(append(must, not...))}
}

const (
	// allBonus is what a document with all bare words scores in addition. It is more
	// than the words can score that others have, unless they are boosted.
	allBonus = 1000
	// mostRanked is the number of words up to which it is asked for. Of a sentence,
	// documents with all of the words are those with many words.
	mostRanked = 6
)

// words lists the bare words of a sequence without operators; nil: it has some.
func (s *sequence) words() (words []clause) {
	for _, chains := range s.segments {
		for _, together := range chains {
			switch c := together[0]; {
			case len(s.segments) > 1 || len(together) > 1 || c.sign != 0 || !c.bare && c.words == nil:
				return nil
			case c.words != nil:
				words = append(words, c.words...)
			default:
				words = append(words, c)
			}
		}
	}
	return words
}

// rankAllFirst asks for at least one of the bare words, for all other clauses, and for
// none with a -. Beside a clause with a + the bare words only add to the score.
func rankAllFirst(chains []chain) Query {
	var words []clause
	var must, not []Query
	optional := false
	for _, together := range chains {
		switch c := together[0]; {
		case len(together) > 1:
			for _, c := range together {
				must = append(must, c.signed())
			}
		case c.sign == '-':
			not = append(not, c.signed())
		case c.sign == '+':
			must, optional = append(must, c.query), true
		case c.words != nil:
			words = append(words, c.words...)
		case c.bare:
			words = append(words, c)
		default:
			must = append(must, c.query)
		}
	}
	var some, every []Query
	for _, c := range words {
		some, every = append(some, withParts(c.query)), append(every, c.query)
	}
	if 1 < len(every) && len(every) <= mostRanked {
		some = append(some, Constant{And(every), allBonus})
	}
	if len(some) > 0 && optional {
		some = append([]Query{All{}}, some...)
	}
	if len(some) > 0 {
		must = append([]Query{either(some)}, must...)
	}
	return all(append(must, not...))
}

// withParts adds to a compound, such as "wing-body" or "input/output", its parts of three
// letters or more as alternatives: a document is about it that has some of them.
func withParts(q Query) Query {
	m, ok := q.(Match)
	if !ok || strings.ContainsFunc(m.Text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) && !isHyphen(r) }) {
		return q
	}
	any := Or{m}
	for part := range strings.FieldsFuncSeq(m.Text, isHyphen) {
		if part != m.Text && utf8.RuneCountInString(part) > 2 {
			any = append(any, Match{m.Field, part})
		}
	}
	return either(any)
}

func isHyphen(r rune) bool {
	return r == '-' || r == '/' || r == '\u2010' || r == '\u2011' || r == '\u2013'
}

func all(qs []Query) Query {
	if len(qs) == 1 {
		return qs[0]
	}
	return And(qs)
}

func either(qs []Query) Query {
	if len(qs) == 1 {
		return qs[0]
	}
	return Or(qs)
}
