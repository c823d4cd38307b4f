package fuzzy

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Names finds names, titles and addresses that are alike, whatever the order of their
// words: "paper mega" finds "Mega Paper Ltd". It compares folded text without
// punctuation, and misses nothing that is as alike as is asked for.
//
// It takes some 300 bytes for each name of 20 letters. All its methods may be called by
// many goroutines at once; those that look do not wait for those that change it. The
// zero value is empty and ready for use.
type Names struct{ layers[*nameLayer] }

// Measure says when names are alike. All measures are from 0 to 1.
type Measure int

const (
	// MeasureTrigrams is what [Trigrams] says: the share of the pieces of three
	// characters of both that both have, as in pg_trgm.
	MeasureTrigrams Measure = iota

	// MeasureContained is the share of the pieces of what is looked for that the name
	// has, so that the name may have more words.
	MeasureContained

	// MeasureTokens is what [TokenSet] says: 1 where one has all words of the other,
	// however many more words that has.
	MeasureTokens
)

// defaultThresholds are those of names that are worth a look.
var defaultThresholds = [...]float64{MeasureTrigrams: 0.3, MeasureContained: 0.6, MeasureTokens: 0.9}

// SimilarOptions says what is found.
type SimilarOptions struct {
	Measure   Measure
	Threshold float64                   // at least so much alike; 0: 0.3 for trigrams, 0.6 contained, 0.9 for tokens
	Limit     int                       // names at most; 0: 10, negative: all
	Filter    func(payload uint64) bool // nil: all
}

func (o SimilarOptions) threshold() float64 {
	if o.Threshold == 0 && o.Measure >= 0 && int(o.Measure) < len(defaultThresholds) {
		return defaultThresholds[o.Measure]
	}
	return o.Threshold
}

// Similar is a name that is like another.
type Similar struct {
	Entry
	Similarity float64
}

// NewNames makes Names of entries. Of entries with the same text the last counts.
func NewNames(entries iter.Seq[Entry]) *Names {
	n := new(Names)
	n.Add(entries)
	return n
}

// Add adds names. Those with the text of one that is there take its place. Adding many
// at once is cheaper than one by one.
func (n *Names) Add(entries iter.Seq[Entry]) { n.add(entries, newNameLayer) }

// Remove takes away the name with that text, and reports whether there was one.
func (n *Names) Remove(text string) bool { return n.remove(text, newNameLayer) }

// All gives the entries, in no certain order.
func (n *Names) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, l := range n.load() {
			for _, e := range l.all() {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Match finds the names that are like text: the likest first, then the heaviest, then
// in alphabetical order. It looks only at names that share enough with text; with low
// thresholds of MeasureTokens, below some 0.85, these are all of about its length.
func (n *Names) Match(text string, opt SimilarOptions) []Similar {
	limit := cmp.Or(opt.Limit, 10)
	var found []Similar
	s := searches.Get().(*nameSearch)
	defer searches.Put(s)
	s.compile(text)
	for _, l := range n.load() {
		found = s.run(l, opt, found)
	}
	order := func(a, b Similar) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Text, b.Text))
	}
	if limit > 0 && limit < len(found) {
		return slices.Clone(best(found, limit, order))
	}
	slices.SortFunc(found, order)
	return found
}

// Join finds, for each of the names, those of others that are like it, as Match does:
// two lists of customers are matched so. The time is that of so many searches, far less
// than comparing all with all. Joined with itself each name finds itself, too, and
// each pair comes twice. Names without a match are not given.
func (n *Names) Join(others *Names, opt SimilarOptions) iter.Seq2[Entry, []Similar] {
	return func(yield func(Entry, []Similar) bool) {
		for e := range n.All() {
			if found := others.Match(e.Text, opt); len(found) > 0 && !yield(e, found) {
				return
			}
		}
	}
}

var searches = sync.Pool{New: func() any { return new(nameSearch) }}

// nameSearch is one search, with what is worth keeping for the next.
type nameSearch struct {
	grams  []gram
	tokens []string // in order, each once
	runes  int      // of the tokens joined by blanks

	numbers []uint32 // of grams, in a layer
	lists   [][]uint32
	counts  []uint16
	common  []uint16 // runes of the common words of each name; all 0 between searches
	touched []uint32
}

func (s *nameSearch) compile(text string) {
	key := nameKey(text)
	s.grams = wordGrams(s.grams[:0], key)
	s.tokens = slices.Compact(sortedTokens(key))
	s.runes = joinedRunes(s.tokens)
}

// nameKey is how names are compared.
func nameKey(text string) string { return strings.TrimSuffix(completionKey(text), " ") }

// joinedRunes is the length of words joined by blanks.
func joinedRunes(words []string) int {
	n := max(len(words)-1, 0)
	for _, w := range words {
		n += utf8.RuneCountInString(w)
	}
	return n
}

