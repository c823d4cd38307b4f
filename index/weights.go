package index

import (
	"fmt"
	"slices"
)

// mostWeight is the greatest weight of a field.
const mostWeight = 1e9

func validWeight(w float64) bool { return w >= 0 && w <= mostWeight }

// weighed returns the schema with the weights of a search: those of the fields that are
// searched when a query names none. The others are NamedOnly.
func (s Schema) weighed(weights map[string]float64) (Schema, error) {
	if len(weights) == 0 {
		return s, nil
	}
	out := slices.Clone(s)
	for name, w := range weights {
		i := slices.IndexFunc(out, func(f FieldType) bool { return f.Name == name })
		switch {
		case i < 0:
			return nil, &SchemaError{name, "not in the schema"}
		case out[i].Kind != Text:
			return nil, &SchemaError{name, "only a text field has a weight"}
		case !validWeight(w):
			return nil, &SchemaError{name, fmt.Sprintf("weight %v is out of range", w)}
		}
		out[i].Weight, out[i].NamedOnly = w, w == 0
	}
	return out, nil
}

// unnamed reports whether what names no field searches this one.
func (f FieldType) unnamed() bool { return f.Kind == Text && !f.NamedOnly }

// searchedBy reports whether what names a field, or "", searches this Text field.
func (f FieldType) searchedBy(name string) bool {
	return f.Kind == Text && name == f.Name || name == "" && f.unnamed()
}
