package analysis

import (
	"iter"
	"slices"
)

// Slot is one place of a query: any of its Terms will do there.
type Slot struct {
	Terms []string
	Pos   int // relative to the first slot, which has 0
}

// Slots analyses the text of a query. It leaves out tokens that are parts of
// longer ones, merges those of one position and counts positions from the
// first. No slots mean that the text holds nothing to search for.
func Slots(a Analyzer, text string) []Slot {
	var slots []Slot
	for _, t := range wholeTokens(a, text) {
		if n := len(slots); n == 0 || slots[n-1].Pos != t.Pos {
			slots = append(slots, Slot{Pos: t.Pos})
		}
		last := &slots[len(slots)-1]
		if !slices.Contains(last.Terms, t.Text) {
			last.Terms = append(last.Terms, t.Text)
		}
	}
	for i := len(slots) - 1; i >= 0; i-- {
		slots[i].Pos -= slots[0].Pos
	}
	return slots
}

// queryTokens yields the tokens of a query. An analyzer may have a method
// QueryTokens, if it looks for more than documents have, such as [Languages], or
// for less, such as [Synonyms].
func queryTokens(a Analyzer, text string) iter.Seq[Token] {
	if s, ok := a.(Standard); ok {
		return s.queryTokens(text)
	}
	if q, ok := a.(interface {
		QueryTokens(string) iter.Seq[Token]
	}); ok {
		return q.QueryTokens(text)
	}
	return a.Tokens(text)
}

// wholeTokens returns the tokens of text that are not inside a longer one.
func wholeTokens(a Analyzer, text string) []Token {
	tokens := slices.Collect(queryTokens(a, text))
	whole := tokens[:0]
	reach := 0 // how far tokens with a smaller Start go
	for i := 0; i < len(tokens); {
		n, longest := 0, 0 // of the tokens with this Start
		for ; i+n < len(tokens) && tokens[i+n].Start == tokens[i].Start; n++ {
			longest = max(longest, tokens[i+n].End)
		}
		same := tokens[i : i+n]
		for _, t := range same {
			if t.End == longest && t.End > reach {
				whole = append(whole, t)
			}
		}
		reach = max(reach, longest)
		i += n
	}
	return whole
}
