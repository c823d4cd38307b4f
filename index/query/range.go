package query

import (
	"fmt"
	"strconv"
	"time"
)

// Range matches the documents whose value in the field lies between two, both
// included. The field is a column, a Keyword, or a Text field, of which a term of the
// index has to lie between the two. The bounds are texts, read as
// the field is: numbers; times such as 2026, 2026-03, 2026-03-15 or
// 2026-03-15T12:00:00Z, of which the short ones are all of that year, month or
// day, in UTC; for others strings in the order of their bytes, in a Text field folded
// as it is. An empty
// bound is open. It scores 0.
type Range struct {
	Field     string
	From, To  string // "": no bound
	AfterFrom bool   // From itself is left out
	BeforeTo  bool   // To itself is left out
}

// Between is the Range from one value to another, both included: numbers,
// times or strings; nil is no bound.
func Between(field string, from, to any) Range {
	return Range{Field: field, From: bound(from), To: bound(to)}
}

func bound(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// Exists matches the documents that have a value in the field; in a Text
// field, at least one word. It scores 0.
type Exists struct{ Field string }

func (Range) members() []Query             { return nil }
func (q Range) head() any                  { return q }
func (Range) binds() binding               { return asLeaf }
func (Range) check() string                { return "" }
func (Range) leaves(func(Query) bool) bool { return true }

func (q Range) String() string {
	opening, closing := "[", "]"
	if q.AfterFrom {
		opening = "{"
	}
	if q.BeforeTo {
		closing = "}"
	}
	return fieldPrefix(q.Field) + opening + printBound(q.From) + " TO " + printBound(q.To) + closing
}

// printBound prints a bound as it is if it is made of what numbers and times
// are made of, else in quotes.
func printBound(s string) string {
	if s == "" {
		return "*"
	}
	if isPlainBound(s) && s != "TO" {
		return s
	}
	return quote(s)
}

func (q Exists) String() string { return fieldPrefix(q.Field) + "*" }

func (Exists) members() []Query             { return nil }
func (q Exists) head() any                  { return q }
func (Exists) binds() binding               { return asLeaf }
func (Exists) check() string                { return "" }
func (Exists) leaves(func(Query) bool) bool { return true }
