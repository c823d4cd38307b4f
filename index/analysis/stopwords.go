package analysis

import (
	"iter"

	"github.com/webquarry/quarry/internal/lang"
)

// StopWords leaves words out, and keeps the places where they stood: with "the"
// and "of" left out, the phrase "soup of the day" still asks for a word between
// "soup" and "day" that is two places away.
//
// Nothing else in Quarry leaves words out: common words cost little, and "to be
// or not to be" is a question. Where stems are wanted too, words are left out
// before:
//
//	&analysis.English{Words: analysis.NewStopWords(nil, analysis.EnglishStopWords()...)}
type StopWords struct {
	words Analyzer
	stop  map[string]bool
}

// NewStopWords makes an analyzer that yields the tokens of a (nil: Standard{})
// but for those that stop becomes when analysed by a.
func NewStopWords(a Analyzer, stop ...string) *StopWords {
	s := &StopWords{words: wordsOr(a), stop: make(map[string]bool, len(stop))}
	for _, word := range stop {
		for t := range s.words.Tokens(word) {
			s.stop[t.Text] = true
		}
	}
	return s
}

// Tokens yields the tokens of text that are no stop words.
func (s *StopWords) Tokens(text string) iter.Seq[Token] { return s.kept(s.words.Tokens(text)) }

// QueryTokens does so for a query.
func (s *StopWords) QueryTokens(text string) iter.Seq[Token] {
	return s.kept(queryTokens(s.words, text))
}

func (s *StopWords) kept(tokens iter.Seq[Token]) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for t := range tokens {
			if !s.stop[t.Text] && !yield(t) {
				return
			}
		}
	}
}

// EnglishStopWords returns the English stop words of the Snowball project
// (BSD licence, see internal/lang/english.txt).
func EnglishStopWords() []string { return lang.StopWords("en") }

// StopWordsOf returns the stop words of a language, by its ISO 639 code or
// English name; nil where there are none. They are those of the Snowball project, for
// Danish, Dutch, English, Finnish, French, German, Hungarian, Indonesian, Irish, Italian,
// Norwegian, Portuguese, Russian, Sesotho, Spanish and Swedish, or of the stopwords-iso
// project, for Arabic, Armenian, Basque, Bulgarian, Catalan, Czech, Esperanto, Estonian,
// Greek, Hindi, Lithuanian, Persian, Polish, Romanian and Turkish. Lists of the latter are
// long: look at one before you leave its words out.
func StopWordsOf(name string) []string { return lang.StopWords(name) }
