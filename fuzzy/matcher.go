package fuzzy

// Match is a dictionary entry near to what was asked.
type Match struct {
	Text     string
	Distance int     // edits, counted in runes
	Weight   float64 // as given with the entry, such as its frequency
}

// Matcher finds the entries within dist edits of s, at most limit of them, all
// when limit is negative: nearest first, then heaviest, then by text. A dist of
// 0 finds the entry that is s, a negative one nothing.
type Matcher interface {
	Match(s string, dist, limit int) []Match
}

// AutoDistance is how many edits to forgive in a word of that length: none in
// one or two runes, one in three to five, two in longer ones.
func AutoDistance(s string) int {
	switch n := runeCount(s, 6); {
	case n < 3:
		return 0
	case n < 6:
		return 1
	}
	return 2
}

// runeCount counts the runes of s, up to most.
func runeCount(s string, most int) int {
	n := 0
	for range s {
		if n == most {
			break
		}
		n++
	}
	return n
}
