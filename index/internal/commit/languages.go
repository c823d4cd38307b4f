package commit

import (
	"maps"
	"slices"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
)

// LanguageOf returns the language of a document of a segment; "": it is not known.
func LanguageOf(s *segment.Segment, doc uint32) (code string, err error) {
	f, ok := s.Field(schema.LanguageName)
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
func (v *View) languages(found map[string]bool) error {
	f, ok := v.Seg.Field(schema.LanguageName)
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
			found[code] = !v.Deleted.Has(doc)
		}
		if err := c.Err(); err != nil {
			return err
		}
	}
	return terms.Err()
}

// FindLanguages lists the languages of the live documents; it is not nil.
func (c *Commit) FindLanguages() (codes []string, err error) {
	found := map[string]bool{}
	err = c.Read(func() error {
		for _, v := range c.Views {
			if err := v.languages(found); err != nil {
				return v.Damage(err)
			}
		}
		return nil
	})
	maps.DeleteFunc(found, func(_ string, live bool) bool { return !live })
	return append([]string{}, slices.Sorted(maps.Keys(found))...), err
}