// run adds the names of a layer that are like what is looked for.
func (s *nameSearch) run(l *nameLayer, opt SimilarOptions, found []Similar) []Similar {
	t := opt.threshold()
	take := func(i int, similarity float64) {
		if e := l.entries[i]; similarity >= t && !l.isGone(i) && (opt.Filter == nil || opt.Filter(e.Payload)) {
			found = append(found, Similar{e, similarity})
		}
	}
	n := len(s.grams)
	switch opt.Measure {
	case MeasureTrigrams:
		// A name with m pieces shares at least t·(n+m)/(1+t) of them, and m is from t·n to n/t.
		lo, hi := l.sized(ceil(t*float64(n)), floor(float64(n)/max(t, 1e-9)))
		s.share(l, lo, hi, ceil(t*float64(n)), func(i, both int) {
			if n > 0 {
				take(i, jaccard(n, l.gramCount(i), both))
			}
		})
	case MeasureContained:
		lo, hi := l.sized(ceil(t*float64(n)), math.MaxInt)
		s.share(l, lo, hi, ceil(t*float64(n)), func(i, both int) {
			if n > 0 {
				take(i, float64(both)/float64(n))
			}
		})
	case MeasureTokens:
		s.byTokens(l, t, take)
	}
	return found
}

// ceil and floor allow for what is lost by floating point, on the side that misses
// nothing.
func ceil(x float64) int { return int(math.Ceil(min(x-1e-9, 1e9))) }

func floor(x float64) int { return int(math.Floor(min(x+1e-9, 1e9))) }

// share calls f for the names from lo to hi that share at least need pieces, and
// perhaps some others, with how many they share.
func (s *nameSearch) share(l *nameLayer, lo, hi, need int, f func(i, both int)) {
	s.lists, s.numbers = s.lists[:0], s.numbers[:0]
	for _, g := range s.grams {
		number, found := slices.BinarySearch(l.grams.grams, g)
		if !found {
			continue
		}
		s.numbers = append(s.numbers, uint32(number))
		if list := l.grams.within(number, lo, hi); len(list) > 0 {
			s.lists = append(s.lists, list)
		}
	}
	if need < 1 {
		for i := lo; i < hi; i++ {
			f(i, l.sharedGrams(i, s.numbers))
		}
		return
	}
	if len(s.lists) < need {
		return
	}
	// A name that stands in need of the lists stands in need-skip of those that are left
	// when the skip longest are not read.
	slices.SortFunc(s.lists, func(a, b []uint32) int { return cmp.Compare(len(a), len(b)) })
	skip := need * 2 / 3
	least := uint16(min(need-skip, math.MaxUint16))
	s.counts = slices.Grow(s.counts[:0], hi-lo)[:hi-lo]
	clear(s.counts)
	for _, list := range s.lists[:len(s.lists)-skip] {
		for _, i := range list {
			c := &s.counts[int(i)-lo]
			if *c == least {
				continue
			}
			if *c++; *c == least {
				f(int(i), l.sharedGrams(int(i), s.numbers))
			}
		}
	}
}

// byTokens takes the names whose words are like those that are looked for. A name is
// alike because the common words are most of one of both, which the lists of words
// tell, or because the whole is, and then it differs by few runes to put in or take
// out, each of which spoils three pieces at most.
func (s *nameSearch) byTokens(l *nameLayer, t float64, take func(i int, similarity float64)) {
	if len(s.tokens) == 0 {
		return
	}
	if t <= 0 {
		for i := range l.entries {
			take(i, tokenSet(s.tokens, l.tokensOf(i)))
		}
		return
	}
	if len(s.common) < len(l.entries) {
		s.common = make([]uint16, len(l.entries))
	}
	s.touched = s.touched[:0]
	for _, token := range s.tokens {
		size := uint16(min(utf8.RuneCountInString(token)+1, math.MaxUint16/2))
		for _, i := range l.withToken(token) {
			if s.common[i] == 0 {
				s.touched = append(s.touched, i)
			}
			s.common[i] = min(s.common[i], math.MaxUint16/2) + size // with a blank behind each
		}
	}
	const taken = math.MaxUint16
	for _, i := range s.touched {
		// The common words alone, beside all words of either.
		common, shorter := float64(s.common[i])-1, float64(min(s.runes, int(l.runes[i])))
		s.common[i] = 0
		if common >= shorter || 2*common/(common+shorter) >= t-1e-9 {
			take(int(i), tokenSet(s.tokens, l.tokensOf(int(i))))
			s.common[i] = taken
		}
	}
	longest := floor(float64(s.runes) * (2 - t) / t)
	spoilt := 3 * floor((1-t)*float64(s.runes+longest))
	s.share(l, 0, len(l.entries), len(s.grams)-spoilt, func(i, both int) {
		runes := s.runes + int(l.runes[i])
		if s.common[i] == taken || float64(2*min(s.runes, int(l.runes[i]))) < (t-1e-9)*float64(runes) {
			return
		}
		if both >= max(len(s.grams), l.gramCount(i))-3*floor((1-t)*float64(runes)) {
			take(i, tokenSet(s.tokens, l.tokensOf(i)))
		}
	})
	for _, i := range s.touched {
		s.common[i] = 0
	}
}
