package analysis

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/webquarry/quarry/index/internal/snowball"
)

// languageName names a language that has a stemming algorithm: its ISO 639
// code and its name in English, which is that of the algorithm.
type languageName struct{ code, name string }

var languages = []languageName{
	{"ar", "arabic"}, {"hy", "armenian"}, {"eu", "basque"}, {"bg", "bulgarian"}, {"ca", "catalan"}, {"cs", "czech"}, {"da", "danish"}, {"nl", "dutch"},
	{"en", "english"}, {"eo", "esperanto"}, {"et", "estonian"}, {"fi", "finnish"}, {"fr", "french"}, {"de", "german"}, {"el", "greek"},
	{"hi", "hindi"}, {"hu", "hungarian"}, {"id", "indonesian"}, {"ga", "irish"}, {"it", "italian"}, {"lt", "lithuanian"},
	{"ne", "nepali"}, {"no", "norwegian"}, {"fa", "persian"}, {"pl", "polish"}, {"pt", "portuguese"}, {"ro", "romanian"},
	{"ru", "russian"}, {"sr", "serbian"}, {"st", "sesotho"}, {"es", "spanish"}, {"sv", "swedish"}, {"ta", "tamil"}, {"tr", "turkish"},
	{"yi", "yiddish"},
}

// SnowballLanguages lists the languages that NewSnowball knows, by their ISO 639
// codes.
func SnowballLanguages() (codes []string) {
	for _, s := range languages {
		codes = append(codes, s.code)
	}
	return codes
}

// Snowball reduces the words of a language to their stems, by the algorithms of
// the Snowball project: French "continuellement" and "continuelle" are "continuel",
// German "Häuser" and "Häusern" are "haus". Bulgarian, of which that has none, has the
// light stemmer of Jacques Savoy. Words are folded as [Standard] does
// before, and the algorithms look for endings without accents: "educación",
// "educacion" and "educaciones" are one term. Words with digits stay as they are. It
// is safe for concurrent use.
type Snowball struct {
	words     Analyzer
	algorithm string
	stemmers  sync.Pool // of *stemmer
}

// NewSnowball makes an analyzer of a language, by its ISO 639 code or English
// name, such as "de" or "german", or by an older algorithm, "porter" or
// "dutch_porter". Words finds the words to stem; nil: Standard{}.
func NewSnowball(language string, words Analyzer) (*Snowball, error) {
	i := slices.IndexFunc(languages, func(l languageName) bool { return l.code == language || l.name == language })
	if i >= 0 {
		language = languages[i].name
	} else if snowball.New(language) == nil {
		return nil, fmt.Errorf("analysis: no stems in language %q", language)
	}
	if words == nil {
		words = Standard{language: ownRules[language]}
	}
	return &Snowball{words: words, algorithm: language}, nil
}

// ownRules are those for the words of a language.
var ownRules = map[string]language{"catalan": catalan, "turkish": turkish}

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
			st = &stemmer{known: map[string]string{}, accepts: isWord, fold: Standard{}.Fold}
			if s.algorithm == "bulgarian" {
				st.algorithm = bulgarian{}
			} else {
				st.algorithm = snowball.NewPlain(s.algorithm)
			}
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
