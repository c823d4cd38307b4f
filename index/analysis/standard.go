package analysis

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/webquarry/quarry/internal/fold"
)

// Standard finds words in text of any language.
//
// Words are runs of letters, marks and digits as Unicode's text segmentation
// (UAX 29) finds them, but parted at every other sign within: "pg_dump",
// "list.append", "e-mail" and "3.14" are two tokens each, next to each other, so
// that they are found by their parts and, standing together, as a whole. A
// single letter followed by "++" or "#" is a word with it: "C++", "F#", ".NET".
//
// What is written in several ways is one term: "U.S.A." and "USA" (and "U.S."), "AT&T"
// and "ATT", "1,000,000", "1.000.000" and "1000000". Two words with a hyphen are
// indexed as one besides ("wi-fi" and "wifi"); see [Variants]. Each emoji is a word.
//
// All characters that are typed for an apostrophe are one, and people leave it out:
// "don't" and "dont" are one term, and so are "O'Reilly", which "Reilly" finds too,
// and "oreilly". What has lost its vowel before another word falls away, so that "l'avion",
// "dell'avion" and "avion" are one term, and so do a possessive 's and the endings of
// Turkish names ("Ankara'nın").
//
// Scripts written without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer,
// Burmese) are indexed by each character and by each pair of neighbours; a
// query asks for the pairs, or for a lone character.
//
// Terms are in normal form NFKC and case-folded. Diacritics of Latin, Greek,
// Arabic and Hebrew fall away too, as web search has it: "café" and "cafe" are
// one term. Bytes that are not UTF-8 part words. Text that is mostly ASCII costs
// least.
type Standard struct {
	// KeepMarks keeps diacritics: "é" and "e" differ, however they are encoded.
	KeepMarks bool

	language language // whose rules for apostrophes hold
}

// language is one that has rules of its own for which words a text has.
type language uint8

const (
	anyLanguage language = iota
	catalan
	turkish
)

// Tokens yields the words of text.
func (s Standard) Tokens(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		sc := scanner{Standard: s, text: text, yield: yield}
		sc.scan()
	}
}

// queryTokens does so for a query, which asks for the parts of a word with a hyphen (see
// [Variants]). It is no method QueryTokens, which analyzers that embed a Standard would have.
func (s Standard) queryTokens(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		sc := scanner{Standard: s, text: text, yield: yield, query: true}
		sc.scan()
	}
}

// scanner walks over a text once. Words of ASCII it finds itself; a stretch
// with other characters goes to wide, which has the full rules. What scanner
// does with ASCII is what wide would do: a fuzz test compares them.
type scanner struct {
	Standard
	text    string
	yield   func(Token) bool
	query   bool
	pos     int  // of the next token
	stopped bool // the consumer has had enough
	free    int  // up to here no words are linked
	wide    *wide
	parts   []part  // scratch
	places  []place // scratch
}

// Classes of bytes.
const (
	wordByte  = 1 << iota // ASCII letter or digit
	upperByte             // ASCII upper-case letter
	digitByte             // ASCII digit
	joinByte              // may belong to the word before it: ' ` + #
	linkByte              // may link words: , . & -
	wideByte              // not ASCII
)

var byteClass = func() (class [256]uint8) {
	for c := range class {
		switch {
		case c >= 0x80:
			class[c] = wideByte
		case 'a' <= c && c <= 'z':
			class[c] = wordByte
		case 'A' <= c && c <= 'Z':
			class[c] = wordByte | upperByte
		case '0' <= c && c <= '9':
			class[c] = wordByte | digitByte
		case c == '\'' || c == '`' || c == '+' || c == '#':
			class[c] = joinByte
		case c == ',' || c == '.' || c == '&' || c == '-':
			class[c] = linkByte
		}
	}
	return class
}()

