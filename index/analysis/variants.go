package analysis

import (
	"strings"
	"unicode"

	"github.com/webquarry/quarry/internal/fold"
)

// Variants returns other ways to write a word of a query, each a phrase of which
// documents may have any: "wifi" for "wi-fi", "wi fi" for "wifi", "covid 19" for "covid19".
// Parts that are words nowhere else ("anti", "multi", "wi") are known; two words that some
// document joins by a hyphen have one term there besides, see [Standard].
func Variants(a Analyzer, word string) []string {
	if !splits(a) || len(word) > longestLink {
		return nil
	}
	word = fold.String(word)
	first, second, hyphen := strings.Cut(word, "-")
	if hyphen {
		if !isPlainWord(first) || !isPlainWord(second) || !strings.ContainsFunc(word, unicode.IsLetter) {
			return nil
		}
		return []string{first + second}
	}
	if !isPlainWord(word) {
		return nil
	}
	if n := boundLen(word); n > 0 {
		return []string{word[:n] + " " + word[n:]}
	}
	if n := digitsAt(word); n > 0 {
		return []string{word[:n] + " " + word[n:]}
	}
	return nil
}

// joinedWords returns where two words of a query, side by side, are the parts of one: "wi fi",
// "e mail" and "covid 19".
func joinedWords(words []string) (at []int) {
	for i := 0; i+1 < len(words); i++ {
		first, second := fold.String(words[i]), fold.String(words[i+1])
		if len(first)+len(second) > longestLink || !isPlainWord(first) || !isPlainWord(second) {
			continue
		}
		if isNumber(second) && digitsAt(first+second) == len(first) || boundLen(first+second) == len(first) {
			at = append(at, i)
			i++
		}
	}
	return at
}

func isPlainWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
}

func isNumber(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// boundLen returns the length of the part that a word begins with and that is no word by
// itself; 0: there is none.
func boundLen(word string) int {
	for n := min(len(word)-leastPart-1, longestBound); n > 0; n-- {
		if boundForms[word[:n]] {
			return n
		}
	}
	for _, pair := range boundPairs {
		if rest, ok := strings.CutPrefix(word, pair[0]); ok && (rest == pair[1] || rest == pair[1]+"s") {
			return len(pair[0])
		}
	}
	return 0
}

const longestBound = 8

var boundForms = setOf(
	"anti multi micro cyber hyper ultra nano pseudo quasi macro poly infra intra semi inter bio geo tele thermo electro neuro socio psycho",
	"counter extra trans retro turbo crypto photo video audio hydro aero agro euro afro",
)

// boundPairs are words of which a part is too short to tell.
var boundPairs = func() (pairs [][2]string) {
	for pair := range strings.SplitSeq("wi fi, hi fi, sci fi, lo fi, e mail, e book, e commerce, e learning, e business, e government, "+
		"e reader, e sport, e bike, e ticket, e shop, x ray, t shirt, u turn, blu ray, blue tooth, on line, off line, web site, data base, "+
		"key word, home page, smart phone, lap top, note book, pod cast, drop down, check list, check box, time table, cell phone, "+
		"pre order, co operation, co operate, co operative, co ordinate, co ordination, co worker, non profit, "+
		"air port, soft ware, hard ware, down load, up load, back up, start up, set up, log in, sign up, plug in, add on, check out, work flow", ", ") {
		a, b, _ := strings.Cut(pair, " ")
		pairs = append(pairs, [2]string{a, b})
	}
	return pairs
}()

// digitsAt returns where a word of letters goes on with digits, or the other way round; 0
// where it does not, or changes more than once.
func digitsAt(word string) (at int) {
	last := rune(-1)
	for i, r := range word {
		if i > 0 && unicode.IsDigit(r) != unicode.IsDigit(last) {
			if at > 0 {
				return 0
			}
			at = i
		}
		last = r
	}
	return at
}

// splits reports whether the words of an analyzer are those of Standard.
func splits(a Analyzer) bool {
	switch a := a.(type) {
	case nil, Standard:
		return true
	case *English:
		return splits(a.Words)
	case *Snowball:
		return splits(a.words)
	case *StopWords:
		return splits(a.words)
	case *Compounds:
		return splits(a.words)
	case Identifiers:
		return splits(a.Words)
	case Accents:
		return splits(a.Words)
	case *Synonyms:
		return splits(a.words)
	case *Languages:
		return splits(a.Other)
	}
	return false
}
