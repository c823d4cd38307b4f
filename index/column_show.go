package index

import (
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
	switch values, texts, err := columnValues(of, of.Cursor(), t.Kind, doc); {
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
func columnValues(of *column.Column, cur *column.Cursor, k Kind, doc uint32) (numbers []int64, texts []string, err error) {
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
