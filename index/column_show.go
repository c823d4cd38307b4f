package index

import (
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/internal/column"
)

// checkShown holds that hits can be shown with the named fields.
func (s Schema) checkShown(names []string) error {
	for _, name := range names {
		switch f, ok := s.Field(name); {
		case !ok:
			return &SchemaError{name, "not in the schema"}
		case !f.Stored && !f.Column:
			return &SchemaError{name, "a " + f.Kind.String() + " field that is neither stored nor a column"}
		}
	}
	return nil
}

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
		v := s.commit.views[f.view]
		of, err := v.column(field)
		if err != nil {
			return nil, err
		}
		values, texts, err := columnValues(of, t.Kind, f.doc)
		if err != nil {
			return nil, damage(v.overlay.name(v.handle, field), err)
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
		of, err := v.column(field)
		if err == nil {
			to, err = addColumn(to, t, of, doc)
		}
		if err != nil {
			return nil, damage(v.overlay.name(v.handle, field), err)
		}
	}
	return to, nil
}

// addColumn adds what a document has in a column.
func addColumn(to []Field, t FieldType, of *column.Column, doc uint32) ([]Field, error) {
	switch values, texts, err := columnValues(of, t.Kind, doc); {
	case err != nil:
		return nil, err
	case len(values) == 1:
		to = append(to, Field{t.Name, goValue(t.Kind, values[0])})
	case len(texts) == 1:
		to = append(to, Field{t.Name, texts[0]})
	case len(texts) > 1:
		to = append(to, Field{t.Name, texts})
	}
	return to, nil
}

// columnValues reads the values of a document in a column: numbers, or the
// texts of a Keyword.
func columnValues(of *column.Column, k Kind, doc uint32) (numbers []int64, texts []string, err error) {
	cur := of.Cursor()
	numbers = cur.Values(nil, doc)
	if err := cur.Err(); err != nil || k != Keyword {
		return numbers, nil, err
	}
	for _, n := range numbers {
		s, err := of.Text(n)
		if err != nil {
			return nil, nil, err
		}
		texts = append(texts, s)
	}
	return nil, texts, nil
}
