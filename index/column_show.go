package index

import (
	"github.com/webquarry/quarry/index/highlight"
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

// checkSnippets holds that hits can have snippets of the named fields.
func (s Schema) checkSnippets(of map[string]highlight.Options) error {
	for name := range of {
		switch f, ok := s.Field(name); {
		case !ok:
			return &SchemaError{name, "not in the schema"}
		case f.Kind != Text || !f.Stored:
			return &SchemaError{name, "snippets are of stored Text fields"}
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
	numbers, texts, err := columnValues(of, of.Cursor(), t.Kind, doc)
	if err != nil || len(numbers)+len(texts) == 0 {
		return to, err
	}
	return append(to, Field{t.Name, columnValue(t.Kind, numbers, texts)}), nil
}

// columnValue is what a document has in a column, as a value of Go.
func columnValue(k Kind, numbers []int64, texts []string) any {
	switch {
	case len(numbers) > 0:
		return goValue(k, numbers[0])
	case len(texts) == 1:
		return texts[0]
	}
	return texts
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
