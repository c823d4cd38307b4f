package index

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Document is what an index keeps. A document replaces the earlier one of the
// same Key.
type Document struct {
	Key    string // not empty; a URL, as a rule
	Fields []Field
	// Language is the language of the texts, as an ISO 639 code or a tag such as
	// "de-CH", for analyzers that want to know, such as analysis.Languages; "":
	// they guess. It is not kept.
	Language string
}

// Field is a named value of a document.
type Field struct {
	Name string
	// Value is a string, or a []string for several values of one field. A
	// phrase never reaches from one value into the next. In an Integer field it
	// is a whole number of any Go type, in a Float field any number, in a Time
	// field a time.Time, in a Vector field a []float32 of as many finite numbers as the
	// field has; nil is no value. [Snapshot.Document] says in which of
	// these types values come back.
	Value any
}

// Text is the value of the named field as one string: several values are
// joined by line breaks, an absent field is "". Numbers are in decimal, times in
// UTC to the microsecond as in [time.RFC3339Nano], booleans "true" or "false", and
// values of other types as [fmt.Sprint] writes them. Of a document that
// [Snapshot.Document] has returned it is the text that a hit has for the field.
func (d Document) Text(name string) string {
	var texts []string
	for _, f := range d.Fields {
		if f.Name == name {
			texts = f.appendTexts(texts)
		}
	}
	return strings.Join(texts, "\n")
}

// appendTexts appends the values of a field as texts.
func (f Field) appendTexts(to []string) []string {
	switch v := f.Value.(type) {
	case nil:
		return to
	case string:
		return append(to, v)
	case []string:
		return append(to, v...)
	case time.Time:
		return append(to, v.Truncate(time.Microsecond).UTC().Format(time.RFC3339Nano))
	}
	switch v := reflect.ValueOf(f.Value); {
	case v.CanFloat():
		return append(to, strconv.FormatFloat(v.Float()+0, 'g', -1, 64)) // -0 is 0
	case v.CanInt():
		return append(to, strconv.FormatInt(v.Int(), 10)) // also of a type that prints otherwise
	case v.CanUint():
		return append(to, strconv.FormatUint(v.Uint(), 10))
	}
	return append(to, fmt.Sprint(f.Value))
}

// values yields the strings of a field; nothing for a value of another type.
func (f Field) values() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		switch v := f.Value.(type) {
		case string:
			yield(v)
		case []string:
			for _, s := range v {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// size is how many bytes the strings of the document have.
func (d Document) size() (n int64) {
	for v := range d.texts {
		n += int64(len(v))
	}
	return n
}

// texts yields the strings of all fields.
func (d Document) texts(yield func(string) bool) {
	for _, f := range d.Fields {
		for v := range f.values() {
			if !yield(v) {
				return
			}
		}
	}
}
