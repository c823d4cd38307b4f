package extract

import "fmt"

// Schema says what a record is and where its fields stand in a page. It is
// written in Go, as tags of a struct ([SchemaOf]) or in YAML ([Parse]), and
// does its work after [Compile].
type Schema struct {
	Name   string   `yaml:"name"`   // what a record is, as "product"; may be empty
	URLs   []string `yaml:"urls"`   // globs of crawler.Include for the pages that Refine reads; empty: all
	Each   Rules    `yaml:"each"`   // finds the element of each record; without it the page is one record
	Fields Fields   `yaml:"fields"` // at least one
}

// Field is a field of records. Its rules are tried in order, first its own and
// then those of Any, until one finds a value that can be read as Type.
type Field struct {
	Name     string   `yaml:"-"`
	Rule     Rule     `yaml:",inline"`
	Any      Rules    `yaml:"any"`      // alternatives, tried in order
	Type     Type     `yaml:"type"`     // default String
	Layouts  []string `yaml:"layouts"`  // of times, as for time.Parse; default: what ParseTime reads
	Currency string   `yaml:"currency"` // of prices that name none, as "EUR"
	List     bool     `yaml:"list"`     // all values, not the first
	Required bool     `yaml:"required"` // without it there is no record
	Default  *string  `yaml:"default"`  // read as Type where no rule finds a value
	Fields   Fields   `yaml:"fields"`   // the value is a record itself; its rules begin at the element found

	at place
}

// Rule finds values. One of CSS, XPath and Item has to be set; but where the
// element of the record itself is meant, Attr or Regexp alone will do.
type Rule struct {
	CSS    string `yaml:"css"`    // selector, as cascadia knows them
	XPath  string `yaml:"xpath"`  // XPath 1.0 and some of 2.0; begins at the element of the record
	Item   string `yaml:"item"`   // path in the structured data, as "Product.offers.price"; see Items
	Attr   string `yaml:"attr"`   // attribute to read instead of the text
	Regexp string `yaml:"regexp"` // RE2, on the text or attribute; where it matches not, nothing is found
	Group  int    `yaml:"group"`  // of Regexp; 0: the first if it has one, else the whole match

	at place
}

// Fields are named fields in order; in YAML, a mapping.
type Fields []Field

// Rules are alternatives; in YAML, a rule or a sequence of them.
type Rules []Rule

// Type says how the text of a field is read.
type Type string

// Types of fields, and the Go types that they become in a [Record].
const (
	String  Type = "string"  // string: the text as one line
	Text    Type = "text"    // string: the text with its blocks as lines
	HTML    Type = "html"    // string: what is within the element, as HTML; not safe to show
	Int     Type = "int"     // int64: the first number in the text, "1,024 reviews"
	Float   Type = "float"   // float64: likewise, "4,5 of 5"
	Bool    Type = "bool"    // bool: true, yes, on, 1; false, no, off, 0
	Present Type = "present" // bool: whether a rule finds anything
	Time    Type = "time"    // time.Time: by Layouts, or else what ParseTime reads; without a zone, UTC
	URL     Type = "url"     // string: resolved against the page and canonical
	Money   Type = "price"   // Price: an amount and a currency
)

// SchemaError says what is wrong with a schema, and where.
type SchemaError struct {
	Line, Column int    // in the YAML text, from 1 on; 0: not from YAML
	Path         string // of the field, as "reviews.stars"
	Err          error
}

func (e *SchemaError) Error() string {
	s := "extract: schema"
	if e.Line > 0 {
		s += fmt.Sprintf(": line %d, column %d", e.Line, e.Column)
	}
	if e.Path != "" {
		s += ": " + e.Path
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *SchemaError) Unwrap() error { return e.Err }

// place is where something stands in a YAML text.
type place struct{ line, column int }

func (r Rule) empty() bool {
	return r.CSS == "" && r.XPath == "" && r.Item == "" && r.Attr == "" && r.Regexp == ""
}
