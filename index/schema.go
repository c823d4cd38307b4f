package index

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/webquarry/quarry/index/query"
)

// Kind says how a field is searched.
type Kind int

// The kinds of fields.
const (
	Text       Kind = iota // words, analysed, with positions
	Keyword                // each value is one term, as it is
	StoredOnly             // kept, not searched
	Integer                // a column of whole numbers: int64
	Float                  // a column of numbers: float64
	Time                   // a column of times, to the microsecond, in UTC
)

// String names the kind.
func (k Kind) String() string {
	switch k {
	case Text:
		return "text"
	case Keyword:
		return "keyword"
	case StoredOnly:
		return "stored"
	case Integer:
		return "integer"
	case Float:
		return "float"
	case Time:
		return "time"
	}
	return fmt.Sprintf("kind(%d)", int(k))
}

// MarshalText writes the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name of a kind.
func (k *Kind) UnmarshalText(b []byte) error {
	for *k = Text; *k <= Time; *k++ {
		if k.String() == string(b) {
			return nil
		}
	}
	return fmt.Errorf("index: unknown kind of field %q", b)
}

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
	case f.Kind == StoredOnly:
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
	_, err := parseValue(f.Kind, text)
	return err
}

// webPage is the schema of an index that was created without one.
func webPage() Schema {
	return Schema{
		{Name: "title", Analyzer: "auto", Weight: 2, Stored: true},
		{Name: "body", Analyzer: "auto", Stored: true},
	}
}

// anchors returns the number of the field for anchors; -1: there is none.
func (s Schema) anchors() int {
	return slices.IndexFunc(s, func(f FieldType) bool { return f.Anchors > 0 })
}

// filled returns a copy with defaults written out.
func (s Schema) filled() Schema {
	out := make(Schema, len(s))
	for i, f := range s {
		if f.Kind == Text {
			f.Analyzer = cmp.Or(f.Analyzer, "standard")
			f.Weight = cmp.Or(f.Weight, 1)
		}
		if f.Kind == StoredOnly {
			f.Stored = true
		}
		if f.Kind >= Integer {
			f.Column, f.Stored = true, false
		}
		out[i] = f
	}
	return out
}

// check reports the first thing that makes no sense.
func (s Schema) check() error {
	if len(s) > languageField {
		return &SchemaError{s[languageField].Name, fmt.Sprintf("is more than %d fields", languageField)}
	}
	seen := map[string]bool{}
	for i, f := range s {
		switch {
		case f.Name == "":
			return &SchemaError{f.Name, "a field needs a name"}
		case seen[f.Name]:
			return &SchemaError{f.Name, "declared twice"}
		case f.Kind < Text || f.Kind > Time:
			return &SchemaError{f.Name, "unknown " + f.Kind.String()}
		case f.Kind != Text && f.Analyzer != "":
			return &SchemaError{f.Name, "only a text field has an analyzer"}
		case f.Column && f.Kind < Integer && f.Kind != Keyword:
			return &SchemaError{f.Name, "a " + f.Kind.String() + " field has no column"}
		case f.Anchors < 0 || f.Anchors > mostAnchors:
			return &SchemaError{f.Name, fmt.Sprintf("%d anchors of a host are out of range", f.Anchors)}
		case f.Anchors > 0 && (f.Kind != Text || f.Stored):
			return &SchemaError{f.Name, "a field for anchors is text and not stored"}
		case f.Anchors > 0 && s.anchors() != i:
			return &SchemaError{f.Name, "is another field for anchors than " + s[s.anchors()].Name}
		case f.NamedOnly && f.Kind != Text:
			return &SchemaError{f.Name, "only a text field is searched by name only"}
		case !validWeight(f.Weight):
			return &SchemaError{f.Name, fmt.Sprintf("weight %v is out of range", f.Weight)}
		}
		seen[f.Name] = true
	}
	return nil
}

// extended returns s with the new fields and new weights of next, or an
// error when next contradicts it. Fields that next leaves out stay.
func (s Schema) extended(next Schema) (Schema, error) {
	out := append(Schema(nil), s...)
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
			return nil, &SchemaError{f.Name, fmt.Sprintf("is %v in this index, not %v: build a new index to change it", was.Kind, f.Kind)}
		case was.Analyzer != f.Analyzer:
			return nil, &SchemaError{f.Name, fmt.Sprintf("has analyzer %q in this index, not %q: build a new index to change it", was.Analyzer, f.Analyzer)}
		case was.Column != f.Column:
			return nil, &SchemaError{f.Name, "with a column and without: build a new index to change it"}
		case was.Anchors != f.Anchors:
			return nil, &SchemaError{f.Name, fmt.Sprintf("has %d anchors of a host in this index, not %d: build a new index to change it", was.Anchors, f.Anchors)}
		case was.Stored != f.Stored:
			return nil, &SchemaError{f.Name, "stored and not stored: build a new index to change it"}
		}
		out[i].Weight, out[i].NamedOnly = f.Weight, f.NamedOnly
	}
	return out, nil
}
