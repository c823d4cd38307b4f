package invert

import "strings"

// field holds the tokens of a field in the order they came, document after
// document. They are sorted by term when they are flushed, in one go.
type field struct {
	number    int
	name      string
	positions bool
	ids       map[string]uint32
	terms     []string // by id
	tokens    []token
	runs      []run
}

type token struct{ term, pos uint32 }

// run is the tokens of one document.
type run struct {
	doc      int // place in Buffer.docs
	from, to int
}

// add adds the tokens of a document and returns what they weigh.
func (f *field) add(doc int, tokens []Token) int64 {
	weight := int64(len(tokens)) * tokenWeight
	from, last := len(f.tokens), uint32(0)
	for _, t := range tokens {
		id, ok := f.ids[t.Term]
		if !ok {
			// The token may be a piece of a large text.
			term := strings.Clone(t.Term)
			id = uint32(len(f.terms))
			f.ids[term] = id
			f.terms = append(f.terms, term)
			weight += int64(termWeight + len(term))
		}
		last = max(last, t.Pos)
		f.tokens = append(f.tokens, token{id, last})
	}
	f.runs = append(f.runs, run{doc, from, len(f.tokens)})
	return weight
}
