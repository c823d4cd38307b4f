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
		var lower lowerer
		for i, pos := 0, 0; i < len(text); i++ {
			if !isWord(text[i]) {
				continue
			}
			start, all := i, byte(isLower)
			for i < len(text) && isWord(text[i]) {
				all &= text[i]
				i++
			}
			t := analysis.Token{Text: text[start:i], Start: start, End: i, Pos: pos}
			if all == 0 {
				t.Text = lower.of(t.Text)
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

// isLower is the bit that all of the lower-case letters and digits have, and no
// upper-case letter.
const isLower = 0x20

func isWord(c byte) bool { return (c|isLower)-'a' < 26 || c-'0' < 10 }

// lowerer makes words lower-case, with memory for many of them at a time.
type lowerer struct{ room strings.Builder }

const lowerRoom = 1 << 10

func (l *lowerer) of(word string) string {
	if l.room.Cap()-l.room.Len() < len(word) {
		l.room = strings.Builder{}
		l.room.Grow(max(lowerRoom, len(word)))
	}
	from := l.room.Len()
	for i := range len(word) {
		l.room.WriteByte(word[i] | isLower)
	}
	return l.room.String()[from:]
}
