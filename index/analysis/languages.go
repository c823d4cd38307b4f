package analysis

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/webquarry/quarry/internal/lang"
)

// Localizer is an Analyzer that works by the language of a text.
type Localizer interface {
	Analyzer
	// Language guesses the language of a text, as an ISO 639 code; "" when it
	// is not clear.
	Language(text string) string
	// In returns the analyzer of a language, given as a code or as a tag such
	// as "de-CH".
	In(language string) Analyzer
	// Among returns the analyzer for what is asked of documents that are in the given
	// languages, or in none that is known.
	Among(languages []string) Analyzer
}

// Languages analyses each text by its language: a document in the language that
// it says it is in, or in the one that its text looks to be in. A query is
// too short to tell; its words are looked for as each of the languages would have
// them. So it should be outermost: other analyzers go into it.
//
// A word of a query becomes as many terms as the languages have different stems of it. An
// index asks only in the languages that its documents are in, see [Languages.Among].
type Languages struct {
	By    map[string]Analyzer // by ISO 639 code
	Other Analyzer            // for all other texts; nil: Standard{}
}

var _ Localizer = (*Languages)(nil)

// NewLanguages makes Languages of Snowball's stems for the given codes, and words
// as they are for other languages.
func NewLanguages(codes ...string) (*Languages, error) {
	l := &Languages{By: map[string]Analyzer{}}
	for _, code := range codes {
		s, err := NewSnowball(code, nil)
		if err != nil {
			return nil, err
		}
		if len(code) != 2 {
			return nil, fmt.Errorf("analysis: %q is no ISO 639 code", code)
		}
		l.By[code] = s
	}
	return l, nil
}

// Language guesses the language of a text of some length: some 80 are known. Sesotho and
// Slovak are not among them; documents have to say that they are in these.
func (l *Languages) Language(text string) string { return lang.Detect(text) }

// In returns the analyzer of a language, Other where there is none.
func (l *Languages) In(tag string) Analyzer {
	if a := l.By[primary(tag)]; a != nil {
		return a
	}
	return wordsOr(l.Other)
}

// primary returns the code by which analyzers are found of a language, given as a code or a
// tag.
func primary(tag string) string {
	code, _, _ := strings.Cut(strings.ToLower(tag), "-")
	return lang.Macro(code)
}

// Among returns l with the given languages only.
func (l *Languages) Among(languages []string) Analyzer {
	some := &Languages{By: map[string]Analyzer{}, Other: l.Other}
	for _, tag := range languages {
		if a := l.By[primary(tag)]; a != nil {
			some.By[primary(tag)] = a
		}
	}
	return some
}

// newAuto makes the analyzer "auto": the stems of each language that has some, and English
// ones where the language of a text is not clear, which do little to others.
func newAuto() *Languages {
	auto := &Languages{By: map[string]Analyzer{"en": &English{}}, Other: &English{}}
	for _, s := range languages {
		if s.code != "en" {
			auto.By[s.code], _ = NewSnowball(s.code, nil)
		}
	}
	return auto
}

// Tokens yields the tokens of text in the language that it looks to be in.
func (l *Languages) Tokens(text string) iter.Seq[Token] {
	return l.In(l.Language(text)).Tokens(text)
}

// QueryTokens yields the tokens of all languages, for [Slots].
func (l *Languages) QueryTokens(text string) iter.Seq[Token] {
	var tokens []Token
	for _, a := range l.all() {
		tokens = slices.AppendSeq(tokens, queryTokens(a, text))
	}
	slices.SortStableFunc(tokens, func(a, b Token) int {
		return cmp.Or(a.Pos-b.Pos, a.Start-b.Start, a.End-b.End)
	})
	return slices.Values(tokens)
}

// all lists the analyzers of all languages.
func (l *Languages) all() []Analyzer {
	all := []Analyzer{wordsOr(l.Other)}
	for _, code := range slices.Sorted(maps.Keys(l.By)) {
		all = append(all, l.By[code])
	}
	return all
}

// Fold folds text as terms are.
func (l *Languages) Fold(text string) string { return Fold(wordsOr(l.Other), text) }
