package fuzzy

import (
	"cmp"
	"slices"
)

// A lookup is one search, with what is worth keeping for the next.
type lookup struct {
	dict    *QGrams
	runes   []rune // what is asked
	dist    int
	prefix  bool
	letters letters

	pattern pattern
	table   table
	other   []rune
	grams   []gram
	lists   [][]uint32
	counts  []uint8
	found   []found
}

// found is a word of the dictionary, by its number, and how far it is.
type found struct {
	word, dist int
}

// run collects all matches, in no order. They are the lookup's own, until it is
// used again.
func (l *lookup) run(dict *QGrams, s string, dist int, prefix bool) []found {
	l.dict, l.prefix, l.found = dict, prefix, l.found[:0]
	l.runes = appendRunes(l.runes[:0], s)
	l.letters = lettersOf(s)
	l.dist = min(dist, len(l.runes)+dict.words.longest())
	if n := len(l.runes); n > 0 && n <= wordBits {
		l.pattern.compile(l.runes)
	}
	most := len(l.runes) + l.dist
	if prefix {
		most = dict.words.longest()
	}
	least := len(l.runes) - l.dist
	lo, hi := dict.words.window(least, most)
	if !l.count(lo, hi) {
		for n := max(least, 1); n <= most && n <= dict.words.longest(); n++ {
			l.scan(n)
		}
	}
	return l.found
}

// count verifies the words from lo to hi that share enough grams with what is
// asked. It reports false, and does nothing, when looking at every word is no
// more work.
//
// A word that has need of the grams stands in at least need-skip of the lists
// that are left when skip lists are not read. The longest are not read.
func (l *lookup) count(lo, hi int) bool {
	l.grams = gramsOf(l.grams[:0], l.runes, !l.prefix)
	need := len(l.grams) - l.dist*l.dict.Metric.spoil()
	if need < 1 {
		return false
	}
	l.lists = l.lists[:0]
	for _, g := range l.grams {
		l.lists = append(l.lists, l.dict.lists.list(g, lo, hi))
	}
	slices.SortFunc(l.lists, func(a, b []uint32) int { return cmp.Compare(len(a), len(b)) })
	skip := need / 3
	lists := l.lists[:len(l.lists)-skip]
	total := 0
	for _, list := range lists {
		total += len(list)
	}
	if total > hi-lo {
		return false
	}
	l.tally(lists, uint8(min(need-skip, 255)), lo, hi)
	return true
}

// tally verifies the words that stand in at least need of the lists.
func (l *lookup) tally(lists [][]uint32, need uint8, lo, hi int) {
	l.counts = slices.Grow(l.counts[:0], hi-lo)[:hi-lo]
	clear(l.counts)
	for _, list := range lists {
		for _, word := range list {
			seen := &l.counts[int(word)-lo]
			if *seen == need {
				continue
			}
			*seen++
			if *seen == need {
				l.consider(int(word))
			}
		}
	}
}

// consider verifies one word unless its letters rule it out.
func (l *lookup) consider(word int) {
	n := l.dict.words.size(word)
	lost, gained := l.bounds(n)
	if own := l.dict.letters[word]; l.letters.without(own) <= lost && own.without(l.letters) <= gained {
		l.verify(word, n)
	}
}

// scan verifies the words of n runes whose letters do not rule them out.
func (l *lookup) scan(n int) {
	lost, gained := l.bounds(n)
	lo, hi := l.dict.words.window(n, n)
	for i, own := range l.dict.letters[lo:hi] {
		if l.letters.without(own) <= lost && own.without(l.letters) <= gained {
			l.verify(lo+i, n)
		}
	}
}

// bounds is how many letters a match of n runes may lack, and how many it may
// have too many: edits that only make up for the difference in length are not
// there to do more.
func (l *lookup) bounds(n int) (lost, gained int) {
	if l.prefix {
		return l.dist, allLetters
	}
	longer := n - len(l.runes)
	return l.dist - max(longer, 0), l.dist + min(longer, 0)
}

// verify adds the word, of n runes, when it is within the distance.
func (l *lookup) verify(word, n int) {
	text := l.dict.words.word(word)
	var d int
	switch m := l.dict.Metric; {
	case len(l.runes) == 0 && l.prefix:
	case len(l.runes) == 0:
		d = n
	case len(l.runes) <= wordBits && m != MetricDamerau:
		d = l.pattern.distance(text, n, l.dist, l.prefix, m == MetricOSA)
	default:
		l.other = appendRunes(l.other[:0], text)
		d = l.table.distance(m, l.runes, l.other, l.dist, l.prefix)
	}
	if d <= l.dist {
		l.found = append(l.found, found{word, d})
	}
}
