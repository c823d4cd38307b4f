package analysis

import (
	"iter"
	"strings"
	"sync"

	"github.com/webquarry/quarry/index/internal/snowball"
)

// English reduces English words to their stems, by the Snowball algorithm:
// "connected", "connecting" and "connections" are all "connect". Words that are
// not plain ASCII letters stay as they are. Use it by pointer; the zero value
// is ready, and safe for concurrent use.
type English struct {
	Words Analyzer // finds the words to stem; nil: Standard{}

	stemmers sync.Pool // of *stemmer
}

// Tokens yields the stems of the words of text.
func (e *English) Tokens(text string) iter.Seq[Token] {
	return e.stemmed(wordsOr(e.Words).Tokens(text))
}

// QueryTokens does so for a query.
func (e *English) QueryTokens(text string) iter.Seq[Token] {
	return e.stemmed(queryTokens(wordsOr(e.Words), text))
}

func (e *English) stemmed(tokens iter.Seq[Token]) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		s, ok := e.stemmers.Get().(*stemmer)
		if !ok {
			s = newStemmer()
		}
		defer e.stemmers.Put(s)
		for t := range tokens {
			t.Text = s.stem(t.Text)
			if !yield(t) {
				return
			}
		}
	}
}

func wordsOr(a Analyzer) Analyzer {
	if a == nil {
		return Standard{}
	}
	return a
}

// stemmer remembers the stems of the words it has met: a text repeats them,
// and the algorithm costs some ten times a look-up.
type stemmer struct {
	algorithm interface{ Stem(word string) string }
	known     map[string]string
	accepts   func(string) bool   // which words to stem
	fold      func(string) string // what to do with words and stems; nil: nothing
}

func newStemmer() *stemmer {
	return &stemmer{algorithm: snowball.New("english"), known: map[string]string{}, accepts: stemmable}
}

// maxKnown bounds what a stemmer remembers, to some ten megabytes. It holds the
// vocabulary of thousands of pages: forgetting all too early costs more.
const maxKnown = 1 << 17

func (s *stemmer) stem(word string) string {
	if s.fold == nil && (len(word) < 3 || !s.accepts(word)) {
		return word
	}
	stem, ok := s.known[word]
	if ok {
		return stem
	}
	word = strings.Clone(word) // not to keep its text in memory
	stem = word
	if s.fold != nil {
		stem = s.fold(stem)
	}
	if len(word) >= 3 && s.accepts(word) {
		stem = s.algorithm.Stem(stem)
	}
	if s.fold != nil {
		stem = s.fold(stem)
	}
	if stem == "" {
		stem = word
	}
	if len(s.known) >= maxKnown {
		clear(s.known)
	}
	s.known[word] = stem
	return stem
}

func stemmable(word string) bool {
	for i := range len(word) {
		if c := word[i]; byteClass[c]&(wordByte|digitByte|upperByte) != wordByte && c != '\'' {
			return false
		}
	}
	return len(word) <= 64
}
