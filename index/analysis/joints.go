package analysis

import (
	"strings"
	"unicode"
)

// Joint is a term that several words of a query stand for together: those from
// From up to To.
type Joint struct {
	From, To int
	Term     string
}

// Joints lists what words of a query stand for together, such as "united" and
// "states" for the synonym "usa", from left to right, but not "ex-united" and "states",
// which have a token besides, and such as "wi" and "fi". Words have no white space.
func Joints(a Analyzer, words []string) (joints []Joint) {
	if len(words) < 2 {
		return nil
	}
	if splits(a) {
		for _, i := range joinedWords(words) {
			if slots := Slots(a, words[i]+words[i+1]); len(slots) == 1 {
				for _, term := range slots[0].Terms {
					joints = append(joints, Joint{i, i + 2, term})
				}
			}
		}
	}
	if !joins(a) {
		return joints
	}
	text := strings.Join(words, " ")
	for _, t := range wholeTokens(a, text) {
		source := text[t.Start:t.End]
		if strings.IndexFunc(source, unicode.IsSpace) < 0 {
			continue
		}
		before := text[strings.LastIndexByte(text[:t.Start], ' ')+1 : t.Start]
		after, _, _ := strings.Cut(text[t.End:], " ")
		if hasTokens(a, before) || hasTokens(a, after) {
			continue
		}
		from := strings.Count(text[:t.Start], " ")
		to := from + strings.Count(source, " ") + 1
		joints = append(joints, Joint{from, to, t.Text})
	}
	return joints
}

func hasTokens(a Analyzer, text string) bool {
	for range a.Tokens(text) {
		return true
	}
	return false
}

// joins reports whether a token may come from several words.
func joins(a Analyzer) bool {
	switch a := a.(type) {
	case nil, Standard:
		return false
	case *English:
		return joins(wordsOr(a.Words))
	case *Snowball:
		return joins(a.words)
	case *StopWords:
		return joins(a.words)
	case *Compounds:
		return joins(a.words)
	case Identifiers:
		return joins(wordsOr(a.Words))
	case Accents:
		return joins(wordsOr(a.Words))
	case *Synonyms:
		return len(a.begins) > 0 || joins(a.words)
	case *Languages:
		for _, of := range a.By {
			if joins(of) {
				return true
			}
		}
		return joins(wordsOr(a.Other))
	}
	return true
}
