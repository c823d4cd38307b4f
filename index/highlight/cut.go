package highlight

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// passage is a piece of a text.
type passage struct {
	from, to int
	sentence bool // it begins as a sentence does
}

// choose returns passages of at most room bytes in all, ellipses included,
// that show the most of hits.
func choose(text string, hits []hit, room, most int) []passage {
	if len(text) <= room {
		return []passage{{0, len(text), false}}
	}
	each := passageRoom(room, 1)
	widest := 0 // of the clusters that have to fit
	hits = slices.DeleteFunc(hits, func(h hit) bool {
		fits := h.first-h.start <= each
		if fits {
			widest = max(widest, h.first-h.start)
		}
		return !fits
	})
	switch {
	case len(hits) == 0:
		return []passage{firstPassage(text, each)}
	case room < leastMarked: // nothing but the first hit
		return []passage{{hits[0].start, lastBoundary(text, hits[0].start+room), false}}
	}
	var chosen []passage
	for n := 1; n <= most && each >= widest; n++ {
		windows, all := best(hits, len(text), n, each)
		chosen = chosen[:0]
		for _, w := range windows {
			chosen = append(chosen, widen(text, w, each))
		}
		if all || len(windows) < n || each < 60 {
			break
		}
		each = passageRoom(room, n+1)
	}
	slices.SortFunc(chosen, func(a, b passage) int { return cmp.Compare(a.from, b.from) })
	return apart(chosen)
}

// passageRoom is what each of n passages may take of room, with ellipses on both
// sides.
func passageRoom(room, n int) int {
	if room < leastMarked {
		return room
	}
	return room/n - 2*len(ellipsis+" ")
}

// firstPassage returns a passage of at most width bytes that shows no match: the
// beginning of the text, unless grapheme clusters that are longer leave little of
// that; then the first place where there is more.
func firstPassage(text string, width int) passage {
	var best, run Span // of clusters that are not longer
	most, filled := 0, 0
	for g := graphemes.FromString(text); g.Next() && most < width/3; {
		n := len(g.Value())
		run.End += n
		filled += len(strings.TrimFunc(g.Value(), isBlank))
		if n > width || filled == 0 && run.End-run.Start > width {
			run.Start, filled = run.End, 0
		}
		if filled > most {
			best, most = run, filled
		}
	}
	return passage{best.Start, endOf(text, best.Start+width, best.Start+width*2/3), false}
}

// apart lets no passage reach into the next one.
func apart(passages []passage) []passage {
	out := passages[:1]
	for _, p := range passages[1:] {
		if last := &out[len(out)-1]; p.from <= last.to {
			last.to = max(last.to, p.to)
			continue
		}
		out = append(out, p)
	}
	return out
}

// best returns up to n windows of at most width bytes with the most of hits,
// and whether they show everything that hits has to show.
func best(hits []hit, length, n, width int) (windows []Span, all bool) {
	wants := 0
	for _, h := range hits {
		wants = max(wants, h.want+1)
	}
	shown := make([]bool, wants)
	for range n {
		w, ok := window(hits, length, width, shown)
		if !ok {
			return windows, true
		}
		windows = append(windows, w)
		for _, h := range hits {
			if w.Start <= h.start && h.start < w.End {
				shown[h.want] = true
			}
		}
	}
	_, more := window(hits, length, width, shown)
	return windows, !more
}

// window returns the best window that shows a word not shown yet, if there is
// one. Different words count most, then closeness, repetition and an early
// place.
func window(hits []hit, length, width int, shown []bool) (w Span, ok bool) {
	count := make([]int, len(shown))
	news, top, i := 0, 0.0, 0
	for j, h := range hits {
		if count[h.want]++; count[h.want] == 1 && !shown[h.want] {
			news++
		}
		for ; i < j && h.end-hits[i].start > width; i++ {
			want := hits[i].want
			if count[want]--; count[want] == 0 && !shown[want] {
				news--
			}
		}
		if news == 0 {
			continue
		}
		value := float64(news) + 0.05*float64(min(j-i+1, 6)) -
			0.2*float64(h.end-hits[i].start)/float64(width) - 0.1*float64(hits[i].start)/float64(length)
		if !ok || value > top {
			top, ok, w = value, true, Span{hits[i].start, min(h.end, hits[i].start+width)}
		}
	}
	return w, ok
}

// widen makes w, which begins at a boundary, a passage of about width bytes with
// text around it.
func widen(text string, w Span, width int) passage {
	spare := max(width-(w.End-w.Start), 0)
	before := spare / 3
	if len(text)-w.End < spare-before { // not enough text behind
		before = spare - (len(text) - w.End)
	}
	p := passage{}
	p.from, p.sentence = startOf(text, max(w.Start-before, 0), w.Start, width)
	p.to = endOf(text, p.from+width, max(w.End, p.from+width*2/3))
	return p
}

// startOf returns the best place for a passage of about width bytes to begin
// between lo and the boundary hi: the last sentence there that leaves enough text
// behind it, a word, or a grapheme cluster.
func startOf(text string, lo, hi, width int) (from int, sentence bool) {
	lo = firstBoundary(text, lo)
	if lo == 0 {
		return 0, true
	}
	for i := sentenceStart(text, lo, hi); i > lo; i = sentenceStart(text, lo, i-1) {
		if len(text)-i >= width*2/3 && isBoundary(text, i) {
			return i, true
		}
	}
	if r, _ := utf8.DecodeLastRuneInString(text[:lo]); unicode.IsSpace(r) {
		return lo, false
	}
	if i := strings.IndexFunc(text[lo:hi], unicode.IsSpace); i >= 0 && isBoundary(text, lo+i) {
		return lo + i, false
	}
	return lo, false
}

// sentenceStart returns where the last sentence that begins between lo and hi
// does; lo when none does.
func sentenceStart(text string, lo, hi int) int {
	for i := hi; i > lo; {
		r, n := utf8.DecodeLastRuneInString(text[lo:i])
		switch next := text[i:]; {
		case r == '\n', r == '。', r == '！', r == '？':
			return i
		case (r == '.' || r == '!' || r == '?') && i < hi && next[0] == ' ':
			return i + 1
		}
		i -= n
	}
	return lo
}

// endOf returns the best place for a passage to end between lo and hi: behind a
// word or a grapheme cluster. A cluster that begins before lo and ends behind hi
// is left out.
func endOf(text string, hi, lo int) int {
	end := lastBoundary(text, hi)
	if r, _ := utf8.DecodeRuneInString(text[end:]); end == len(text) || unicode.IsSpace(r) {
		return end
	}
	lo = min(lo, end)
	if i := strings.LastIndexFunc(text[lo:end], unicode.IsSpace); i >= 0 && isBoundary(text, lo+i) {
		return lo + i
	}
	return end
}
