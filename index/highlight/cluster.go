package highlight

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// near is how far clusters are read on from one that is known.
const near = 1 << 10

// wholeClusters lets hits, which are in order, begin and end where grapheme
// clusters do.
func wholeClusters(text string, hits []hit) {
	var at Span // the last cluster that was looked for
	cluster := func(i int) Span {
		switch {
		case at.Start <= i && i < at.End:
		case standsAlone(text, i):
			at = Span{i, i + 1}
		case at.End <= i && i < at.End+near:
			for g := graphemes.FromString(text[at.End:]); at.End <= i && g.Next(); {
				at = Span{at.End, at.End + len(g.Value())}
			}
		default:
			at = clusterAt(text, i)
		}
		return at
	}
	for i := range hits {
		h := &hits[i]
		first := cluster(h.start)
		h.start, h.first = first.Start, first.End
		if h.end > first.End {
			if last := cluster(h.end); last.Start < h.end {
				h.end = last.End
			}
		} else {
			h.end = first.End
		}
	}
}

func isBoundary(text string, i int) bool { return lastBoundary(text, i) == i }

// lastBoundary returns the last boundary of grapheme clusters at or before i.
func lastBoundary(text string, i int) int { return clusterAt(text, i).Start }

// firstBoundary returns the first boundary of grapheme clusters at or behind i.
func firstBoundary(text string, i int) int {
	if c := clusterAt(text, i); c.Start < i {
		return c.End
	}
	return i
}

// clusterAt returns the grapheme cluster that holds the byte at i; behind the
// text, an empty one at its end.
func clusterAt(text string, i int) Span {
	if i >= len(text) {
		return Span{len(text), len(text)}
	}
	if standsAlone(text, i) {
		return Span{i, i + 1}
	}
	from := i
	for back := 1; ; back *= 4 {
		for range back {
			from = restartBefore(text, from)
		}
		start, end := -1, from // a boundary stands at the beginning of the text, but perhaps not at from
		if from == 0 {
			start = 0
		}
		for g := graphemes.FromString(text[from:]); end <= i && g.Next(); {
			if end > from {
				start = end
			}
			end += len(g.Value())
		}
		if start >= 0 {
			return Span{start, end}
		}
	}
}

// standsAlone reports whether the byte at i is a cluster that needs no looking for.
func standsAlone(text string, i int) bool {
	return 0 < i && i < len(text) && isPlain(text[i-1]) && isPlain(text[i]) && (i+1 == len(text) || isPlain(text[i+1]))
}

func isPlain(c byte) bool { return 0x20 <= c && c < 0x7F }

// restartBefore returns where the last rune before i stands from which clusters
// can be read: all boundaries behind it are right, though it may not begin a
// cluster itself. It is 0 when there is none.
func restartBefore(text string, i int) int {
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:i])
		if i -= n; restarts(r) && (r != utf8.RuneError || n > 1) {
			return i
		}
	}
	return 0
}

// restarts reports whether the boundaries behind r do not depend on what stands
// before it. They do behind marks, joiners and halves of flags.
func restarts(r rune) bool {
	switch {
	case r < 0x300:
		return true
	case 0x1F1E6 <= r && r <= 0x1F1FF, 0x1F3FB <= r && r <= 0x1F3FF:
		return false
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S, unicode.Z) && !unicode.Is(unicode.Other_Grapheme_Extend, r)
}
