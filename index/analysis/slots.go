package analysis

import "slices"

// Slot is one place of a query: any of its Terms will do there.
type Slot struct {
	Terms []string
	Pos   int // relative to the first slot, which has 0
}

// Slots analyses the text of a query. It leaves out tokens that are parts of
// longer ones, merges those of one position and counts positions from the
// first. No slots mean that the text holds nothing to search for.
func Slots(a Analyzer, text string) []Slot {
	var tokens []Token
	for t := range a.Tokens(text) {
		tokens = append(tokens, t)
	}
	var slots []Slot
	for i, t := range tokens {
		if isPart(tokens, i) {
			continue
		}
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

// isPart reports whether tokens[i] lies inside a longer token. Starts never
// fall, so the longer one is found among the neighbours.
func isPart(tokens []Token, i int) bool {
	t := tokens[i]
	inside := func(u Token) bool {
		return u.Start <= t.Start && t.End <= u.End && u.End-u.Start > t.End-t.Start
	}
	for j := i - 1; j >= 0 && tokens[j].End > t.Start; j-- {
		if inside(tokens[j]) {
			return true
		}
	}
	for j := i + 1; j < len(tokens) && tokens[j].Start == t.Start; j++ {
		if inside(tokens[j]) {
			return true
		}
	}
	return false
}
