package fuzzy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Correct offers another way to write a search query, or false when there is
// none better: did you mean? It changes single words that are not in the
// vocabulary, or are far rarer than what they are changed to. It leaves alone
// what is meant to the letter: phrases in quotes, values of fields (site:x),
// operators, what is excluded by - or NOT, and words with a digit or sign in
// them. Corrections are in normal form, the rest of the query stays as it is.
//
// Unless hits is nil it tells how many answers a query has, and a correction is
// offered only when it has more than the query. It is asked twice at most.
func (s Speller) Correct(query string, hits func(query string) int) (string, bool) {
	if s.Words == nil || s.Words.Len() == 0 {
		return "", false
	}
	var b strings.Builder
	for rest := query; rest != ""; {
		n, words := run(rest)
		if len(words) == 0 {
			b.WriteString(rest[:n])
		} else {
			s.correctRun(&b, rest[:n], words)
		}
		rest = rest[n:]
	}
	corrected := b.String()
	if corrected == query || hits != nil && hits(corrected) <= hits(query) {
		return "", false
	}
	return corrected, true
}

// span is where a word stands in a run.
type span struct{ from, to int }

// run is the length of what a query begins with: plain words in a row, parted by
// spaces and hyphens only, or something else. The words are told.
func run(query string) (n int, words []span) {
	for n < len(query) {
		size, plain := piece(query[n:])
		if plain {
			at := n
			for part := range strings.SplitSeq(query[n:n+size], "-") {
				words = append(words, span{at, at + len(part)})
				at += len(part) + 1
			}
		} else if len(words) == 0 {
			return n + size, nil
		} else if strings.TrimSpace(query[n:n+size]) != "" {
			return n, words
		}
		n += size
	}
	return n, words
}

// correctRun writes a run with the words that are meant. What stands between words
// that stay two stays, too.
func (s Speller) correctRun(b *strings.Builder, text string, words []span) {
	written := make([]string, len(words))
	for i, w := range words {
		written[i] = s.normal(text[w.from:w.to])
	}
	at := 0
	for _, r := range s.read(written) {
		b.WriteString(text[at:words[0].from])
		at = words[r.takes-1].to
		if r.same {
			b.WriteString(text[words[0].from:at])
		} else {
			for i, word := range r.words {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(s.written(word))
			}
		}
		words = words[r.takes:]
	}
	b.WriteString(text[at:])
}

// piece is the length of the first piece of a query, which is not empty, and
// whether it is plain words joined by hyphens.
func piece(query string) (n int, plain bool) {
	switch r, size := utf8.DecodeRuneInString(query); {
	case isQuote(r):
		return quotation(query), false
	case r == '+', r == '\'', parts(r):
		return size, false
	}
	n = prefix(query, part)
	switch text := query[:n]; {
	case text == "NOT":
		n += prefix(query[n:], unicode.IsSpace)
		return n + operand(query[n:]), false
	case text == "AND", text == "OR":
		return n, false
	case text[0] == '-', text[0] == '!', strings.Contains(text, ":"):
		return operand(query), false
	}
	word := strings.TrimRight(query[:n], ".,;?!'…")
	if !plainWords(word) {
		return n, false
	}
	return len(word), true
}

// operand is the length of what an operator or a field name applies to.
func operand(query string) int {
	r, _ := utf8.DecodeRuneInString(query)
	switch {
	case query == "":
		return 0
	case isQuote(r):
		return quotation(query)
	case r == '(':
		return group(query)
	}
	n := prefix(query, part)
	if text := query[:n]; text == "-" || text == "!" || strings.HasSuffix(text, ":") {
		n += operand(query[n:])
	}
	return n
}

// group is the length of what stands in parentheses, or of all when they are
// not closed.
func group(query string) int {
	depth := 0
	for i := 0; i < len(query); {
		r, size := utf8.DecodeRuneInString(query[i:])
		switch {
		case isQuote(r):
			size = quotation(query[i:])
		case r == '(':
			depth++
		case r == ')':
			depth--
		}
		i += size
		if depth == 0 {
			return i
		}
	}
	return len(query)
}

// quotation is the length of a phrase in quotes, or of all when they are not
// closed. Straight quotes end straight ones, any end others.
func quotation(query string) int {
	open, size := utf8.DecodeRuneInString(query)
	for i, r := range query[size:] {
		if r == '"' || open != '"' && isQuote(r) {
			return size + i + utf8.RuneLen(r)
		}
	}
	return len(query)
}

// prefix is the length of the runes that all satisfy is, from the start.
func prefix(s string, is func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !is(r) }); n >= 0 {
		return n
	}
	return len(s)
}

func isQuote(r rune) bool { return strings.ContainsRune(`"“”„«»`, r) }

// parts reports whether r ends a word wherever it stands.
func parts(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == ')' }

// part is the opposite, for the runes of a word with the signs around it.
func part(r rune) bool { return !parts(r) && !isQuote(r) }

func plainWords(s string) bool {
	for word := range strings.SplitSeq(s, "-") {
		if word == "" || prefix(word, spelt) < len(word) {
			return false
		}
	}
	return true
}

// spelt reports whether r belongs to words that can be misspelt: letters of
// scripts that part words by spaces, and what stands in them.
func spelt(r rune) bool {
	if isUnspaced(r) {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || r == '\'' || r == '’'
}

// isUnspaced reports whether r is a letter of a script that has no blanks between
// words.
func isUnspaced(r rune) bool {
	return r >= 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
