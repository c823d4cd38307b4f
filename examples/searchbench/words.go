package main

import (
	"iter"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
)

// asciiName is what the schema calls asciiWords.
const asciiName = "ascii"

// asciiWords finds runs of ASCII letters and digits, lower-cased: no stemming,
// no stop words, nothing of other alphabets.
type asciiWords struct{}

var _ analysis.Analyzer = asciiWords{}

// Tokens yields the words of text.
func (asciiWords) Tokens(text string) iter.Seq[analysis.Token] {
	return func(yield func(analysis.Token) bool) {
		for i, pos := 0, 0; i < len(text); i++ {
			if !isWord(text[i]) {
				continue
			}
			start := i
			for i < len(text) && isWord(text[i]) {
				i++
			}
			t := analysis.Token{Text: strings.ToLower(text[start:i]), Start: start, End: i, Pos: pos}
			if len(t.Text) > analysis.MaxToken {
				t.Text, t.Cut = t.Text[:analysis.MaxToken], true
			}
			if !yield(t) {
				return
			}
			pos++
		}
	}
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