func (s *scanner) scan() {
	for i := 0; i < len(s.text) && !s.stopped; {
		switch class := byteClass[s.text[i]]; {
		case class&wordByte != 0:
			i = s.word(i)
		case class&wideByte != 0:
			i = s.stretch(i, i)
		case class&linkByte != 0 && i+1 < len(s.text) && s.text[i+1]|0x20 == 'n':
			i = s.sign(i)
		default:
			i++
		}
	}
}

// word emits the word that begins at i and returns where to go on.
func (s *scanner) word(i int) int {
	text, seen, j := s.text, uint8(0), i
	for ; j < len(text); j++ {
		class := byteClass[text[j]]
		if class&wordByte == 0 {
			break
		}
		seen |= class
	}
	if j < len(text) {
		next := byteClass[text[j]]
		links := next&linkByte != 0 && j+1 < len(text) && byteClass[text[j+1]]&(wordByte|wideByte) != 0
		if links || next&(joinByte|wideByte) != 0 {
			return s.joined(i, j)
		}
	}
	s.emit(i, j, seen&upperByte != 0)
	return j
}

// link emits words that signs link, from the one at i on, and returns where to go on; -1
// when that is not settled by ASCII, and 0 when nothing is linked.
func (s *scanner) link(i int) int {
	if i < s.free {
		return 0
	}
	settled := true
	l, places := readLink(func(i int) (fold.Kind, byte, int) { return s.at(i, &settled) }, i, s.places[:0])
	s.places = places
	if !settled {
		return -1
	}
	end := places[len(places)-1].hi
	if l == unlinked {
		s.free = end
		return 0
	}
	s.parts = s.parts[:0]
	for _, p := range places {
		s.parts = append(s.parts, s.part(p.lo, p.hi))
	}
	s.linked(l, s.parts)
	return end
}

// at says what text[i] is, and that it is not ASCII, if so.
func (s *scanner) at(i int, settled *bool) (k fold.Kind, c byte, n int) {
	if i >= len(s.text) {
		return fold.Other, 0, 0
	}
	switch class := byteClass[s.text[i]]; {
	case class&wideByte != 0:
		*settled = false
		return fold.Other, 0, 0
	case class&digitByte != 0:
		k = fold.Digit
	case class&wordByte != 0:
		k = fold.Letter
	}
	return k, s.text[i], 1
}

// sign looks at a sign that is not behind a word, and returns where to go on.
func (s *scanner) sign(i int) int {
	if s.text[i] != '.' || i > 0 && byteClass[s.text[i-1]]&wordByte != 0 {
		return i + 1
	}
	settled := true
	is := dotNet(func(i int) (fold.Kind, byte, int) { return s.at(i, &settled) }, i)
	switch {
	case !settled:
		return s.stretch(i, i)
	case !is:
		return i + 1
	}
	s.put(".net", i, i+4)
	s.extra("net", i+1, i+4)
	s.pos++
	return i + 4
}

// joined emits the word text[i:j], which is followed by a byte that may
// belong to it, and returns where to go on.
func (s *scanner) joined(i, j int) int {
	end := -1
	switch s.text[j] {
	case '\'', '`':
		if next := s.apostrophe(i, j); next >= 0 {
			return next
		}
	case '+', '#':
		end = j
		if j == i+1 && byteClass[s.text[i]]&digitByte == 0 {
			end = s.sharp(j)
		}
	case ',', '.', '&', '-':
		if end = s.link(i); end > 0 {
			return end
		}
		if end == 0 {
			end = j
		}
	}
	if end < 0 { // other characters have a say
		return s.stretch(i, j)
	}
	s.emit(i, end, true)
	return end
}

