package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseOptions says how query text is read. The zero value is for text that a
// program has written, such as the String of a query.
type ParseOptions struct {
	// Operator says what words that stand side by side ask for; 0: AllFirst of
	// ParseLenient, and AllWords of Parse.
	Operator Operator
	// Schema says which names may stand before a colon, and what can be asked of those
	// fields: index.Index, index.Snapshot and index.Options have one. When it is nil,
	// Parse takes any name for a field of words and ParseLenient none.
	//
	// Numbers and times become a [Range], also single ones. What is none, patterns of
	// words for them, and fields that are only kept are an [*Error] of Parse;
	// ParseLenient reads them as words, with a [Warning], as it does with fields that do
	// not exist. The values of a field of [Strings] are taken as they are typed.
	Schema Schema
}

// Operator says what words that stand side by side ask for, where none is written. Words
// that signs join, as in "publickey,password", "DVD+RW" or "name=value", must stand together
// with [AllWords]. Otherwise they are alternatives as well, and so is what they are together.
type Operator int

const (
	// AllFirst finds documents with any of the words, or of the parts of "wing-body". Those with
	// all of them come first, if they are six at most: they score 1,000 more. Whatever is more
	// than a word is required: a phrase in quotes, a field with what it has to hold, a group with
	// operators. So "tea pot" is "tea OR pot OR (tea pot)^=1000", and "tea pot site:example.org"
	// finds documents of that site only. Beside "+a" the other words only add to the score. In a
	// text all in capitals AND, OR and NOT are words.
	AllFirst Operator = iota + 1
	// AllWords finds documents with all of the words.
	AllWords
	// AnyWord finds documents with any of the words: "a b" is "a OR b". It is so for phrases
	// and all else that stands side by side; "+a b" wants a and prefers b.
	AnyWord
)

// Limits of query text.
const (
	maxNesting = 100     // parentheses and NOTs within each other
	maxText    = 1 << 16 // bytes
)

// Parse reads a query strictly: anything that is not in the language is a
// *[Error] with its byte offset. Text of more than 64 KiB, or nested more
// than 100 deep, is an error as well.
//
// The language, from what binds most to what binds least:
//
//	word                  a Match; words are analysed as the field is
//	"some words"          a Phrase; "some words"~2 lets it be looser
//	wor*                  a Prefix; "some wor*" ends a phrase with it
//	w?rd, *ord            a Wildcard; ?"any pattern"
//	/w[ou]rd/             a Regexp; /"any expression"
//	wrod~1                a Fuzzy; wrod~ goes by the length of the word, and wrod~1/2
//	                      begins with the same two characters
//	="word"               a Term, as it stands in the index
//	~"key"                a Like; ~"key"~10 takes ten words
//	*                     All; -* is None
//	field:...             any of these, or a group, in one field
//	field:*               Exists
//	field:[1 TO 2}        a Range, without 2 itself; * is no bound
//	field:1..2, field:>=1 a Range of numbers or times
//	( ... )               a group; ( ... )~2 is AtLeast two of it
//	...^2.5               scores 2.5 times as much; ...^=2.5 always 2.5
//	-..., NOT ...         must not match
//	+...                  must match (which it must anyway with [AllWords])
//	... AND ..., ... ...  both; side by side means the same with [AllWords]
//	... OR ...            either
//
// So "a b OR c" is "(a b) OR c". Operators are upper-case words. A backslash
// before a sign takes away its meaning, and before AND, OR, NOT. Curly quotes and
// full-width signs do as the plain ones.
//
// Signs mean something where they cannot be text. A plus or minus does at the
// beginning of a word, but not right behind a quote or parenthesis, as in
// 3.5"-disk, nor within parentheses right behind a word, as in f(x, -y), nor in
// ->, += and the like. Side by side with others, * and -* ask for nothing.
func Parse(text string, opt ParseOptions) (Query, error) {
	p := newParser(text, opt, AllWords)
	if len(text) > maxText {
		return nil, &Error{maxText, fmt.Sprintf("longer than %d bytes", maxText)}
	}
	q := p.sequence()
	switch {
	case p.err != nil:
		return nil, p.err
	case q == nil:
		return nil, &Error{len(text), "expected a term, found the end"}
	}
	return q, nil
}

