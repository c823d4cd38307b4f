package analysis

import (
	"iter"
	"unicode/utf8"
)

// Compounds finds the parts of words that are written together, as German,
// Dutch and the Scandinavian languages do: with the words "dampf" and "schiff",
// "Dampfschiffe" is not known, but "Dampfschiff" is found by both. A compound keeps
// its one place; a query for it asks for the whole.
type Compounds struct {
	words Analyzer
	parts map[string]bool
}

// Sizes of words, in runes.
const (
	leastPart    = 3
	mostCompound = 64
)

// NewCompounds makes an analyzer that yields the tokens of a (nil: Standard{}),
// and the parts of those that consist of two or more of the given words, with a
// linking s, es, n, en or er between. Words that are given are not parted.
func NewCompounds(a Analyzer, parts ...string) *Compounds {
	c := &Compounds{wordsOr(a), make(map[string]bool, len(parts))}
	for _, part := range parts {
		for _, slot := range Slots(c.words, part) {
			for _, term := range slot.Terms {
				if utf8.RuneCountInString(term) >= leastPart {
					c.parts[term] = true
				}
			}
		}
	}
	return c
}

// Tokens yields the words of text and the parts of compounds.
func (c *Compounds) Tokens(text string) iter.Seq[Token] {
	return c.withParts(text, c.words.Tokens(text))
}

// QueryTokens does so for a query.
func (c *Compounds) QueryTokens(text string) iter.Seq[Token] {
	return c.withParts(text, queryTokens(c.words, text))
}

func (c *Compounds) withParts(text string, tokens iter.Seq[Token]) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for t := range tokens {
			if !yield(t) || !c.parted(t, text[t.Start:t.End], yield) {
				return
			}
		}
	}
}

// Fold folds text as terms are.
func (c *Compounds) Fold(text string) string { return Fold(c.words, text) }

// parted yields the parts of t, which comes from source.
func (c *Compounds) parted(t Token, source string, yield func(Token) bool) bool {
	if c.parts[t.Text] {
		return true
	}
	runes, from := []rune(t.Text), offsets(source)
	if len(runes) < 2*leastPart || len(runes) > mostCompound || len(from) != len(runes)+1 {
		return true
	}
	for _, p := range c.split(runes) {
		part := Token{Text: string(runes[p.start:p.end]), Start: t.Start + from[p.start], End: t.Start + from[p.end], Pos: t.Pos}
		if !yield(part) {
			return false
		}
	}
	return true
}

// offsets lists where the runes of s begin, and the last one ends.
func offsets(s string) (at []int) {
	for i := range s {
		at = append(at, i)
	}
	return append(at, len(s))
}

// span is a part of a word, in runes.
type span struct{ start, end int }

// split takes a word apart into as few words as can be; nil: it is none of
// them.
func (c *Compounds) split(word []rune) []span {
	type way struct {
		parts int // 0: none
		last  span
		from  int // where the last part, with what links it to the one before, begins
	}
	best := make([]way, len(word)+1)
	for end := leastPart; end <= len(word); end++ {
		for start := 0; start <= end-leastPart; start++ {
			if !c.parts[string(word[start:end])] {
				continue
			}
			for _, link := range []string{"", "s", "es", "n", "en", "er"} {
				from := start - len(link)
				if from < 0 || string(word[from:start]) != link || from > 0 && best[from].parts == 0 || from == 0 && link != "" {
					continue
				}
				if n := best[from].parts + 1; best[end].parts == 0 || n < best[end].parts {
					best[end] = way{n, span{start, end}, from}
				}
			}
		}
	}
	if best[len(word)].parts < 2 {
		return nil
	}
	parts := make([]span, best[len(word)].parts)
	for i, at := len(parts)-1, len(word); i >= 0; i-- {
		parts[i] = best[at].last
		at = best[at].from
	}
	return parts
}
