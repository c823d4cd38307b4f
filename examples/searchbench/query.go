package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
)

// parser reads queries. They are clauses, parted by spaces: a word, "a phrase",
// pre:abc for words that begin with it, fuz1:abc and fuz2:abc for words within
// one or two edits. A + before a clause requires it, a - excludes it. Besides
// required clauses the others only add to the score; without any, one of them
// has to match.
type parser struct{ analyzer analysis.Analyzer }

var errEmptyQuery = errors.New("a query without words")

func (p *parser) parse(text string) (query.Query, error) {
	var must, may, not []query.Query
	for rest := strings.TrimLeft(text, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		list := &may
		switch rest[0] {
		case '+':
			list, rest = &must, rest[1:]
		case '-':
			list, rest = &not, rest[1:]
		}
		q, next, err := p.clause(rest)
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, text)
		}
		*list = append(*list, q)
		rest = next
	}
	if len(must)+len(may) == 0 {
		return nil, errEmptyQuery
	}
	return join(must, may, not), nil
}

// join makes one query of clauses.
func join(must, may, not []query.Query) query.Query {
	all := query.And(must)
	switch {
	case len(must) == 0 && len(may) == 1:
		all = append(all, may[0])
	case len(must) == 0:
		all = append(all, query.Or(may))
	case len(may) > 0: // matches everything, and adds to the score
		all = append(all, append(query.Or(may), query.All{}))
	}
	for _, q := range not {
		all = append(all, query.Not{Query: q})
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// clause reads the clause at the start of s, and returns what follows it.
func (p *parser) clause(s string) (query.Query, string, error) {
	if rest, ok := strings.CutPrefix(s, `"`); ok {
		phrase, rest, ok := strings.Cut(rest, `"`)
		if !ok {
			return nil, "", errors.New("an unclosed phrase")
		}
		q, err := p.words(phrase)
		return q, rest, err
	}
	word, rest, _ := strings.Cut(s, " ")
	kind, of, _ := strings.Cut(word, ":")
	var q query.Query
	var err error
	switch kind {
	case "pre":
		q = query.Constant{Query: query.Prefix{Field: fieldName, Text: of}, Score: 1}
	case "fuz1":
		q = query.Constant{Query: query.Fuzzy{Field: fieldName, Text: of, Distance: 1}, Score: 1}
	case "fuz2":
		q = query.Constant{Query: query.Fuzzy{Field: fieldName, Text: of, Distance: 2}, Score: 1}
	default:
		q, err = p.words(word)
	}
	return q, rest, err
}

// words is a word, or several as a phrase.
func (p *parser) words(text string) (query.Query, error) {
	slots := analysis.Slots(p.analyzer, text)
	switch {
	case len(slots) == 0:
		return nil, errors.New("a clause without words")
	case len(slots) == 1 && len(slots[0].Terms) == 1:
		return query.Term{Field: fieldName, Text: slots[0].Terms[0]}, nil
	}
	return query.Phrase{Field: fieldName, Text: text}, nil
}
