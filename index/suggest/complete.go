package suggest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/webquarry/quarry/fuzzy"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
)

// Completion is a way to go on with what was typed.
type Completion struct {
	Text  string `json:"text"`            // the whole query, its last word completed, or a title
	Word  string `json:"word"`            // that word; "" for a title
	Docs  int    `json:"docs"`            // documents that match Text, or hold Word where Text is only that, or have the title
	Title bool   `json:"title,omitempty"` // Text is a title
}

// Options says what is suggested.
type Options struct {
	Limit  int         // completions at most; 0: 8, negative: none
	Filter query.Query // only what documents have that match it, which are counted then; nil: all
	Hits   int         // how many hits a query to correct has; 0: they are counted
}

// candidates is how many completions are counted where counting is needed.
const candidates = 32

// Suggest goes on with what was typed: it completes the last word, those with most
// documents first, and offers titles that begin with what was typed or have it inside at the
// beginning of a word, up to half of all. Where the word is the only one, its documents
// are those that hold it; else those that the whole query matches, and a completion that none
// matches is left out. Where fewer words begin like that than are wanted, those follow
// that begin with something within a typing error behind the first letter.
//
// No word is completed within quotes, nor behind a space, nor what is more than a
// word: the value of a field (site:x), a pattern, what is excluded (-x). Nothing typed
// has no completion. It costs a look-up, and behind other words, and with a filter, up to 32
// counts of matches.
func (s *Suggester) Suggest(ctx context.Context, typed string, opt Options) ([]Completion, error) {
	limit := cmp.Or(opt.Limit, 8)
	if limit < 0 || strings.TrimSpace(typed) == "" {
		return nil, nil
	}
	snap, err := s.Index.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	v, err := s.vocabulary(ctx, snap)
	if err != nil {
		return nil, err
	}
	titles, err := s.titles(ctx, snap, v, typed, limit, opt.Filter)
	if err != nil {
		return nil, err
	}
	words, err := s.words(ctx, snap, v, typed, limit, opt.Filter)
	if err != nil {
		return nil, err
	}
	titles = slices.DeleteFunc(titles, func(t Completion) bool {
		return slices.ContainsFunc(words, func(w Completion) bool { return fuzzy.Fold(w.Text) == fuzzy.Fold(t.Text) })
	})
	words = words[:min(len(words), max(limit-len(titles), (limit+1)/2))]
	return append(words, titles[:min(len(titles), limit-len(words))]...), nil
}

// words completes the last word.
func (s *Suggester) words(ctx context.Context, snap *index.Snapshot, v *vocabulary, typed string, limit int, filter query.Query) ([]Completion, error) {
	before, last := lastWord(typed)
	prefix := normal(last)
	if prefix == "" {
		return nil, nil
	}
	alone := strings.TrimLeft(before, " +(") == ""
	counted := !alone || filter != nil
	most := limit
	if counted {
		most = max(limit, candidates)
	}
	var out []Completion
	for _, m := range v.starts.Complete(prefix, fuzzy.CompleteOptions{Limit: most, Prefix: true}) {
		word := v.written(m.Text)
		c := Completion{Text: before + word, Word: word, Docs: int(m.Weight)}
		if counted {
			var err error
			if c.Docs, err = count(ctx, snap, s.parse(c.Text), filter); err != nil {
				return nil, err
			}
		}
		if c.Docs > 0 {
			out = append(out, c)
		}
	}
	if counted {
		slices.SortStableFunc(out, func(a, b Completion) int { return cmp.Compare(b.Docs, a.Docs) })
	}
	return out[:min(len(out), limit)], nil
}

// titles offers titles.
func (s *Suggester) titles(ctx context.Context, snap *index.Snapshot, v *vocabulary, typed string, limit int, filter query.Query) ([]Completion, error) {
	if v.titles == nil || strings.Count(typed, `"`)%2 == 1 {
		return nil, nil
	}
	most := limit
	if filter != nil {
		most = max(limit, candidates)
	}
	var out []Completion
	for _, m := range v.titles.Complete(typed, fuzzy.CompleteOptions{Limit: most}) {
		c := Completion{Text: m.Text, Docs: int(m.Weight), Title: true}
		if filter != nil {
			var err error
			if c.Docs, err = count(ctx, snap, query.Term{Field: s.Titles, Text: m.Text}, filter); err != nil {
				return nil, err
			}
		}
		if c.Docs > 0 && len(out) < limit {
			out = append(out, c)
		}
	}
	return out, nil
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