// apostrophe emits the word text[i:j], which is followed by an apostrophe, with
// what this may join to it, and returns where to go on; -1 when that is not settled by ASCII.
func (s *scanner) apostrophe(i, j int) (next int) {
	text := s.text
	s.parts = append(s.parts[:0], s.part(i, j))
	for j < len(text) && (text[j] == '\'' || text[j] == '`') {
		if j+1 == len(text) || byteClass[text[j+1]]&(wordByte|digitByte|wideByte) == 0 {
			break
		}
		k := j + 1
		for k < len(text) && byteClass[text[k]]&wordByte != 0 {
			k++
		}
		if k < len(text) && byteClass[text[k]]&wideByte != 0 {
			return -1
		}
		if byteClass[text[j+1]]&digitByte != 0 || byteClass[text[j-1]]&digitByte != 0 && lowerASCII(text[j+1:k]) != "s" {
			break
		}
		s.parts = append(s.parts, s.part(j+1, k))
		j = k
	}
	if len(s.parts) == 1 {
		s.put(s.parts[0].term, i, j)
		s.pos++
		return j
	}
	s.withApostrophes(s.parts)
	return j
}

// part is text[i:j], of ASCII.
func (s *scanner) part(i, j int) part {
	word := s.text[i:j]
	if len(word) > MaxToken {
		word = strings.ToLower(word)
	}
	word = lowerASCII(word)
	return part{word, word, i, j}
}

// sharp looks at the + or # at j, behind a single letter, and returns where
// the word ends, or -1 when that is not settled by ASCII.
func (s *scanner) sharp(j int) int {
	rest := s.text[j:]
	at := func(i int) uint8 {
		if i < len(rest) {
			return rest[i]
		}
		return ' '
	}
	plus := rest[0] == '+'
	switch {
	case byteClass[at(1)]&wideByte != 0, plus && at(1) == '+' && byteClass[at(2)]&wideByte != 0:
		return -1
	case plus && at(1) == '+' && at(2) != '+':
		return j + 2
	case !plus && at(1) != '#' && byteClass[at(1)]&wordByte == 0:
		return j + 1
	}
	return j
}

// emit yields the ASCII word text[i:j].
func (s *scanner) emit(i, j int, upper bool) {
	word, cut := s.text[i:j], false
	if len(word) > MaxToken {
		word, cut = word[:MaxToken], true
	}
	if upper {
		word = lowerASCII(word)
	}
	s.stopped = !s.yield(Token{Text: word, Start: i, End: j, Pos: s.pos, Cut: cut})
	s.pos++
}

// put yields term, which comes from text[start:end], at the present place.
func (s *scanner) put(term string, start, end int) {
	s.yieldToken(Token{Text: term, Start: start, End: end, Pos: s.pos})
}

// extra yields term beside others of its place.
func (s *scanner) extra(term string, start, end int) {
	s.yieldToken(Token{Text: term, Start: start, End: end, Pos: s.pos, extra: true})
}

func (s *scanner) yieldToken(t Token) {
	if s.stopped {
		return
	}
	term := t.Text
	if len(term) > MaxToken {
		n := MaxToken
		for !utf8.RuneStart(term[n]) {
			n--
		}
		t.Text, t.Cut = term[:n], true
	}
	s.stopped = !s.yield(t)
}

// lowerASCII returns word itself when it has no upper-case letter. One that has is no
// longer than a token.
func lowerASCII(word string) string {
	var buf [MaxToken]byte
	n, changed := copy(buf[:], word), false
	for k, c := range buf[:n] {
		if byteClass[c]&upperByte != 0 {
			buf[k], changed = c+'a'-'A', true
		}
	}
	if !changed {
		return word
	}
	return string(buf[:n])
}

// stretch hands the text from i over to wide, up to the first ASCII character behind j
// that can neither belong to a word nor link words, and returns where that is.
func (s *scanner) stretch(i, j int) int {
	for j < len(s.text) && byteClass[s.text[j]] != 0 {
		j++
	}
	if s.wide == nil {
		s.wide = &wide{scanner: s, Text: fold.New(s.KeepMarks)}
	}
	s.wide.tokens(i, j)
	return j
}
