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

// analyzersOf returns the analyzers for what is asked of a commit: those that work by the
// language of a text know which its live documents are in.
func (c *commit) analyzersOf(all map[string]analysis.Analyzer) (map[string]analysis.Analyzer, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if c.analyzers != nil {
		return c.analyzers, nil
	}
	by := all
	for _, f := range c.schema {
		l, ok := all[f.Analyzer].(analysis.Localizer)
		if !ok || f.Kind != Text {
			continue
		}
		if by = maps.Clone(all); c.languages == nil {
			var err error
			if c.languages, err = c.findLanguages(); err != nil {
				return nil, err
			}
		}
		all, by[f.Analyzer] = by, l.Among(c.languages)
	}
	c.analyzers = by
	return by, nil
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
