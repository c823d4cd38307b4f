package index

import (
	"slices"
	"strings"
)

// shown are the columns that hits are shown with, and are not stored besides.
type shown struct {
	commit *commit
	fields []int
}

func (c *commit) shownColumns(names []string) shown {
	s := shown{commit: c}
	for i, f := range c.schema {
		if f.Column && !f.Stored && slices.Contains(names, f.Name) {
			s.fields = append(s.fields, i)
		}
	}
	return s
}

// add adds the values of a match in the columns, as texts.
func (s shown) add(f found, to map[string]string) (map[string]string, error) {
	for _, field := range s.fields {
		t := s.commit.schema[field]
		values, texts, err := s.commit.views[f.view].values(field, t.Kind, f.doc)
		if err != nil {
			return nil, err
		}
		for _, n := range values {
			texts = append(texts, format(t.Kind, n))
		}
		if len(texts) == 0 {
			continue
		}
		if to == nil {
			to = map[string]string{}
		}
		to[t.Name] = strings.Join(texts, "\n")
	}
	return to, nil
}

// addColumns adds what a document has in columns, if it is not stored.
func (c *commit) addColumns(v *view, doc uint32, to []Field) ([]Field, error) {
	for field, t := range c.schema {
		if !t.Column || t.Stored {
			continue
		}
		values, texts, err := v.values(field, t.Kind, doc)
		switch {
		case err != nil:
			return nil, err
		case len(values) == 1:
			to = append(to, Field{t.Name, goValue(t.Kind, values[0])})
		case len(texts) == 1:
			to = append(to, Field{t.Name, texts[0]})
		case len(texts) > 1:
			to = append(to, Field{t.Name, texts})
		}
	}
	return to, nil
}

// values reads the values of a document in a column: numbers, or the texts of
// a Keyword.
func (v *view) values(field int, k Kind, doc uint32) (numbers []int64, texts []string, err error) {
	of, err := v.column(field)
	if err != nil {
		return nil, nil, err
	}
	cur := of.Cursor()
	numbers = cur.Values(nil, doc)
	if err := cur.Err(); err != nil {
		return nil, nil, damage(v.name(), err)
	}
	if k != Keyword {
		return numbers, nil, nil
	}
	for _, n := range numbers {
		s, err := of.Text(n)
		if err != nil {
			return nil, nil, damage(v.name(), err)
		}
		texts = append(texts, string(s))
	}
	return nil, texts, nil
}
