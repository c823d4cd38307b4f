package fuzzy

import "slices"

// A gram is q runes of a string in a row, packed into 21 bits each. So that
// the first and last runes take part in as many grams as those in the middle,
// a string is thought to be padded with q-1 marks that are no runes on either
// side.
//
// An edit breaks only grams that hold a rune it touches: q of them, q+1 when a
// swap touches two. So strings within k edits share all distinct grams of
// either but k·(q+1).
type gram uint64

const (
	q        = 3
	runeSize = 21
	leftPad  = 0x110000 // beyond Unicode
	rightPad = 0x110001
)

// gramsOf appends the distinct grams of s to dst, which is empty. Without
// right, those that hold a mark of the right side are left out.
func gramsOf(dst []gram, s []rune, right bool) []gram {
	g := gram(leftPad)<<runeSize | leftPad
	push := func(r rune) {
		g = (g<<runeSize | gram(r)) & (1<<(q*runeSize) - 1)
		dst = append(dst, g)
	}
	for _, r := range s {
		push(r)
	}
	if right {
		for range q - 1 {
			push(rightPad)
		}
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

// An inverted holds, for each gram, the words that have it.
type inverted struct {
	grams  []gram   // ascending
	starts []uint32 // the words of grams[i] are words[starts[i]:starts[i+1]]
	words  []uint32 // numbers of words, ascending for each gram
}

func invert(l *lexicon) inverted {
	var each []gram // grams of all words, end to end
	ends := make([]int, 0, l.len())
	var runes []rune
	var own []gram
	for i := range l.len() {
		runes = appendRunes(runes[:0], l.word(i))
		own = gramsOf(own[:0], runes, true)
		each = append(each, own...)
		ends = append(ends, len(each))
	}
	return invertLists(each, ends)
}

// invertLists inverts lists of grams that lie end to end, each in order.
func invertLists(each []gram, ends []int) inverted {
	rows := make(map[gram]uint32, len(each)/16)
	for _, g := range each {
		rows[g]++
	}
	inv := inverted{words: make([]uint32, len(each))}
	for g := range rows {
		inv.grams = append(inv.grams, g)
	}
	slices.Sort(inv.grams)
	inv.starts = make([]uint32, len(inv.grams)+1)
	for i, g := range inv.grams {
		inv.starts[i+1] = inv.starts[i] + rows[g]
		rows[g] = inv.starts[i] // from here on where its next word goes
	}
	from := 0
	for word, end := range ends {
		for _, g := range each[from:end] {
			inv.words[rows[g]] = uint32(word)
			rows[g]++
		}
		from = end
	}
	return inv
}

// list is the words from lo to hi that have the gram.
func (inv *inverted) list(g gram, lo, hi int) []uint32 {
	i, found := slices.BinarySearch(inv.grams, g)
	if !found {
		return nil
	}
	return inv.within(i, lo, hi)
}

// within is the words from lo to hi that have gram i.
func (inv *inverted) within(i, lo, hi int) []uint32 {
	words := inv.words[inv.starts[i]:inv.starts[i+1]]
	from, _ := slices.BinarySearch(words, uint32(lo))
	to, _ := slices.BinarySearch(words[from:], uint32(hi))
	return words[from : from+to]
}

func appendRunes(dst []rune, s string) []rune {
	for _, r := range s {
		dst = append(dst, r)
	}
	return dst
}
