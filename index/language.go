package index

import "github.com/webquarry/quarry/index/analysis"

// speech is the language of a document: the one that it says it is in, or else
// the one that its longest text looks to be in, guessed once.
type speech struct {
	doc   Document
	known bool
	code  string
}

// of returns the analyzer of a field for the document.
func (s *speech) of(an analysis.Analyzer) analysis.Analyzer {
	l, ok := an.(analysis.Localizer)
	if !ok {
		return an
	}
	if !s.known {
		s.known, s.code = true, s.doc.Language
		if s.code == "" {
			s.code = l.Language(s.longest())
		}
	}
	return l.In(s.code)
}

func (s *speech) longest() (text string) {
	for _, f := range s.doc.Fields {
		for v := range f.values() {
			if len(v) > len(text) {
				text = v
			}
		}
	}
	return text
}
