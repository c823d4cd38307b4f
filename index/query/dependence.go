package query

import "cmp"

// Dependence are the weights of [SequentialDependence]; each 0: that of Metzler and Croft; negative: a true 0.
type Dependence struct {
	Words     float64 // of the words; 0: 0.85
	Ordered   float64 // of neighbours that stand in a row; 0: 0.1
	Unordered float64 // of neighbours that stand near each other; 0: 0.05
	Window    int     // how many words apart they may stand at most, in any order; 0: 8
}

// SequentialDependence is the query for some of the words in which words side by side score more where they stand
// together in a document (Metzler and Croft, A Markov Random Field Model for Term Dependencies, SIGIR 2005). Each word is
// a single one of the query; those that the analyzer drops are best left out before, or two words beside them are no neighbours.
func SequentialDependence(field string, words []string, by Dependence) Query {
	weight := func(given, preset float64) float64 { return max(0, cmp.Or(given, preset)) }
	var near Or
	all := make(Or, 0, len(words))
	for i, w := range words {
		all = append(all, Match{Field: field, Text: w})
		if i == 0 || words[i-1] == w {
			continue
		}
		pair := Phrase{Field: field, Text: words[i-1] + " " + w}
		if x := weight(by.Ordered, 0.1); x > 0 {
			near = append(near, Boost{Query: pair, By: x})
		}
		if x := weight(by.Unordered, 0.05); x > 0 {
			pair.Slop = max(cmp.Or(by.Window, 8)-1, 1)
			near = append(near, Boost{Query: pair, By: x})
		}
	}
	if len(near) == 0 {
		return all
	}
	return append(Or{Boost{Query: all, By: weight(by.Words, 0.85)}}, near...)
}
