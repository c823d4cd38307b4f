package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/vector"
)

// Kind says how a field is searched.
type Kind int

// The kinds of fields, see index.Kind. Those from Integer on are numbers in a column.
const (
	Text Kind = iota
	Keyword
	StoredOnly
	Vector
	Integer
	Float
	Time
)

var kinds = [...]string{"text", "keyword", "stored", "vector", "integer", "float", "time"}

// String names the kind.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kinds) {
		return fmt.Sprintf("kind(%d)", int(k))
	}
	return kinds[k]
}

// MarshalText writes the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name of a kind.
func (k *Kind) UnmarshalText(b []byte) error {
	i := slices.Index(kinds[:], string(b))
	if i < 0 {
		return fmt.Errorf("index: unknown kind of field %q", b)
	}
	*k = Kind(i)
	return nil
}

// Field is an index.FieldType, as it is kept with the index.
type Field struct {
	Name      string  `json:"name"`
	Kind      Kind    `json:"kind"`
	Analyzer  string  `json:"analyzer,omitempty"`
	Weight    float64 `json:"weight,omitempty"`
	NamedOnly bool    `json:"named_only,omitempty"`
	Stored    bool    `json:"stored,omitempty"`
	Anchors   int     `json:"anchors,omitempty"`
	Column    bool    `json:"column,omitempty"`

	Vectors vector.Options `json:"vectors,omitzero"` // of a Vector field
}

// Unnamed reports whether a query that names no field searches this one.
func (f Field) Unnamed() bool { return f.Kind == Text && !f.NamedOnly }

// SearchedBy reports whether a query that names a field, or "" for none, searches this
// Text field.
func (f Field) SearchedBy(name string) bool {
	return f.Kind == Text && name == f.Name || name == "" && f.Unnamed()
}

// AnalyzerIn returns the analyzer of a Text field. The error is an [*Error] when there is
// none of its name.
func (f Field) AnalyzerIn(known map[string]analysis.Analyzer) (analysis.Analyzer, error) {
	a := known[f.Analyzer]
	if a == nil {
		return nil, &Error{f.Name, "analyzer " + strconv.Quote(f.Analyzer) + " is neither built in nor in Options.Analyzers"}
	}
	return a, nil
}

// Fields are the fields of an index. The place of a field is its number.
type Fields []Field

// Error is a field that the schema does not allow.
type Error struct {
	Field string
	Msg   string
}

func (e *Error) Error() string { return fmt.Sprintf("index: field %q: %s", e.Field, e.Msg) }

// The field that holds the language of each document of which an analyzer wanted to know
// it, as a term. It has no name, so that no query asks it.
const (
	LanguageField = segment.MaxField - 1
	LanguageName  = ""
)

// MostAnchors is how many anchors of one document are kept at most.
const MostAnchors = 1000

// mostWeight is the greatest weight of a field.
const mostWeight = 1e9

func validWeight(w float64) bool { return w >= 0 && w <= mostWeight }

