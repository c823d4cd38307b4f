package lang

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
)

// What a guess is made from.
const (
	leastLetters = 40
	mostGuessed  = 1 << 10 // bytes
	leastTrust   = 0.5
)

// Detect guesses the language of a text of some length, as an ISO 639 code; "" when it is
// not clear. It looks at a kilobyte of a long text, from beyond its beginning, where pages
// have their menus. Stop words tell most texts within microseconds, and package
// whatlanggo the others within some hundred.
func Detect(text string) string {
	if len(text) > mostGuessed {
		from := min(len(text)/3, len(text)-mostGuessed)
		text = strings.ToValidUTF8(text[from:from+mostGuessed], " ")
	}
	letters, armenian := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if r >= 0x0530 && unicode.Is(unicode.Armenian, r) {
				armenian++
			}
		}
	}
	if letters < leastLetters {
		return ""
	}
	if armenian > letters/2 {
		return "hy" // whatlanggo does not know it
	}
	if code := byStopWords(text); code != "" {
		return code
	}
	info := whatlanggo.Detect(text)
	if info.Confidence < leastTrust {
		return ""
	}
	return Macro(cmp.Or(info.Lang.Iso6391(), info.Lang.Iso6393()))
}

// Macro returns the code of the language that a form of it belongs to: Norwegian for
// Bokmål and Nynorsk. Other codes stay as they are.
func Macro(code string) string {
	switch code {
	case "nb", "nn":
		return "no"
	case "pes", "prs", "fas", "per":
		return "fa"
	case "ydd":
		return "yi"
	}
	return code
}

// notByStopWords are the languages whose stop words are not trusted: those of Romanian are
// found in Vietnamese, those of Bulgarian in Serbian, and those of Czech in Slovak texts. Of
// 1,500 texts of 40 words in 44 languages none was taken for another language by mistake,
// but for Afrikaans and Galician ones, which have no list here and were taken for Dutch
// and Portuguese ones.
var notByStopWords = []string{"bg", "cs", "ro"}

var scandinavian = []string{"da", "no", "sv"}

// stopWordLanguages maps each stop word to the languages that have it, one bit each.
var stopWordLanguages = sync.OnceValues(func() (words map[string]uint64, codes []string) {
	words = map[string]uint64{}
	for _, l := range stopLists() {
		for _, w := range l.words {
			words[w] |= 1 << len(codes)
		}
		codes = append(codes, l.code)
	}
	return words, codes
})

// byStopWords returns the language to which at least a quarter of the words of a text
// belong as stop words, half as many again as to any other (among Scandinavian ones: one more); "" when there is none, or stop
// words do not tell it.
func byStopWords(text string) string {
	const leastWords = 20
	words, codes := stopWordLanguages()
	var counts [64]int
	n := 0
	for w := range strings.FieldsFuncSeq(text, isBetweenWords) {
		n++
		for of := words[strings.ToLower(w)]; of != 0; of &= of - 1 {
			counts[bits.TrailingZeros64(of)]++
		}
	}
	best := 0
	for i, c := range counts {
		if c > counts[best] {
			best = i
		}
	}
	if n < leastWords || 4*counts[best] < n {
		return ""
	}
	for i, c := range counts[:len(codes)] {
		near := 3*c > 2*counts[best]
		if slices.Contains(scandinavian, codes[best]) && slices.Contains(scandinavian, codes[i]) {
			near = c == counts[best] // they share many of them
		}
		if i != best && near {
			return ""
		}
	}
	if code := codes[best]; !slices.Contains(notByStopWords, code) {
		return code
	}
	return ""
}

// isBetweenWords reports whether a character is no part of a word.
func isBetweenWords(r rune) bool {
	if r < utf8.RuneSelf {
		return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') && r != '\''
	}
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '’'
}
