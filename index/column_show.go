package index

import (
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/schema"
)

// checkShown holds that hits can be shown with the named fields.
func checkShown(s schema.Fields, names []string) error {
	for _, name := range names {
		switch f, ok := s.Find(name); {
		case !ok:
			return &schema.Error{Field: name, Msg: "not in the schema"}
		case !f.Stored && !f.Column:
			return &schema.Error{Field: name, Msg: "a " + f.Kind.String() + " field that is neither stored nor a column"}
		}
	}
	return nil
}

// checkSnippets holds that hits can have snippets of the named fields.
func checkSnippets(s schema.Fields, of map[string]highlight.Options) error {
	for name := range of {
		switch f, ok := s.Find(name); {
		case !ok:
			return &schema.Error{Field: name, Msg: "not in the schema"}
		case f.Kind != schema.Text || !f.Stored:
			return &schema.Error{Field: name, Msg: "snippets are of stored Text fields"}
		}
	}
	return nil
}

// addColumns adds what a document has in columns, if it is not stored.
func addColumns(c *exec.Collection, v *commit.View, doc uint32, to []Field) ([]Field, error) {
	for field, t := range c.Schema {
		if !t.Column || t.Stored {
			continue
		}
		if t.Kind == schema.Vector {
			of, err := vectorOf(v, doc, field)
			if err != nil {
				return nil, err
			}
			if of != nil {
				to = append(to, Field{t.Name, of})
			}
			continue
		}
		of, err := v.Column(field)
		if err == nil {
			to, err = addColumn(to, t, of, doc)
		}
		if err != nil {
			return nil, fault.Damage(v.Overlay.Name(v.File, field), err)
		}
	}
	return to, nil
}

// vectorOf returns the vector of a document; nil: it has none.
func vectorOf(v *commit.View, doc uint32, field int) ([]float32, error) {
	r, err := v.Seg.Vectors(field)
	if err != nil {
		return nil, fault.Damage(v.Name(), err)
	}
	of, err := r.At(doc)
	return of, fault.Damage(v.Name(), err)
}

// addColumn adds what a document has in a column.
func addColumn(to []Field, t schema.Field, of *column.Column, doc uint32) ([]Field, error) {
	numbers, texts, err := columnValues(of, of.Cursor(), t.Kind, doc)
	if err != nil || len(numbers)+len(texts) == 0 {
		return to, err
	}
	return append(to, Field{t.Name, columnValue(t.Kind, numbers, texts)}), nil
}

// columnValue is what a document has in a column, as a value of Go.
func columnValue(k schema.Kind, numbers []int64, texts []string) any {
	switch {
	case len(numbers) > 0:
		return schema.GoValue(k, numbers[0])
	case len(texts) == 1:
		return texts[0]
	}
	return texts
}

// columnValues reads the values of a document in a column: numbers, or the
// texts of a Keyword.
func columnValues(of *column.Column, cur *column.Cursor, k schema.Kind, doc uint32) (numbers []int64, texts []string, err error) {
	numbers = cur.Values(nil, doc)
	if err := cur.Err(); err != nil || k != schema.Keyword {
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
