package main

import (
	"iter"

	"github.com/webquarry/quarry/index/analysis"
)

// asciiName is what the schema calls asciiWords.
const asciiName = "ascii"

// asciiWords finds runs of ASCII letters and digits, lower-cased: no stemming,
// no stop words, nothing of other alphabets.
type asciiWords struct{}

var _ analysis.Analyzer = asciiWords{}

// lowered has the lower-case form of ASCII letters and digits, 0 for others.
var lowered = func() (table [256]byte) {
	for c := '0'; c <= '9'; c++ {
		table[c] = byte(c)
	}
	for c := 'a'; c <= 'z'; c++ {
		table[c], table[c-'a'+'A'] = byte(c), byte(c)
	}
	return table
}()

// Tokens yields the words of text.
func (asciiWords) Tokens(text string) iter.Seq[analysis.Token] {
	return func(yield func(analysis.Token) bool) {
		var buf []byte
		for i, pos := 0, 0; i < len(text); i++ {
			if lowered[text[i]] == 0 {
				continue
			}
			start, upper := i, false
			for ; i < len(text) && lowered[text[i]] != 0; i++ {
				upper = upper || lowered[text[i]] != text[i]
			}
			t := analysis.Token{Text: text[start:i], Start: start, End: i, Pos: pos}
			if upper {
				buf = buf[:0]
				for _, c := range []byte(t.Text) {
					buf = append(buf, lowered[c])
				}
				t.Text = string(buf)
			}
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
