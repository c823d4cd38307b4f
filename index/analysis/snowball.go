package analysis

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// snowball is a language that has an algorithm.
type snowball struct {
	code, name string
	stem       func(*snowballstem.Env) bool
}

func snowballs() []snowball {
	return []snowball{
		{"ar", "arabic", arabic.Stem}, {"da", "danish", danish.Stem}, {"nl", "dutch", dutch.Stem}, {"en", "english", english.Stem},
		{"fi", "finnish", finnish.Stem}, {"fr", "french", french.Stem}, {"de", "german", german.Stem}, {"hu", "hungarian", hungarian.Stem},
		{"ga", "irish", irish.Stem}, {"it", "italian", italian.Stem}, {"no", "norwegian", norwegian.Stem}, {"pt", "portuguese", portuguese.Stem},
		{"ro", "romanian", romanian.Stem}, {"ru", "russian", russian.Stem}, {"es", "spanish", spanish.Stem}, {"sv", "swedish", swedish.Stem},
		{"ta", "tamil", tamil.Stem}, {"tr", "turkish", turkish.Stem},
	}
}

// SnowballLanguages lists the languages that NewSnowball knows, by their ISO 639
// codes.
func SnowballLanguages() (codes []string) {
	for _, s := range snowballs() {
		codes = append(codes, s.code)
	}
	return codes
}

// Snowball reduces the words of a language to their stems, by the algorithms of
// the Snowball project, and folds the stems as [Standard] does: French
// "continuellement" and "continuelle" are "continuel", German "Häuser" and
// "Häusern" are "haus". Words with digits stay as they are. It is safe for
// concurrent use.
type Snowball struct {
	words    Analyzer
	stem     func(*snowballstem.Env) bool
	stemmers sync.Pool // of *stemmer
}

// NewSnowball makes an analyzer of a language, by its ISO 639 code or English
// name, such as "de" or "german". Words finds the words to stem; they should keep
// their diacritics, which matter to the algorithms. Nil: Standard{KeepMarks: true}.
func NewSnowball(language string, words Analyzer) (*Snowball, error) {
	all := snowballs()
	i := slices.IndexFunc(all, func(s snowball) bool { return s.code == language || s.name == language })
	if i < 0 {
		return nil, fmt.Errorf("analysis: no stems in language %q", language)
	}
	if words == nil {
		words = Standard{KeepMarks: true}
	}
	return &Snowball{words: words, stem: all[i].stem}, nil
}

// Tokens yields the stems of the words of text.
func (s *Snowball) Tokens(text string) iter.Seq[Token] { return s.stemmed(s.words.Tokens(text)) }

// QueryTokens does so for a query.
func (s *Snowball) QueryTokens(text string) iter.Seq[Token] {
	return s.stemmed(queryTokens(s.words, text))
}

func (s *Snowball) stemmed(tokens iter.Seq[Token]) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		st, ok := s.stemmers.Get().(*stemmer)
		if !ok {
			st = &stemmer{env: snowballstem.NewEnv(""), known: map[string]string{}, algorithm: s.stem, accepts: isWord, fold: Standard{}.Fold}
		}
		defer s.stemmers.Put(st)
		for t := range tokens {
			t.Text = st.stem(t.Text)
			if !yield(t) {
				return
			}
		}
	}
}

// Fold folds text as terms are.
func (s *Snowball) Fold(text string) string { return Standard{}.Fold(text) }

// isWord reports whether s is short and has only letters, marks and apostrophes.
func isWord(s string) bool {
	return len(s) <= 128 && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' }) < 0
}
