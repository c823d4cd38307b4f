package query

// Warning says what a query asked for in vain. A query with warnings is answered all the
// same; errors are for what a program got wrong. Kind is for programs and Text for
// people. A Warning is comparable, and no answer has the same one twice.
type Warning struct {
	Kind  WarningKind
	Field string // that it is about, as the query names it; "": none
	Text  string // in English, without a full stop
}

// String is the text.
func (w Warning) String() string { return w.Text }

// WarningKind is what a [Warning] is about.
type WarningKind string

// The kinds of warnings of index.Results.
const (
	// WarnUnknownField: the query names a field that is not in the schema, and that
	// part of it finds nothing. Of [ParseLenient]: what looks like the name of a field
	// is none of ParseOptions.Schema, and was read as words.
	WarnUnknownField WarningKind = "unknown field"
	// WarnUnfitField: a field cannot do what the query asks of it, such as one that is
	// only stored, or numbers that a pattern of words is looked for in. [ParseLenient]
	// reads that as words.
	WarnUnfitField WarningKind = "unfit field"
	// WarnBadValue: a bound of a range, or a value, cannot be one of the field, such as
	// a word in a field of numbers. [ParseLenient] reads that as words.
	WarnBadValue WarningKind = "bad value"
	// WarnNoWords: nothing of the query was left to search for, as of one of stop words
	// alone.
	WarnNoWords WarningKind = "no words"
	// WarnNoDocument: there is no document of the key of a [Like].
	WarnNoDocument WarningKind = "no document"
	// WarnTermsCut: a [Wildcard], [Regexp] or [Fuzzy] stands for more terms than
	// Effort.Terms. The others were not searched, so that documents may be missing.
	WarnTermsCut WarningKind = "terms cut"
	// WarnNoSnippet: the analyzer of a field, or the Expander, panicked over the text of a
	// hit, which is without a snippet of that field.
	WarnNoSnippet WarningKind = "no snippet"
	// WarnNoScorer: the index was made with a scorer of a type that cannot be kept with
	// it, and neither Options nor SearchOptions has one. The scorer rank.BM25F{} ranked.
	WarnNoScorer WarningKind = "no scorer"
)

// The kinds of warnings of [ParseLenient], besides [WarnUnknownField], [WarnUnfitField]
// and [WarnBadValue].
const (
	// WarnSyntax: a sign or an operator makes no sense where it stands; it was left out
	// or read as text.
	WarnSyntax WarningKind = "syntax"
	// WarnTooLong: the text is longer than 64 KiB; its end was left out.
	WarnTooLong WarningKind = "too long"
	// WarnTooDeep: the text nests more than 100 deep; what is deeper was read as words.
	WarnTooDeep WarningKind = "too deep"
)
