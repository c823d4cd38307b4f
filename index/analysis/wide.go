package analysis

import (
	"unicode/utf8"

	"github.com/blevesearch/segment"

	"github.com/webquarry/quarry/internal/fold"
)

// wide finds the words of text in any script: it folds the text (fold.go),
// lets segment find the words of the result, and parts them.
type wide struct {
	*scanner
	fold.Text
	words [][]byte // scratch for segment
	types []int
	open  run   // the word that is being read
	grams []int // where the characters of an open run begin, in norm
	read  int   // how far norm is read
	free  int   // up to here no words are linked
}

// run is a stretch of folded text.
type run struct {
	kind     fold.Kind
	lo, hi   int
	loose    bool // segment does not know its letters
	digitEnd bool // the last rune is a digit
}

// tokens emits the words of text[from:to].
func (w *wide) tokens(from, to int) {
	w.Fold(w.text, from, to)
	w.open, w.read, w.free = run{hi: -1}, 0, 0
	for lo := 0; lo < len(w.Norm) && !w.stopped; {
		hi := w.window(lo)
		w.words, w.types, _, _ = segment.SegmentWordsDirect(w.Norm[lo:hi], w.words[:0], w.types[:0])
		for i, word := range w.words {
			lo = w.readSegment(lo, len(word), w.types[i] == segment.None)
		}
		if lo < hi { // segment stops at what it cannot read; nothing is lost by that
			lo = w.readSegment(lo, hi-lo, true)
		}
	}
	w.flush()
}

// windowSize bounds what segment is given at once, since it returns all words
// of it together.
const windowSize = 8 << 10

// window returns the end of the next piece of norm for segment: a place beyond
// windowSize that parts no word.
func (w *wide) window(lo int) int {
	hi, last := min(lo+windowSize, len(w.Norm)), fold.Letter
	for hi < len(w.Norm) && !utf8.RuneStart(w.Norm[hi]) {
		hi++
	}
	for hi < len(w.Norm) {
		r, n := utf8.DecodeRune(w.Norm[hi:])
		k := w.KindOf(r)
		if last == fold.Other && r != '\'' || last == fold.Gram && k == fold.Gram {
			break
		}
		if k != fold.Mark {
			last = k
		}
		if r == '\'' {
			last = fold.Letter
		}
		hi += n
	}
	return hi
}

// readSegment reads the n bytes at lo, which segment found to be one word or no
// word, and returns where they end.
func (w *wide) readSegment(lo, n int, loose bool) int {
	hi := lo + n
	for w.read = max(w.read, lo); w.read < hi; {
		i := w.read
		r, size := utf8.DecodeRune(w.Norm[i:])
		switch k := w.KindOf(r); k {
		case fold.Mark:
			if w.open.hi == i {
				w.open.hi += size
			}
		case fold.Letter, fold.Digit:
			if w.open.kind != fold.Letter || w.open.hi != i {
				if end := w.link(i); end > 0 {
					size = end - i
					break
				}
			}
			w.grow(fold.Letter, i, size, loose)
			w.open.digitEnd = k == fold.Digit
		case fold.Emoji:
			w.flush()
			size = w.emoji(i)
		case fold.Gram:
			w.grow(fold.Gram, i, size, true)
			w.grams = append(w.grams, i)
		default:
			if r == '\'' {
				size += w.apostrophe(i)
			}
			w.flush()
			if r == '.' && w.dotNet(i) {
				size = 4
			}
		}
		w.read += size
	}
	return hi
}

// grow adds the rune at i to the open part, or opens a new one.
func (w *wide) grow(k fold.Kind, i, size int, loose bool) {
	if w.open.kind != k || w.open.hi != i || w.open.loose != loose {
		w.flush()
		w.open = run{kind: k, lo: i, loose: loose}
	}
	w.open.hi = i + size
}

// apostrophe looks at the apostrophe at i. When the open word goes on behind it, all
// of it is emitted, and the number of bytes behind i that it takes is returned.
func (w *wide) apostrophe(i int) int {
	if w.open.kind != fold.Letter || w.open.hi != i {
		return 0
	}
	w.parts = append(w.parts[:0], w.part(w.open.lo, i))
	end, digitEnd := i, w.open.digitEnd
	for end < len(w.Norm) && w.Norm[end] == '\'' {
		lo, hi, first, last := end+1, end+1, fold.Other, fold.Other
		for hi < len(w.Norm) {
			r, n := utf8.DecodeRune(w.Norm[hi:])
			k := w.KindOf(r)
			if k != fold.Letter && k != fold.Digit && (k != fold.Mark || hi == lo) {
				break
			}
			if hi += n; k != fold.Mark {
				last = k
			}
			if first == fold.Other {
				first = k
			}
		}
		if first != fold.Letter || digitEnd && string(w.Norm[lo:hi]) != "s" {
			break
		}
		w.parts = append(w.parts, w.part(lo, hi))
		end, digitEnd = hi, last == fold.Digit
	}
	if len(w.parts) > 1 {
		w.open = run{hi: -1}
		w.withApostrophes(w.parts)
		return end - i - 1
	}
	return 0
}

