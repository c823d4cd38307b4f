package index

import (
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/vector"
	"github.com/webquarry/quarry/index/query"
)

// Kind says how a field is searched.
type Kind int

// The kinds of fields.
const (
	Text       = Kind(schema.Text)       // words, analysed, with positions
	Keyword    = Kind(schema.Keyword)    // each value is one term, as it is
	StoredOnly = Kind(schema.StoredOnly) // kept, not searched
	Vector     = Kind(schema.Vector)     // a vector of numbers, for query.KNN: []float32
	Integer    = Kind(schema.Integer)    // a column of whole numbers: int64
	Float      = Kind(schema.Float)      // a column of numbers: float64
	Time       = Kind(schema.Time)       // a column of times, to the microsecond, in UTC
)

// String names the kind.
func (k Kind) String() string { return schema.Kind(k).String() }

// MarshalText writes the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name of a kind.
func (k *Kind) UnmarshalText(b []byte) error { return (*schema.Kind)(k).UnmarshalText(b) }

// VectorOptions say what the vectors of a Vector field are, and how they are searched.
type VectorOptions = vector.Options

// Similarity says how near two vectors are.
type Similarity = vector.Similarity

// The similarities of vectors, and how a [query.KNN] scores by them.
const (
	Cosine    = vector.Cosine    // by the cosine c of their angle: (1+c)/2
	Dot       = vector.Dot       // by their inner product d: 1+d, or 1/(1-d) when d is less than 0
	Euclidean = vector.Euclidean // by their distance d: 1/(1+d²)
)

// FieldType describes one field.
type FieldType struct {
	Name     string  `json:"name"`
	Kind     Kind    `json:"kind"`
	Analyzer string  `json:"analyzer,omitempty"` // of a Text field: "standard" ("" means that), "auto" (stems of the language of the text), "english", another of analysis.Named, or a name in Options.Analyzers
	Weight   float64 `json:"weight,omitempty"`   // of a Text field, when a query names no field; 0: 1
	// NamedOnly leaves a Text field out of what names no field, as SearchOptions.Weights
	// does for a search.
	NamedOnly bool `json:"named_only,omitempty"`
	Stored    bool `json:"stored,omitempty"`  // keep the value, for results and snippets; a column keeps it anyway
	Anchors   int  `json:"anchors,omitempty"` // of a Text field that is not stored: it holds the texts of links given to Writer.AddAnchors, at most so many of one host; 2 among many hosts, 10 within one
	Column    bool `json:"column,omitempty"`  // of a Keyword field: keep its values in a column too, to sort, count and collapse by

	Vectors VectorOptions `json:"vectors,omitzero"` // of a Vector field, which needs Dims
}

// Schema lists the fields of an index. It is kept with the index; fields may
// be added later, and Weight and NamedOnly changed.
type Schema []FieldType

// Field returns the type of the named field.
func (s Schema) Field(name string) (FieldType, bool) {
	for _, f := range s {
		if f.Name == name {
			return f, true
		}
	}
	return FieldType{}, false
}

// FieldKind says what a field holds; with it and CheckValue a Schema is a
// [query.Schema].
func (s Schema) FieldKind(name string) query.FieldKind {
	f, ok := s.Field(name)
	switch {
	case !ok:
		return query.NoField
	case f.Kind == StoredOnly || f.Kind == Vector: // nobody types vectors
		return query.Unsearched
	case f.Kind == Keyword:
		return query.Strings
	case f.Kind >= Integer:
		return query.Values
	}
	return query.Words
}

// CheckValue reports why text is no value of an Integer, Float or Time field.
func (s Schema) CheckValue(name, text string) error {
	f, _ := s.Field(name)
	if f.Kind < Integer {
		return nil
	}
	return schema.CheckValue(schema.Kind(f.Kind), text)
}

// fields returns s as the rooms below this package know it.
func (s Schema) fields() schema.Fields {
	out := make(schema.Fields, len(s))
	for i, f := range s {
		out[i] = schema.Field{Name: f.Name, Kind: schema.Kind(f.Kind), Analyzer: f.Analyzer, Weight: f.Weight, NamedOnly: f.NamedOnly, Stored: f.Stored, Anchors: f.Anchors, Column: f.Column, Vectors: f.Vectors}
	}
	return out
}

func schemaOf(fields schema.Fields) Schema {
	out := make(Schema, len(fields))
	for i, f := range fields {
		out[i] = FieldType{Name: f.Name, Kind: Kind(f.Kind), Analyzer: f.Analyzer, Weight: f.Weight, NamedOnly: f.NamedOnly, Stored: f.Stored, Anchors: f.Anchors, Column: f.Column, Vectors: f.Vectors}
	}
	return out
}

// webPage is the schema of an index that was created without one.
func webPage() Schema {
	return Schema{
		{Name: "title", Analyzer: "auto", Weight: 2, Stored: true},
		{Name: "body", Analyzer: "auto", Stored: true},
	}
}
