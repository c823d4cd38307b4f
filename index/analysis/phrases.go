package analysis

import (
	"math"
	"slices"
)

// Phrases analyses the text of a phrase. It returns the phrases that it may stand
// for, any of which will do: more than one where an analyzer has a method Phrases,
// as [Synonyms] and [Languages] have. No slots mean that there is nothing to search for.
func Phrases(a Analyzer, text string) [][]Slot {
	if p, ok := a.(interface{ Phrases(string) [][]Slot }); ok {
		if phrases := p.Phrases(text); len(phrases) > 0 {
			return phrases
		}
		return [][]Slot{nil}
	}
	return [][]Slot{Slots(a, text)}
}

// mostPhrases bounds the forms of a phrase; further synonyms stay as they are.
const mostPhrases = 32

// Phrases returns a phrase with each form of its synonyms: "usa today" is "united
// states today", too, which takes more places.
func (s *Synonyms) Phrases(text string) [][]Slot {
	slots := Slots(s, text)
	if len(slots) < 2 {
		return [][]Slot{slots}
	}
	all := []form{{}}
	for _, slot := range slots {
		group := slot.Terms[0]
		forms := s.forms[group]
		if len(slot.Terms) > 1 || len(forms) < 2 || len(all)*len(forms) > mostPhrases {
			for k := range all {
				all[k].add(slot.Terms, slot.Pos)
			}
			continue
		}
		takes := s.places(text, slot.Pos)
		var next []form
		for _, before := range all {
			for _, words := range forms {
				next = append(next, before.with(words, slot.Pos, takes))
			}
		}
		all = next
	}
	phrases := make([][]Slot, len(all))
	for i, f := range all {
		phrases[i] = f.slots
	}
	return phrases
}

// Phrases returns the phrases that a text is in each language: one, if its words
// have the same places in all. What is one word in a language may be two in another,
// or left out.
func (l *Languages) Phrases(text string) (phrases [][]Slot) {
	for _, a := range l.all() {
		for _, slots := range Phrases(a, text) {
			i := slices.IndexFunc(phrases, func(p []Slot) bool { return slices.EqualFunc(p, slots, samePlace) })
			if i < 0 && len(slots) > 0 {
				phrases = append(phrases, slices.Clone(slots))
			} else if i >= 0 {
				unite(phrases[i], slots)
			}
		}
	}
	if phrases == nil {
		return [][]Slot{nil}
	}
	return phrases
}

func samePlace(a, b Slot) bool { return a.Pos == b.Pos }

// unite adds the terms of other to slots.
func unite(slots, other []Slot) {
	for i := range slots {
		for _, term := range other[i].Terms {
			if !slices.Contains(slots[i].Terms, term) {
				slots[i].Terms = append(slices.Clip(slots[i].Terms), term) // phrases share them
			}
		}
	}
}

// places counts the words of a text that the token at pos, counted from the first
// one, stands for: those within it, before the next token. Letters that are normalised
// together have all of them as their place, so that a word beside may lie within, too.
func (s *Synonyms) places(text string, pos int) (n int) {
	tokens := wholeTokens(s, text)
	i := slices.IndexFunc(tokens, func(t Token) bool { return t.Pos-tokens[0].Pos == pos })
	last, next := -1, math.MaxInt
	if i+1 < len(tokens) {
		next = tokens[i+1].Pos
	}
	for t := range queryTokens(s.words, text) {
		if tokens[i].Start <= t.Start && t.End <= tokens[i].End && tokens[i].Pos <= t.Pos && t.Pos < next && t.Pos != last {
			n, last = n+1, t.Pos
		}
	}
	return n
}

// form is a phrase, up to some place.
type form struct {
	slots []Slot
	shift int // how many more places it takes than the text
}

func (f *form) add(terms []string, pos int) {
	f.slots = append(f.slots, Slot{terms, pos + f.shift})
}

// with returns the form with further words, for those that take so many places.
func (f form) with(words []string, pos, takes int) form {
	f.slots = slices.Clone(f.slots)
	for i, w := range words {
		f.add([]string{w}, pos+i)
	}
	f.shift += len(words) - takes
	return f
}