// part is norm[lo:hi].
func (w *wide) part(lo, hi int) part {
	p := part{start: w.Start(lo), end: w.End(hi)}
	p.term = w.share(lo, hi, p.start)
	if p.plain = p.term; w.KeepMarks {
		p.plain = fold.String(p.term)
	}
	if p.plain == "" { // marks alone
		p.plain = p.term
	}
	return p
}

// link emits words that signs link, from the one at i on, and returns where they end;
// 0: none are linked.
func (w *wide) link(i int) (end int) {
	if i < w.free {
		return 0
	}
	l, places := readLink(w.at, i, w.places[:0])
	w.places = places
	end = places[len(places)-1].hi
	if l == unlinked {
		w.free = end
		return 0
	}
	w.flush()
	w.parts = w.parts[:0]
	for _, p := range places {
		w.parts = append(w.parts, w.part(p.lo, p.hi))
	}
	w.linked(l, w.parts)
	return end
}

// at says what norm[i] is.
func (w *wide) at(i int) (k fold.Kind, c byte, n int) {
	if i >= len(w.Norm) {
		return fold.Other, 0, 0
	}
	r, n := utf8.DecodeRune(w.Norm[i:])
	if r < utf8.RuneSelf {
		c = byte(r)
	}
	return w.KindOf(r), c, n
}

// dotNet emits .NET, if the dot at i is its.
func (w *wide) dotNet(i int) bool {
	r, n := utf8.DecodeLastRune(w.Norm[:i])
	if k := w.KindOf(r); n > 0 && (k == fold.Letter || k == fold.Digit || k == fold.Mark) || !dotNet(w.at, i) {
		return false
	}
	w.scanner.put(".net", w.Start(i), w.End(i+4))
	w.extra("net", w.Start(i+1), w.End(i+4))
	w.pos++
	return true
}

// emoji emits the emoji at i and returns its length: of several characters that joiners
// join, or of two that are a flag.
func (w *wide) emoji(i int) int {
	end := i + fold.EmojiLen(w.Norm[i:])
	w.emitWord(i, end)
	return end - i
}

// flush emits the open part.
func (w *wide) flush() {
	p := w.open
	w.open = run{hi: -1}
	switch p.kind {
	case fold.Letter:
		w.emitWord(p.lo, w.sharp(p))
	case fold.Gram:
		w.emitRun(p.hi)
	}
}

// sharp returns the end of p with "++" or "#" that belong to it.
func (w *wide) sharp(p run) int {
	if p.hi != p.lo+1 || p.digitEnd {
		return p.hi
	}
	rest := w.Norm[p.hi:]
	at := func(i int) rune {
		if i >= len(rest) {
			return ' '
		}
		r, _ := utf8.DecodeRune(rest[i:])
		return r
	}
	switch {
	case at(0) == '+' && at(1) == '+' && at(2) != '+':
		return p.hi + 2
	case at(0) == '#' && at(1) != '#' && w.KindOf(at(1)) != fold.Letter && w.KindOf(at(1)) != fold.Digit:
		return p.hi + 1
	}
	return p.hi
}

func (w *wide) emitWord(lo, hi int) {
	w.put(lo, hi)
	w.pos++
}

// emitRun emits the characters of a run of an unspaced script, which ends at
// end, and their pairs.
func (w *wide) emitRun(end int) {
	for i, lo := range w.grams {
		next := end
		if i+1 < len(w.grams) {
			next = w.grams[i+1]
			second := end
			if i+2 < len(w.grams) {
				second = w.grams[i+2]
			}
			w.put(lo, second)
		}
		w.put(lo, next)
		w.pos++
	}
	w.grams = w.grams[:0]
}

// put yields norm[lo:hi] as a token.
func (w *wide) put(lo, hi int) {
	start := w.Start(lo)
	w.scanner.put(w.share(lo, hi, start), start, w.End(hi))
}

// share returns norm[lo:hi], as part of the text where that is the same from start on.
func (w *wide) share(lo, hi, start int) string {
	if n := hi - lo; start+n <= len(w.text) && w.text[start:start+n] == string(w.Norm[lo:hi]) {
		return w.text[start : start+n]
	}
	return string(w.Norm[lo:hi])
}