// ParseLenient reads what people type, in the language of [Parse]. It never
// fails: what makes no sense as an operator is left out or read as a word, and
// the words are always searched. It also returns what it had to overlook, at
// most ten warnings. Text beyond 64 KiB is left out.
func ParseLenient(text string, opt ParseOptions) (Query, []Warning) {
	p := newParser(text, opt, AllFirst)
	p.lenient = true
	if len(text) > maxText {
		p.text = cutAt(text, maxText)
		p.note(maxText, Warning{WarnTooLong, "", "the query is too long: its end is left out"})
	}
	q := p.sequence()
	if q == nil {
		q = p.literally()
	}
	return q, p.warnings
}

// literally matches the words of a text that consists of operators.
func (p *parser) literally() Query {
	words := strings.FieldsFunc(p.text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if len(words) == 0 {
		return None{}
	}
	s := sequence{}
	for _, w := range words {
		s.add(clause{query: Match{Text: w}, bare: true})
	}
	return p.join(s)
}

// newParser makes a parser; words is what 0 stands for in the options.
func newParser(text string, opt ParseOptions, words Operator) parser {
	words = cmp.Or(opt.Operator, words)
	return parser{text: text, opt: opt, either: words != AllWords, allFirst: words == AllFirst, capitals: words == AllFirst && inCapitals(text)}
}

// inCapitals reports whether all words of a text are in capitals, so that AND, OR and NOT
// are nothing special.
func inCapitals(text string) bool {
	upper := false
	for word := range strings.FieldsSeq(text) {
		upper = upper || !isOperator(word) && strings.ContainsFunc(word, unicode.IsUpper)
		if strings.ContainsFunc(word, unicode.IsLower) {
			return false
		}
	}
	return upper
}

// parser reads a query from left to right. Strict and lenient differ in
// complain, and in what starts a field.
type parser struct {
	text      string
	pos       int
	opt       ParseOptions
	lenient   bool
	either    bool   // what stands side by side are alternatives
	allFirst  bool   // of the words of the whole text
	capitals  bool   // what looks like an operator is a word
	field     string // of the leaves that name none
	depth     int
	begins    bool // pos is where a clause begins: behind a blank, an operator or the ( of a group
	literal   bool // within parentheses right behind a word, as in f(x, -y)
	excluding bool // within what must not match
	err       *Error
	warnings  []Warning
}

// complain notes that what stands at pos makes no sense.
func (p *parser) complain(pos int, msg string) { p.note(pos, Warning{WarnSyntax, "", msg}) }

// note notes an error or a warning. Of errors the first one counts; both parsers read
// on.
func (p *parser) note(pos int, w Warning) {
	w.Text = strings.ToValidUTF8(w.Text, "\uFFFD") // it may quote the text
	switch {
	case !p.lenient && p.err == nil:
		p.err = &Error{pos, w.Text}
	case p.lenient && len(p.warnings) < 10 && !slices.Contains(p.warnings, w):
		p.warnings = append(p.warnings, w)
	}
}

// peek returns the sign or rune at pos and its length; 0 at the end.
func (p *parser) peek() (rune, int) { return p.at(p.pos) }

func (p *parser) at(i int) (rune, int) {
	if i >= len(p.text) {
		return 0, 0
	}
	r, n := utf8.DecodeRuneInString(p.text[i:])
	return sign(r), n
}

func (p *parser) skipSpace() {
	if rest := strings.TrimLeftFunc(p.text[p.pos:], unicode.IsSpace); p.pos+len(rest) < len(p.text) {
		p.pos, p.begins = len(p.text)-len(rest), true
	}
}

// ends reports whether a bare word ends before i.
func (p *parser) ends(i int) bool {
	r, n := p.at(i)
	return n == 0 || r == '(' || r == ')' || r == '"' || unicode.IsSpace(r)
}

// found names what stands at i, for error messages.
func (p *parser) found(i int) string {
	_, n := p.at(i)
	if n == 0 {
		return "the end"
	}
	end := i + n
	for !p.ends(end) && end < i+20 {
		_, n = p.at(end)
		end += n
	}
	return fmt.Sprintf("%q", p.text[i:end])
}

// enter reports whether nesting may go one deeper, and counts it.
func (p *parser) enter() bool {
	if p.depth == maxNesting {
		p.note(p.pos, Warning{WarnTooDeep, "", fmt.Sprintf("nested more than %d deep", maxNesting)})
		return false
	}
	p.depth++
	return true
}
