package main

import (
	"iter"
	"math/bits"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
)

// asciiName is what the schema calls asciiWords.
const asciiName = "ascii"

// asciiWords finds runs of ASCII letters and digits, lower-cased: no stemming,
// no stop words, nothing of other alphabets.
type asciiWords struct{}

var _ analysis.Analyzer = asciiWords{}

// Tokens yields the words of text. It looks at 64 bytes at a time.
func (asciiWords) Tokens(text string) iter.Seq[analysis.Token] {
	return func(yield func(analysis.Token) bool) {
		e := emitter{text: text, yield: yield}
		start, capitals := -1, uint64(0) // of a word that has begun before
		for at := 0; at < len(text); at += 64 {
			word, upper := classify(text[at:])
			done := 0
			if start >= 0 {
				done = bits.TrailingZeros64(^word)
				capitals |= upper & below(done)
				if done == 64 {
					continue
				}
				if !e.emit(start, at+done, capitals) {
					return
				}
				start = -1
			}
			for word &^= below(done); word != 0; word &^= below(done) {
				first := bits.TrailingZeros64(word)
				done = first + bits.TrailingZeros64(^(word >> first))
				capitals = upper & below(done) &^ below(first)
				if done == 64 {
					start = at + first
					break
				}
				if !e.emit(at+first, at+done, capitals) {
					return
				}
			}
		}
		if start >= 0 {
			e.emit(start, len(text), capitals)
		}
	}
}

// below sets the bits below n, which is at most 64.
func below(n int) uint64 { return 1<<n - 1 }

// emitter yields words.
type emitter struct {
	text  string
	pos   int
	lower lowerer
	yield func(analysis.Token) bool
}

// emit yields the word from start to end; capitals are 0 if it has none.
func (e *emitter) emit(start, end int, capitals uint64) bool {
	t := analysis.Token{Text: e.text[start:end], Start: start, End: end, Pos: e.pos}
	if capitals != 0 {
		t.Text = e.lower.of(t.Text)
	}
	if len(t.Text) > analysis.MaxToken {
		t.Text, t.Cut = t.Text[:analysis.MaxToken], true
	}
	e.pos++
	return e.yield(t)
}

// classify sets a bit for each of the first 64 bytes that is a letter or digit, and
// for each that is an upper-case letter.
func classify(text string) (word, upper uint64) {
	if len(text) < 64 {
		var all [64]byte
		copy(all[:], text)
		return classify(string(all[:]))
	}
	for i := 0; i < 64; i += 8 {
		x := eight(text[i : i+8])
		low := x &^ topBits
		digit := from(low, '0') &^ from(low, '9'+1)
		letter := from(low|isLower*eachByte, 'a') &^ from(low|isLower*eachByte, 'z'+1)
		in := (digit | letter) &^ x & topBits
		word |= gather(in) << i
		upper |= gather(in&^(x<<2)) << i // the bit isLower, moved to the top
	}
	return word, upper
}

const (
	eachByte = 0x0101010101010101
	topBits  = 0x80 * eachByte
)

// eight returns eight bytes, the first the lowest.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// from sets the top bits of those of eight bytes below 0x80 that are at least c.
func from(x uint64, c byte) uint64 { return x + (0x80-uint64(c))*eachByte }

// gather moves the top bits of eight bytes together.
func gather(x uint64) uint64 { return x >> 7 * 0x0102040810204080 >> 56 }

// isLower is the bit that all of the lower-case letters and digits have, and no
// upper-case letter.
const isLower = 0x20

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
