// Package suggest completes what somebody types into a search box, and offers a
// better spelling of a query that finds little. Its words are those of an index, so it
// suggests nothing that cannot be found, and learns what is committed.
//
// A [Suggester] needs a field whose terms are whole words, as people write them. A
// stemmed field has none: it would suggest "astronomi". The usual way is a Keyword
// field of its own, filled by [Words]:
//
//	schema := index.Schema{
//		{Name: "body", Analyzer: "english", Stored: true},
//		{Name: "word", Kind: index.Keyword},
//	}
//	doc := index.Document{Key: url, Fields: []index.Field{
//		{Name: "body", Value: text},
//		{Name: "word", Value: suggest.Words(text)},
//	}}
//
// Package index/serve shows what it suggests on a search page.
package suggest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/webquarry/quarry/fuzzy"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
)

// Suggester suggests words of an index. Set its fields before the first call; its
// methods may then be called by many goroutines.
//
// It holds all words in memory, some 75 bytes each. They are read anew when documents
// have been committed since, but no more than a twentieth of the time is spent on
// that: where reading takes 0.1 s, suggestions are two seconds late at most. One
// caller at a time reads; the others go on with what was read before.
type Suggester struct {
	Index *index.Index
	Field string // whose terms are suggested

	// Query reads a query as the search does that suggestions are for. Nil:
	// query.ParseLenient, without fields.
	Query func(text string) query.Query

	// Few is up to how many hits a query may be misspelt; 0: 5; negative: none, nothing is corrected.
	Few int

	reading sync.Mutex // held by the caller that reads the words
	words   atomic.Pointer[vocabulary]
}

// vocabulary is what was read.
type vocabulary struct {
	words      *fuzzy.QGrams
	generation uint64
	at         time.Time
	took       time.Duration
}

// Completion is a way to go on with what was typed.
type Completion struct {
	Text string `json:"text"` // the whole query, its last word completed
	Word string `json:"word"` // that word
	Docs int    `json:"docs"` // documents that match Text, or hold Word where Text is only that
}

// candidates is how many words are tried behind the words before them.
const candidates = 32

// Complete completes the last word of what was typed, in at most limit ways, those
// with most documents first. Where it is the only word, these are the documents that
// hold it; else those that the whole query matches, and a completion that none matches
// is left out. Where fewer words begin like that than are wanted, those follow that
// begin with something within a typing error or two.
//
// Nothing is completed within quotes, nor behind a space, nor what is more than a
// word: the value of a field (site:x), a pattern, what is excluded (-x). It costs a
// look-up, and behind other words up to 32 counts of matches.
func (s *Suggester) Complete(ctx context.Context, typed string, limit int) ([]Completion, error) {
	before, last := lastWord(typed)
	prefix := normal(last)
	if prefix == "" || limit <= 0 {
		return nil, nil
	}
	snap, err := s.Index.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	words, err := s.vocabulary(ctx, snap)
	if err != nil {
		return nil, err
	}
	alone := strings.TrimLeft(before, " +(") == ""
	most := limit
	if !alone {
		most = max(limit, candidates)
	}
	matches := words.Complete(prefix, 0, most)
	if len(matches) < limit {
		matches = words.Complete(prefix, fuzzy.AutoDistance(prefix), most)
	}
	var out []Completion
	for _, m := range matches {
		c := Completion{Text: before + m.Text, Word: m.Text, Docs: int(m.Weight)}
		if !alone {
			if c.Docs, err = s.count(ctx, snap, c.Text); err != nil {
				return nil, err
			}
		}
		if c.Docs > 0 {
			out = append(out, c)
		}
	}
	if !alone {
		slices.SortStableFunc(out, func(a, b Completion) int { return cmp.Compare(b.Docs, a.Docs) })
	}
	return out[:min(len(out), limit)], nil
}

// normal writes a word as the terms of an index are written.
func normal(word string) string {
	if slots := analysis.Slots(analysis.Standard{}, word); len(slots) == 1 {
		return slots[0].Terms[0]
	}
	return fuzzy.Fold(word)
}

