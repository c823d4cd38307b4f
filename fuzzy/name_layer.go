package fuzzy

import (
	"cmp"
	"iter"
	"slices"
	"sort"
)

// A nameLayer holds some of the entries of Names, in order of how many pieces they
// have.
type nameLayer struct {
	entryList
	byText []uint32 // numbers in order of text
	sizes  []int    // names with n pieces are sizes[n] to sizes[n+1]
	grams  inverted

	own     []uint32 // numbers of the pieces of each name, ascending
	ownEnds []uint32 // those of name i end at ownEnds[i]

	tokens     []string // all words, in order
	tokenEnds  []uint32 // names with word i are tokenNames[tokenEnds[i-1]:tokenEnds[i]]
	tokenNames []uint32
	words      []uint32 // numbers of the words of each name, ascending
	wordEnds   []uint32
	runes      []uint32 // of the words of each name, joined by blanks
}

func newNameLayer(entries []Entry) *nameLayer {
	type keyed struct {
		Entry
		grams  []gram
		tokens []string
	}
	list := make([]keyed, len(entries))
	for i, e := range entries {
		key := nameKey(e.Text)
		list[i] = keyed{e, wordGrams(nil, key), slices.Compact(sortedTokens(key))}
	}
	slices.SortStableFunc(list, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(len(a.grams), len(b.grams)), cmp.Compare(a.Text, b.Text))
	})
	l := &nameLayer{}
	l.entries = make([]Entry, len(list))
	var each []gram
	var ends []int
	numbers := map[string]uint32{} // of words
	for i, k := range list {
		l.entries[i] = k.Entry
		for len(l.sizes) <= len(k.grams) {
			l.sizes = append(l.sizes, i)
		}
		each = append(each, k.grams...)
		ends = append(ends, len(each))
		for _, w := range k.tokens {
			if _, known := numbers[w]; !known {
				numbers[w] = 0
				l.tokens = append(l.tokens, w)
			}
		}
	}
	l.sizes = append(l.sizes, len(list))
	l.grams = invertLists(each, ends)
	slices.Sort(l.tokens)
	for i, w := range l.tokens {
		numbers[w] = uint32(i)
	}
	counts := make([]uint32, len(l.tokens)+1)
	for i, k := range list {
		for _, g := range k.grams {
			at, _ := slices.BinarySearch(l.grams.grams, g)
			l.own = append(l.own, uint32(at))
		}
		l.ownEnds = append(l.ownEnds, uint32(len(l.own)))
		for _, w := range k.tokens {
			l.words = append(l.words, numbers[w])
			counts[numbers[w]+1]++
		}
		l.wordEnds = append(l.wordEnds, uint32(len(l.words)))
		l.runes = append(l.runes, uint32(joinedRunes(k.tokens)))
		l.byText = append(l.byText, uint32(i))
	}
	for i := range l.tokens {
		counts[i+1] += counts[i]
	}
	l.tokenEnds, l.tokenNames = counts[:len(l.tokens)], make([]uint32, len(l.words))
	for i := range list {
		for _, w := range l.wordsOf(i) {
			l.tokenNames[l.tokenEnds[w]] = uint32(i)
			l.tokenEnds[w]++ // moves on to its end
		}
	}
	slices.SortFunc(l.byText, func(a, b uint32) int { return cmp.Compare(l.entries[a].Text, l.entries[b].Text) })
	return l
}

func (l *nameLayer) without(texts iter.Seq[string]) (*nameLayer, bool) {
	list, any := l.drop(texts, func(text string) (int, bool) {
		i, found := sort.Find(len(l.byText), func(i int) int { return cmp.Compare(text, l.entries[l.byText[i]].Text) })
		if !found {
			return 0, false
		}
		return int(l.byText[i]), true
	})
	if !any {
		return l, false
	}
	less := *l
	less.entryList = list
	return &less, true
}

// sized is the range of names with least to most pieces.
func (l *nameLayer) sized(least, most int) (lo, hi int) {
	least, most = max(least, 0), min(most, len(l.sizes)-2)
	if least > most {
		return 0, 0
	}
	return l.sizes[least], l.sizes[most+1]
}

// listOf is the i-th of lists that lie end to end.
func listOf(all, ends []uint32, i int) []uint32 {
	from := uint32(0)
	if i > 0 {
		from = ends[i-1]
	}
	return all[from:ends[i]]
}

func (l *nameLayer) gramCount(i int) int { return len(listOf(l.own, l.ownEnds, i)) }

func (l *nameLayer) wordsOf(i int) []uint32 { return listOf(l.words, l.wordEnds, i) }

// sharedGrams counts the pieces of name i that are among some, whose numbers are
// ascending.
func (l *nameLayer) sharedGrams(i int, numbers []uint32) int {
	n, k := 0, 0
	for _, own := range listOf(l.own, l.ownEnds, i) {
		for k < len(numbers) && numbers[k] < own {
			k++
		}
		if k == len(numbers) {
			break
		}
		if numbers[k] == own {
			n++
			k++
		}
	}
	return n
}

// tokensOf is the different words of name i, in order.
func (l *nameLayer) tokensOf(i int) []string {
	words := l.wordsOf(i)
	list := make([]string, len(words))
	for k, w := range words {
		list[k] = l.tokens[w]
	}
	return list
}

// withToken is the names that have a word.
func (l *nameLayer) withToken(word string) []uint32 {
	i, found := slices.BinarySearch(l.tokens, word)
	if !found {
		return nil
	}
	return listOf(l.tokenNames, l.tokenEnds, i)
}
