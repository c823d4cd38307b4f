package analysis

import (
	"strings"
	"unicode/utf8"
)

// Words with apostrophes are read part by part: "dell'università" has two, "d'aujourd'hui"
// three. An apostrophe may stand for an elided vowel, before an ending, or within a
// word, and people leave it out where it stands within a word.

// apostrophes says which parts of a word with apostrophes are words.
type apostrophes struct {
	from, to int  // the parts that are the word; one at least
	keep     bool // the apostrophe belongs to the term, which would be another word without it
	apart    bool // each part is a word
	whole    bool // the parts are no words
}

// part is a stretch of letters and digits beside an apostrophe.
type part struct {
	term       string // as it is indexed
	plain      string // in lower case, without diacritics; not empty
	start, end int    // in the text
}

// withApostrophes emits the words of parts that apostrophes join, of which there are
// two at least. A word of several parts is indexed without the apostrophes, which people
// leave out, and at the same place by its longer parts.
func (s *scanner) withApostrophes(parts []part) {
	a := s.readApostrophes(parts)
	parts = parts[a.from:a.to]
	if a.apart || len(parts) == 1 {
		for _, p := range parts {
			s.put(p.term, p.start, p.end)
			s.pos++
		}
		return
	}
	var term strings.Builder
	for i, p := range parts {
		if i > 0 && a.keep {
			term.WriteByte('\'')
		}
		term.WriteString(p.term)
	}
	s.put(term.String(), parts[0].start, parts[len(parts)-1].end)
	for _, p := range parts {
		if !a.whole && utf8.RuneCountInString(p.term) >= leastPart {
			s.extra(p.term, p.start, p.end)
		}
	}
	s.pos++
}

// readApostrophes says what parts that apostrophes join stand for.
func (s Standard) readApostrophes(of []part) (a apostrophes) {
	parts := make([]string, len(of))
	for i, p := range of {
		parts[i] = p.plain
	}
	a.to = len(parts)
	for a.from < a.to-1 && elided(parts[a.from]) && mute(parts[a.from+1]) && ending(parts[a.to-2], parts[a.to-1]) != contraction {
		a.from++
	}
	switch s.language {
	case turkish:
		if a.from = 0; a.to > 1 {
			a.to = 1
		}
		return a
	case catalan:
		for a.to > a.from+1 && catalanPronouns[parts[a.to-1]] {
			a.to--
		}
	}
	for a.to > a.from+1 && ending(parts[a.to-2], parts[a.to-1]) == possessive {
		a.to--
	}
	if a.to == a.from+1 {
		return a
	}
	last := parts[a.to-1]
	for i := a.from + 1; i < a.to-1; i++ {
		a.apart = a.apart || parts[i] == "n" // rock'n'roll
	}
	a.whole = ending(parts[a.to-2], last) == contraction
	a.keep = a.whole && a.to == a.from+2 && ambiguous[parts[a.from]+"'"+last]
	return a
}

// What follows the last apostrophe of a word.
const (
	foreign     = iota
	possessive  // no part of the word
	contraction // part of it: a verb or "not"
)

// ending says what the part last is behind before.
func ending(before, last string) int {
	switch last {
	case "s":
		if c := before[len(before)-1]; '0' <= c && c <= '9' { // 1990's
			return contraction
		}
		return possessive
	case "t":
		if strings.HasSuffix(before, "n") {
			return contraction
		}
	case "m":
		if before == "i" {
			return contraction
		}
	case "d", "ll", "ve", "re":
		return contraction
	default:
		if len(before) > 2 && len(before)+len(last) > 4 && turkishEnding(before, last) {
			return possessive
		}
	}
	return foreign
}

// ambiguous are the contractions that are other words without their apostrophe.
var ambiguous = setOf("i'd i'll he'll she'll we'll we'd we're she'd who're")

// elided reports whether a word has lost a vowel before another word, in French, Italian,
// Catalan, Occitan or Irish. Such words are articles, prepositions and pronouns.
func elided(part string) bool { return elisions[part] }

var elisions = setOf(
	"b c d j l m n s t v qu jusqu lorsqu puisqu quoiqu",
	"un dell all dall nell sull coll pell gl agl degl dagl negl sugl quell quegl quest begl bell sant tutt nessun ciascun qualcun alcun",
	"trent quarant cinquant sessant settant ottant novant vent anch com dov cos neanch senz grand quand mezz buon c'",
)

// mute reports whether a part begins with a sound before which vowels are elided: a
// vowel, h or y, or fh in Irish.
func mute(part string) bool {
	return strings.IndexByte("aeiouyh", part[0]) >= 0 || strings.HasPrefix(part, "fh")
}

// catalanPronouns follow verbs: "porta'm".
var catalanPronouns = setOf("m t l n s ls ns hi ho")

// turkishEnding reports whether last is an ending of a Turkish name, which an
// apostrophe parts from it: "Ankara'nın". Behind a vowel endings do not begin with one.
func turkishEnding(before, last string) bool {
	if !turkishEndings[last] {
		return false
	}
	vowel := func(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }
	return !vowel(last[0]) || !vowel(before[len(before)-1])
}

var turkishEndings = setOf(
	"a e i u ya ye yi yu na ne ni nu in un nin nun da de ta te dan den tan ten nda nde ndan nden la le yla yle",
	"daki deki taki teki ndaki ndeki dir dur tir tur lar ler lari leri larin lerin larda lerde li lik luk lu ca ce",
)

func setOf(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for word := range strings.FieldsSeq(list) {
			set[word] = true
		}
	}
	return set
}
