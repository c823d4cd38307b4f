package schema

import (
	"iter"

	"github.com/webquarry/quarry/index/analysis"
)

// Speech is the language of a document: the one that it says it is in, or else
// the one that its longest text looks to be in, guessed once.
type Speech struct {
	Language string           // that it says; "": none
	Texts    iter.Seq[string] // its texts
	guessed  bool
}

// Spoken is the language of a document that is known; "": it has none.
func Spoken(code string) *Speech { return &Speech{Language: code, guessed: true} }

// Of returns the analyzer of a field for the document. Afterwards Language is known if
// the analyzer wants to know.
func (s *Speech) Of(an analysis.Analyzer) analysis.Analyzer {
	l, ok := an.(analysis.Localizer)
	if !ok {
		return an
	}
	if !s.guessed && s.Language == "" {
		s.Language = l.Language(s.longest())
	}
	s.guessed = true
	return l.In(s.Language)
}

// Asked returns the language if an analyzer has asked for it, else "".
func (s *Speech) Asked() string {
	if !s.guessed {
		return ""
	}
	return s.Language
}

func (s *Speech) longest() (text string) {
	for t := range s.Texts {
		if len(t) > len(text) {
			text = t
		}
	}
	return text
}
