package index

import (
	"maps"
	"slices"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// languageField is the number of the field that holds the language of each document of
// which an analyzer wanted to know it, as a term. It has no name, so that no query asks it.
const (
	languageField = segment.MaxField - 1
	languageName  = ""
)

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

// tokens are what the field of languages holds of the document.
func (s *speech) tokens() (t invert.FieldTokens, ok bool) {
	return invert.FieldTokens{Number: languageField, Name: languageName, Tokens: keywords([]string{s.code})}, s.code != ""
}

// languageOf returns the language of a document of a segment; "": it is not known.
func languageOf(s *segment.Segment, doc uint32) (code string, err error) {
	f, ok := s.Field(languageName)
	if !ok {
		return "", nil
	}
	terms := f.Dict.Iter()
	for terms.Next() && code == "" {
		e, err := terms.Entry()
		if err != nil {
			return "", err
		}
		c := f.Lists.Open(e)
		if c.Advance(doc) == doc {
			code = string(terms.Term())
		}
		if err := c.Err(); err != nil {
			return "", err
		}
	}
	return code, terms.Err()
}

// languages adds those of the live documents of a view to those found.
func (v *view) languages(found map[string]bool) error {
	f, ok := v.seg.Field(languageName)
	if !ok {
		return nil
	}
	terms := f.Dict.Iter()
	for terms.Next() {
		code := string(terms.Term())
		if found[code] {
			continue
		}
		e, err := terms.Entry()
		if err != nil {
			return err
		}
		c := f.Lists.Open(e)
		for doc := c.Next(); doc != postings.End && !found[code]; doc = c.Next() {
			found[code] = !v.deleted.Has(doc)
		}
		if err := c.Err(); err != nil {
			return err
		}
	}
	return terms.Err()
}

// spoken is the languages in which a commit is asked, and the analyzers of these.
type spoken struct {
	languages []string // nil: no analyzer asks for them
	analyzers map[string]analysis.Analyzer
}

// speak returns the analyzers for what is asked of a commit: those that work by the language
// of a text know the given ones, or those that its live documents are in.
func (c *commit) speak(all map[string]analysis.Analyzer, languages []string) (*spoken, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if c.spoken != nil && languages == nil {
		return c.spoken, nil
	}
	out := &spoken{nil, all}
	for _, f := range c.schema {
		l, ok := all[f.Analyzer].(analysis.Localizer)
		if !ok || f.Kind != Text {
			continue
		}
		if out.languages == nil {
			if out.languages = languages; languages == nil {
				var err error
				if out.languages, err = c.findLanguages(); err != nil {
					return nil, err
				}
			}
			out.analyzers = maps.Clone(all)
		}
		out.analyzers[f.Analyzer] = l.Among(out.languages)
	}
	if languages == nil {
		c.spoken = out
	}
	return out, nil
}

// Languages lists the languages, as ISO 639 codes in ascending order, that documents of the
// snapshot are in, as far as they are known and an analyzer, such as "auto", asks for them.
func (s *Snapshot) Languages() (codes []string, err error) {
	err = s.read(func() error {
		of, err := s.commit.speak(s.ix.known, nil)
		if err == nil {
			codes = slices.Clone(of.languages)
		}
		return err
	})
	return codes, err
}

// findLanguages lists the languages of the live documents; it is not nil.
func (c *commit) findLanguages() (codes []string, err error) {
	found := map[string]bool{}
	err = c.read(func() error {
		for _, v := range c.views {
			if err := v.languages(found); err != nil {
				return v.damage(err)
			}
		}
		return nil
	})
	maps.DeleteFunc(found, func(_ string, live bool) bool { return !live })
	return append([]string{}, slices.Sorted(maps.Keys(found))...), err
}
