package analysis

import (
	"iter"

	"github.com/webquarry/quarry/internal/fold"
)

// Accents ranks words higher that have the accents of the query: "año" finds "ano" too,
// but documents with "año" come first. A word with accents has two terms at its place, that
// of the analyzer and the word as it is written, in lower case. The second one is rarer
// and has a weight of [ExactWeight], and so scores more; a query for a word without accents does not ask for it. It makes an
// index of French text about a fifth larger.
type Accents struct {
	Words Analyzer // finds the words, and their stems; nil: Standard{}
}

// Tokens yields the tokens of text, and its words as they are written.
func (a Accents) Tokens(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for t := range wordsOr(a.Words).Tokens(text) {
			if !yield(t) {
				return
			}
			exact := ""
			if !t.extra {
				exact = written(text[t.Start:t.End])
			}
			if exact == "" {
				continue
			}
			t.Text, t.extra = exact, true
			if !yield(t) {
				return
			}
		}
	}
}

// QueryTokens yields the tokens of a query without them.
func (a Accents) QueryTokens(text string) iter.Seq[Token] { return queryTokens(wordsOr(a.Words), text) }

// Fold folds text as terms are.
func (a Accents) Fold(text string) string { return Fold(wordsOr(a.Words), text) }

// written returns a word as it is written if it has accents, or letters that others write
// otherwise; "" if not.
func written(word string) string {
	if isASCII(word) || len(word) > MaxToken/2 {
		return ""
	}
	exact := Standard{KeepMarks: true}.Fold(word)
	if exact == fold.String(word) || !isPlainWord(exact) || len(exact) > MaxToken {
		return ""
	}
	return exact
}

// ExactWeight is by how much a word scores more with the accents of the query than its second
// term does by itself: enough to make up for texts that are longer by such terms.
const ExactWeight = 1.25

// Exact returns the term that documents have beside others where a word of a query stands as
// it is written, with its accents; "": they have none. See [Accents].
func Exact(a Analyzer, word string) string {
	switch a := a.(type) {
	case Accents:
		return written(word)
	case *Languages:
		for _, of := range a.all() {
			if exact := Exact(of, word); exact != "" {
				return exact
			}
		}
	}
	return ""
}
