package index

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
	// field a time.Time; nil is no value.
	Value any
}

// Text is the value of the named field as one string: several values are
// joined by line breaks, an absent field is "".
func (d Document) Text(name string) string {
	var text string
	found := false
	for _, f := range d.Fields {
		if f.Name != name {
			continue
		}
		for v := range f.values() {
			if found {
				text += "\n"
			}
			text, found = text+v, true
		}
	}
	return text
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
	for _, f := range d.Fields {
		for v := range f.values() {
			n += int64(len(v))
		}
	}
	return n
}
