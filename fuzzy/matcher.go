package fuzzy

// Match is a dictionary entry near to what was asked.
type Match struct {
	Text     string
	Distance int     // edits, counted in runes
	Weight   float64 // as given with the entry, such as its frequency
}

// Matcher finds the entries within dist edits of s, at most limit of them:
// nearest first, then heaviest, then by text.
type Matcher interface {
	Match(s string, dist, limit int) []Match
}
