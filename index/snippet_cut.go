package index

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
	if room < leastMarked { // nothing but the first hit
		from := 0
		if len(hits) > 0 {
			from = boundary(text, hits[0].start)
		}
		return []passage{{from, boundary(text, from+room), false}}
	}
	var chosen []passage
	for n := 1; n <= most; n++ {
		each := room/n - 2*len(ellipsis+" ")
		windows, all := best(hits, len(text), n, each)
		chosen = chosen[:0]
		for _, w := range windows {
			chosen = append(chosen, widen(text, w, each))
		}
		if all || len(windows) < n || each < 60 {
			break
		}
	}
	slices.SortFunc(chosen, func(a, b passage) int { return cmp.Compare(a.from, b.from) })
	return apart(chosen)
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
	if len(hits) == 0 {
		return []Span{{0, 0}}, true
	}
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

// widen makes w a passage of about width bytes with text around it.
func widen(text string, w Span, width int) passage {
	spare := max(width-(w.End-w.Start), 0)
	before := spare / 3
	if len(text)-w.End < spare-before { // not enough text behind
		before = spare - (len(text) - w.End)
	}
	p := passage{}
	p.from, p.sentence = startOf(text, max(w.Start-before, 0), w.Start)
	p.to = endOf(text, p.from+width, max(w.End, p.from+width*2/3))
	return p
}

// startOf returns the best place for a passage to begin between lo and hi: a
// sentence, a word, or a grapheme.
func startOf(text string, lo, hi int) (from int, sentence bool) {
	lo = boundary(text, lo)
	if lo == 0 {
		return 0, true
	}
	if i := sentenceStart(text[lo:hi]); i > 0 {
		return lo + i, true
	}
	if r, _ := utf8.DecodeLastRuneInString(text[:lo]); unicode.IsSpace(r) {
		return lo, false
	}
	if i := strings.IndexFunc(text[lo:hi], unicode.IsSpace); i >= 0 {
		return lo + i, false
	}
	return lo, false
}

// sentenceStart returns where the last sentence that begins in s does; 0 when
// none does.
func sentenceStart(s string) int {
	for i := len(s); i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		switch next := s[i:]; {
		case r == '\n', r == '。', r == '！', r == '？':
			return i
		case (r == '.' || r == '!' || r == '?') && next != "" && next[0] == ' ':
			return i + 1
		}
		i -= n
	}
	return 0
}

// endOf returns the best place for a passage to end between lo and hi.
func endOf(text string, hi, lo int) int {
	if hi >= len(text) {
		return len(text)
	}
	end := boundary(text, hi)
	if i := strings.LastIndexFunc(text[min(lo, end):end+1], unicode.IsSpace); i >= 0 {
		return min(lo, end) + i
	}
	return end
}

// boundary returns the last grapheme boundary of text at or before i.
func boundary(text string, i int) int {
	if i >= len(text) {
		return len(text)
	}
	for from := i; from > 0; {
		from = simpleBefore(text, from)
		last, end := -1, from
		for g := graphemes.FromString(text[from:]); end <= i && g.Next(); {
			end += len(g.Value())
			if end <= i {
				last = end
			}
		}
		if last >= 0 {
			return last
		}
	}
	return 0
}

// simpleBefore returns where the last rune before i stands that ends no
// grapheme but its own: wherever graphemes are read from there, the next
// boundary is right. It is 0 when there is none.
func simpleBefore(text string, i int) int {
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:i])
		i -= n
		switch {
		case 0x20 <= r && r < 0x7F, 0xC0 <= r && r < 0x250, 0x400 <= r && r < 0x482, 0x4E00 <= r && r < 0xA000:
			return i
		}
	}
	return 0
}
