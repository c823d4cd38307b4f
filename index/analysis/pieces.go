package analysis

import "unicode/utf8"

// mostPieces bounds what a word of a query is taken apart into: a longer run is
// rather a sentence that was pasted.
const mostPieces = 64

// Pieces returns the parts of a word of a query that are found apart, each of them a
// word of a query again; nil: the word is one. It is for runs of scripts that are
// written without spaces, whose tokens overlap: "北京天气" is "北京", "京天" and "天气".
// A document is about it that has some of them, and not only one that has all in a row.
func Pieces(a Analyzer, word string) (pieces []string) {
	if isASCII(word) {
		return nil
	}
	var last Token
	overlap := false
	for i, t := range wholeTokens(a, word) {
		if i > 0 && t.Start == last.Start && t.End == last.End {
			continue
		}
		if len(pieces) == mostPieces {
			return nil
		}
		overlap = overlap || i > 0 && t.Pos != last.Pos && t.Start < last.End
		pieces = append(pieces, word[t.Start:t.End])
		last = t
	}
	if !overlap {
		return nil
	}
	return pieces
}

// LeastPieces is how many of n pieces a document has to have: a quarter. Half of them left
// out a fifth of what answers the queries of small judged sets, in each of four languages.
func LeastPieces(n int) int { return max(1, n/4) }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