// Find returns the field of a name.
func (s Fields) Find(name string) (Field, bool) {
	for _, f := range s {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Number returns the number of the field of a name; -1: there is none.
func (s Fields) Number(name string) int {
	return slices.IndexFunc(s, func(f Field) bool { return f.Name == name })
}

// Anchors returns the number of the field for anchors; -1: there is none.
func (s Fields) Anchors() int {
	return slices.IndexFunc(s, func(f Field) bool { return f.Anchors > 0 })
}

// Filled returns a copy with defaults written out.
func (s Fields) Filled() Fields {
	out := slices.Clone(s)
	for i := range out {
		switch f := &out[i]; {
		case f.Kind == Text:
			f.Analyzer = cmp.Or(f.Analyzer, "standard")
			f.Weight = cmp.Or(f.Weight, 1)
		case f.Kind == StoredOnly:
			f.Stored = true
		case f.Kind >= Vector:
			f.Column, f.Stored = true, false
		}
	}
	return out
}

// Check reports the first thing that makes no sense.
func (s Fields) Check() error {
	if len(s) > LanguageField {
		return &Error{s[LanguageField].Name, fmt.Sprintf("is more than %d fields", LanguageField)}
	}
	seen := map[string]bool{}
	for i, f := range s {
		switch {
		case f.Name == "":
			return &Error{f.Name, "a field needs a name"}
		case seen[f.Name]:
			return &Error{f.Name, "declared twice"}
		case f.Kind < Text || f.Kind > Time:
			return &Error{f.Name, "unknown " + f.Kind.String()}
		case f.Kind != Text && f.Analyzer != "":
			return &Error{f.Name, "only a text field has an analyzer"}
		case f.Kind != Vector && f.Vectors != vector.Options{}:
			return &Error{f.Name, "only a vector field has vectors"}
		case f.Kind == Vector && f.Vectors.Check() != "":
			return &Error{f.Name, f.Vectors.Check()}
		case f.Column && f.Kind < Vector && f.Kind != Keyword:
			return &Error{f.Name, "a " + f.Kind.String() + " field has no column"}
		case f.Anchors < 0 || f.Anchors > MostAnchors:
			return &Error{f.Name, fmt.Sprintf("%d anchors of a host are out of range", f.Anchors)}
		case f.Anchors > 0 && (f.Kind != Text || f.Stored):
			return &Error{f.Name, "a field for anchors is text and not stored"}
		case f.Anchors > 0 && s.Anchors() != i:
			return &Error{f.Name, "is another field for anchors than " + s[s.Anchors()].Name}
		case f.NamedOnly && f.Kind != Text:
			return &Error{f.Name, "only a text field is searched by name only"}
		case !validWeight(f.Weight):
			return &Error{f.Name, fmt.Sprintf("weight %v is out of range", f.Weight)}
		}
		seen[f.Name] = true
	}
	return nil
}

// CheckAnalyzers reports the first field whose analyzer is unknown.
func (s Fields) CheckAnalyzers(known map[string]analysis.Analyzer) error {
	for _, f := range s {
		if f.Kind != Text {
			continue
		}
		if _, err := f.AnalyzerIn(known); err != nil {
			return err
		}
	}
	return nil
}

// Extended returns s with the new fields and new weights of next, or an
// error when next contradicts it. Fields that next leaves out stay.
func (s Fields) Extended(next Fields) (Fields, error) {
	out := slices.Clone(s)
	numbers := make(map[string]int, len(s))
	for i, f := range s {
		numbers[f.Name] = i
	}
	for _, f := range next {
		i, known := numbers[f.Name]
		if !known {
			out = append(out, f)
			continue
		}
		switch was := s[i]; {
		case was.Kind != f.Kind:
			return nil, &Error{f.Name, fmt.Sprintf("is %v in this index, not %v: build a new index to change it", was.Kind, f.Kind)}
		case was.Analyzer != f.Analyzer:
			return nil, &Error{f.Name, fmt.Sprintf("has analyzer %q in this index, not %q: build a new index to change it", was.Analyzer, f.Analyzer)}
		case was.Vectors != f.Vectors:
			return nil, &Error{f.Name, fmt.Sprintf("has vectors of other options in this index, %+v, not %+v: build a new index to change them", was.Vectors, f.Vectors)}
		case was.Column != f.Column:
			return nil, &Error{f.Name, "with a column and without: build a new index to change it"}
		case was.Anchors != f.Anchors:
			return nil, &Error{f.Name, fmt.Sprintf("has %d anchors of a host in this index, not %d: build a new index to change it", was.Anchors, f.Anchors)}
		case was.Stored != f.Stored:
			return nil, &Error{f.Name, "stored and not stored: build a new index to change it"}
		}
		out[i].Weight, out[i].NamedOnly = f.Weight, f.NamedOnly
	}
	return out, nil
}

// Weighed returns the fields with the weights of a search: those of the fields that are
// searched when a query names none. The others are NamedOnly.
func (s Fields) Weighed(weights map[string]float64) (Fields, error) {
	if len(weights) == 0 {
		return s, nil
	}
	out := slices.Clone(s)
	for name, w := range weights {
		i := out.Number(name)
		switch {
		case i < 0:
			return nil, &Error{name, "not in the schema"}
		case out[i].Kind != Text:
			return nil, &Error{name, "only a text field has a weight"}
		case !validWeight(w):
			return nil, &Error{name, fmt.Sprintf("weight %v is out of range", w)}
		}
		out[i].Weight, out[i].NamedOnly = w, w == 0
	}
	return out, nil
}
