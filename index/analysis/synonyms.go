package analysis

import (
	"iter"
	"slices"
	"strings"
)

// Synonyms makes texts that mean the same one term, in documents and in
// queries: with the group "usa", "united states", each finds the other. The words
// themselves stay where they are, for prefixes and patterns. Several words of a query
// need no quotes to be a synonym (see [Joints]). A text of several words takes as many
// places as it has words; a phrase with other words beside it is looked for in each
// of its forms (see [Phrases]), where Synonyms is the outermost analyzer. So stems go
// into it: NewSynonyms(&English{}, ...).
//
// When groups change, the documents must be indexed anew.
type Synonyms struct {
	words  Analyzer
	groups map[string]string     // the terms of a text, joined by blanks: those of the first text of its group
	begins map[string]bool       // those that begin a longer one
	forms  map[string][][]string // of a group: the terms of its texts; all texts of one word are the group itself
}

// NewSynonyms makes an analyzer that yields the tokens of a (nil: Standard{}),
// with the texts of each group as one. A text that is in two groups belongs to the
// first.
func NewSynonyms(a Analyzer, groups ...[]string) *Synonyms {
	s := &Synonyms{wordsOr(a), map[string]string{}, map[string]bool{}, map[string][][]string{}}
	for _, group := range groups {
		first := ""
		for _, text := range group {
			terms := s.terms(text)
			name := strings.Join(terms, " ")
			if name == "" || len(name) > MaxToken {
				continue
			}
			if first == "" {
				if first = name; s.groups[name] != "" {
					first = s.groups[name]
				}
			}
			if s.groups[name] == "" {
				s.groups[name] = first
				s.addForm(first, terms)
			}
			for n := 1; n < len(terms); n++ {
				s.begins[strings.Join(terms[:n], " ")] = true
			}
		}
	}
	return s
}

func (s *Synonyms) addForm(group string, terms []string) {
	if len(terms) == 1 {
		terms = []string{group}
	}
	same := func(form []string) bool { return slices.Equal(form, terms) }
	if !slices.ContainsFunc(s.forms[group], same) {
		s.forms[group] = append(s.forms[group], terms)
	}
}

// terms returns the terms of a text, that of each place.
func (s *Synonyms) terms(text string) (terms []string) {
	for _, slot := range Slots(s.words, text) {
		terms = append(terms, slot.Terms[0])
	}
	return terms
}

// Tokens yields the words of text, with synonyms.
func (s *Synonyms) Tokens(text string) iter.Seq[Token] { return s.with(s.words.Tokens(text), false) }

// QueryTokens yields the same for a query, which does not ask for a word that is a
// synonym by itself.
func (s *Synonyms) QueryTokens(text string) iter.Seq[Token] {
	return s.with(queryTokens(s.words, text), true)
}

func (s *Synonyms) with(tokens iter.Seq[Token], query bool) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		w := synonymWindow{Synonyms: s, yield: yield, query: query}
		for t := range tokens {
			if n := len(w.held); n > 0 && w.held[n-1].Pos != t.Pos && !w.flush(false) {
				return
			}
			w.held = append(w.held, t)
		}
		w.flush(true)
	}
}

// Fold folds text as terms are.
func (s *Synonyms) Fold(text string) string { return Fold(s.words, text) }

// synonymWindow holds the tokens of whole places back while they may begin a
// synonym.
type synonymWindow struct {
	*Synonyms
	yield func(Token) bool
	query bool
	held  []Token
}

// flush yields what is decided, or all at the end, and reports whether more is
// wanted.
func (w *synonymWindow) flush(end bool) bool {
	for len(w.held) > 0 {
		name, n, open := w.longest()
		if open && !end {
			return true
		}
		if n > 0 {
			t := Token{Text: name, Start: w.held[0].Start, End: w.held[n-1].End, Pos: w.held[0].Pos}
			if !w.yield(t) {
				return false
			}
		}
		if n == 1 && (w.query || w.held[0].Text == name) {
			w.held = w.held[1:]
			continue
		}
		for _, t := range w.held[:max(n, 1)] {
			if !w.yield(t) {
				return false
			}
		}
		w.held = w.held[max(n, 1):]
	}
	w.held = nil
	return true
}

// longest returns the longest synonym that begins what is held, and its length
// in tokens; and whether the next token may make it longer. Places of several
// tokens, as scripts without spaces have them, are in no synonym.
func (w *synonymWindow) longest() (name string, n int, open bool) {
	text, words, last := "", 0, -1
	for i, t := range w.held {
		if t.extra {
			continue
		}
		if words > 0 {
			text += " "
		}
		if t.Pos == last || t.Pos != w.held[0].Pos+words || !w.alone(i) {
			return name, n, false
		}
		words, last = words+1, t.Pos
		text += t.Text
		if s, ok := w.groups[text]; ok {
			name, n = s, i+1
		}
		if !w.begins[text] {
			return name, n, false
		}
	}
	return name, n, true
}

// alone reports whether the i-th token that is held has its place for itself, but for extra ones.
func (w *synonymWindow) alone(i int) bool {
	for _, t := range w.held[i+1:] {
		if t.Pos != w.held[i].Pos {
			break
		}
		if !t.extra {
			return false
		}
	}
	return true
}