// lastWord cuts what was typed into the word that is being typed and all before it.
// The word is empty when there is none to complete.
func lastWord(typed string) (before, word string) {
	if strings.Count(typed, `"`)%2 == 1 {
		return typed, ""
	}
	at := strings.LastIndexFunc(typed, unicode.IsSpace)
	if at >= 0 {
		_, size := utf8.DecodeRuneInString(typed[at:])
		at += size
	} else {
		at = 0
	}
	at += len(typed[at:]) - len(strings.TrimLeft(typed[at:], "+("))
	if strings.ContainsFunc(typed[at:], func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '\'' && r != '’'
	}) {
		return typed, ""
	}
	return typed[:at], typed[at:]
}

// DidYouMean gives a better way to write a query that has so many hits, or false when
// there is none: one that has more. A query with more than Few hits is taken for what
// was meant. Words in quotes, values of fields and what is excluded are left as they
// are, see [fuzzy.Speller]. It counts the hits of up to two other queries.
func (s *Suggester) DidYouMean(ctx context.Context, text string, hits int) (better string, ok bool, err error) {
	if hits > cmp.Or(s.Few, 5) || strings.TrimSpace(text) == "" {
		return "", false, nil
	}
	snap, err := s.Index.Snapshot()
	if err != nil {
		return "", false, err
	}
	defer snap.Close()
	words, err := s.vocabulary(ctx, snap)
	if err != nil {
		return "", false, err
	}
	better, ok = fuzzy.Speller{Words: words, Normal: normal}.Correct(text, func(query string) int {
		if query == text {
			return hits
		}
		n, failed := s.count(ctx, snap, query)
		if failed != nil {
			err = failed
		}
		return n
	})
	if err != nil {
		return "", false, err
	}
	return better, ok, nil
}

func (s *Suggester) count(ctx context.Context, snap *index.Snapshot, text string) (int, error) {
	read := s.Query
	if read == nil {
		read = func(text string) query.Query {
			q, _ := query.ParseLenient(text, query.ParseOptions{Operator: query.AllWords})
			return q
		}
	}
	res, err := snap.Search(ctx, read(text), index.SearchOptions{Limit: -1})
	if err != nil {
		return 0, err
	}
	return res.Total.Value, nil
}

// vocabulary returns the words of a snapshot, or those read lately.
func (s *Suggester) vocabulary(ctx context.Context, snap *index.Snapshot) (*fuzzy.QGrams, error) {
	now := s.words.Load()
	if now != nil {
		const share = 20
		if now.generation == snap.Generation() || time.Since(now.at) < share*now.took || !s.reading.TryLock() {
			return now.words, nil
		}
	} else {
		s.reading.Lock()
		if now = s.words.Load(); now != nil { // read by another caller meanwhile
			s.reading.Unlock()
			return now.words, nil
		}
	}
	defer s.reading.Unlock()
	start := time.Now()
	terms := snap.Terms(ctx, s.Field, index.TermOptions{})
	words := fuzzy.New(terms.All())
	if err := terms.Err(); err != nil {
		return nil, err
	}
	s.words.Store(&vocabulary{words, snap.Generation(), time.Now(), time.Since(start)})
	return words, nil
}

// Words that are suggested: letters only, not too short to be told apart, not too long
// to be typed.
const (
	shortestWord = 3  // letters
	longestWord  = 30 // letters
)

// Words lists the different words of some texts in ascending order, in the form in
// which they are suggested: lower case, without accents. Numbers, words with digits or
// signs in them, and those of fewer than 3 or more than 30 letters are left out.
func Words(texts ...string) []string {
	var list []string
	for _, text := range texts {
		for _, slot := range analysis.Slots(analysis.Standard{}, text) {
			for _, term := range slot.Terms {
				if isWord(term) {
					list = append(list, term)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func isWord(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= shortestWord && n <= longestWord && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}
