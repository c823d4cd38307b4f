package analysis

import "iter"

// Identifiers parts names of programs where their case changes: "parseHTTPRequest"
// is found by "parse", "http", "request" and "parse request", and as a whole in any
// case. Dotted names and those with underscores are parted by [Standard] already.
// Only words of ASCII are looked at.
type Identifiers struct {
	Words Analyzer // finds the words; nil: Standard{}
}

// Tokens yields the words of text and their parts.
func (d Identifiers) Tokens(text string) iter.Seq[Token] {
	return withCases(text, wordsOr(d.Words).Tokens(text))
}

// QueryTokens does so for a query.
func (d Identifiers) QueryTokens(text string) iter.Seq[Token] {
	return withCases(text, queryTokens(wordsOr(d.Words), text))
}

// withCases adds the parts of each token.
func withCases(text string, tokens iter.Seq[Token]) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		shift, last := 0, 0 // where the last part begins
		var bounds []int
		for t := range tokens {
			t.Pos += shift
			t.Start = max(t.Start, last) // of "aB-c", which begins as "aB" does, and comes after its parts
			if !yield(t) {
				return
			}
			source := text[t.Start:t.End]
			if len(source) != len(t.Text) {
				continue
			}
			if bounds = caseBounds(bounds[:0], source); len(bounds) == 0 {
				continue
			}
			bounds = append(bounds, len(source))
			from := 0
			for i, to := range bounds {
				part := Token{Text: t.Text[from:to], Start: t.Start + from, End: t.Start + to, Pos: t.Pos + i}
				if !yield(part) {
					return
				}
				from, last = to, part.Start
			}
			shift += len(bounds) - 1
		}
	}
}

// Fold folds text as terms are.
func (d Identifiers) Fold(text string) string { return Fold(wordsOr(d.Words), text) }

// caseBounds lists where a part of a name begins, but for the first: a capital
// behind a small letter or digit, or before a small letter. Of other than letters
// and digits of ASCII there are none.
func caseBounds(bounds []int, s string) []int {
	is := func(i int, class uint8) bool { return i < len(s) && byteClass[s[i]]&(upperByte|digitByte) == class }
	for i := range len(s) {
		if byteClass[s[i]]&wordByte == 0 {
			return nil
		}
		if i > 0 && is(i, upperByte) && (!is(i-1, upperByte) || is(i+1, 0)) {
			bounds = append(bounds, i)
		}
	}
	return bounds
}
