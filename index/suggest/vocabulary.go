package suggest

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/webquarry/quarry/fuzzy"
	"github.com/webquarry/quarry/index"
)

// vocabulary is what was read of an index.
type vocabulary struct {
	speller fuzzy.Speller
	starts  *fuzzy.Completer  // of folded words
	titles  *fuzzy.Completer  // nil: there are none
	forms   map[string]string // how folded words are written, where that differs

	counts     map[string]int // documents with each title, to find what has changed
	generation uint64
	at         time.Time
	took       time.Duration
}

// written is how people write a word of the vocabulary.
func (v *vocabulary) written(word string) string {
	if form, ok := v.forms[word]; ok {
		return form
	}
	return word
}

// share is how many times longer than reading took it is not read again.
const share = 20

// vocabulary returns that of a snapshot, or the one that was read lately.
func (s *Suggester) vocabulary(ctx context.Context, snap *index.Snapshot) (*vocabulary, error) {
	now := s.current.Load()
	if now != nil {
		if now.generation == snap.Generation() || time.Since(now.at) < share*now.took || !s.reading.TryLock() {
			return now, nil
		}
	} else {
		s.reading.Lock()
		if now = s.current.Load(); now != nil { // read by another caller meanwhile
			s.reading.Unlock()
			return now, nil
		}
	}
	defer s.reading.Unlock()
	start := time.Now()
	v, err := s.read(ctx, snap, now)
	if err != nil {
		return nil, err
	}
	v.generation, v.at, v.took = snap.Generation(), time.Now(), time.Since(start)
	s.current.Store(v)
	return v, nil
}

// read reads the vocabulary of a snapshot; before is the one that was read last, or nil.
func (s *Suggester) read(ctx context.Context, snap *index.Snapshot, before *vocabulary) (*vocabulary, error) {
	v := &vocabulary{forms: map[string]string{}}
	words, most := map[string]int{}, map[string]int{}
	terms := snap.Terms(ctx, s.Field, index.TermOptions{})
	for term, docs := range terms.All() {
		word := normal(term)
		words[word] = max(words[word], docs)
		if docs >= most[word] { // small letters come last
			most[word] = docs
			if delete(v.forms, word); term != word {
				v.forms[word] = term
			}
		}
	}
	if err := terms.Err(); err != nil {
		return nil, err
	}
	if err := s.readTitles(ctx, snap, v, before); err != nil {
		return nil, err
	}
	v.starts = fuzzy.NewCompleter(entries(words))
	v.speller = fuzzy.Speller{Words: fuzzy.New(maps.All(words)), Costs: s.Costs, Normal: normal, Written: v.written}
	sound, err := s.sound(snap)
	if err != nil {
		return nil, err
	}
	if sound != nil {
		v.speller.Sounds = fuzzy.NewSounds(v.speller.Words, sound)
	}
	if s.Costs == nil && s.Sound == nil && sound != nil {
		v.speller.Costs = fuzzy.EnglishCosts()
	}
	if s.Pairs == "" {
		return v, nil
	}
	pairs := snap.Terms(ctx, s.Pairs, index.TermOptions{})
	v.speller.Pairs = fuzzy.NewPairs(func(yield func([2]string, int) bool) {
		for pair, docs := range pairs.All() {
			if a, b, ok := strings.Cut(pair, " "); ok && docs > 1 && !yield([2]string{a, b}, docs) {
				return
			}
		}
	})
	return v, pairs.Err()
}

// sound is what tells that words sound alike, or nil.
func (s *Suggester) sound(snap *index.Snapshot) (func(string) string, error) {
	if s.Sound != nil {
		return s.Sound, nil
	}
	languages, err := snap.Languages()
	if err != nil {
		return nil, err
	}
	if len(languages) == 0 || slices.Contains(languages, "en") {
		return fuzzy.EnglishSound, nil
	}
	return nil, nil
}

// readTitles reads titles, as changes of those that were read before.
func (s *Suggester) readTitles(ctx context.Context, snap *index.Snapshot, v, before *vocabulary) error {
	if s.Titles == "" {
		return nil
	}
	v.counts = map[string]int{}
	terms := snap.Terms(ctx, s.Titles, index.TermOptions{})
	for title, docs := range terms.All() {
		v.counts[title] = docs
	}
	if err := terms.Err(); err != nil {
		return err
	}
	if before == nil {
		v.titles = fuzzy.NewCompleter(entries(v.counts))
		return nil
	}
	v.titles = before.titles
	changed := map[string]int{}
	for title, docs := range v.counts {
		if before.counts[title] != docs {
			changed[title] = docs
		}
	}
	v.titles.Add(entries(changed))
	for title := range before.counts {
		if _, stays := v.counts[title]; !stays {
			v.titles.Remove(title)
		}
	}
	return nil
}

func entries(docs map[string]int) iter.Seq[fuzzy.Entry] {
	return func(yield func(fuzzy.Entry) bool) {
		for text, n := range docs {
			if !yield(fuzzy.Entry{Text: text, Weight: float64(n)}) {
				return
			}
		}
	}
}
