package fold

import (
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// String returns s folded.
func String(s string) string {
	t := New(false)
	return t.String(s)
}

// Text is a text that is folded, and the way back to the original.
type Text struct {
	Norm []byte // the folded text

	pieces []piece // in order; the first begins at Norm 0
	to     int     // where the text ends in the original
	script script  // of the last letter

	*tables
	keepMarks bool
	segment   []byte // scratch
}

// New makes a Text that folds: if keepMarks, it leaves diacritics where they are, and
// letters that are other letters in some languages.
func New(keepMarks bool) Text { return Text{tables: runeTables(), keepMarks: keepMarks} }

// piece says that Norm from here on comes from the original from orig on:
// byte by byte, or all of it from all bytes up to the next piece.
type piece struct {
	norm, orig int
	whole      bool
}

// String returns s folded.
func (f *Text) String(s string) string {
	f.Fold(s, 0, len(s))
	if norm.NFC.IsNormal(f.Norm) {
		return string(f.Norm)
	}
	// Marks meet where something between them was dropped. Package norm parts long piles of them.
	return strings.ReplaceAll(norm.NFC.String(string(f.Norm)), "\u034f", "")
}

// Fold reads text[from:to]. Bytes that are not UTF-8 become blanks.
func (f *Text) Fold(text string, from, to int) {
	f.Norm, f.pieces, f.to, f.script = f.Norm[:0], f.pieces[:0], to, noScript
	for from < to {
		n := validPrefix(text[from:to])
		f.foldValid(text[from:from+n], from)
		if from += n; from < to {
			f.add(" ", from, from+1, false)
			from++
		}
	}
}

func validPrefix(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return len(s)
}

// foldValid reads s, which is valid UTF-8 and begins at from in the original.
// Runes that normalisation leaves alone, beside such others, go straight on.
func (f *Text) foldValid(s string, from int) {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r >= utf8.RuneSelf && IsApostrophe(r) {
			f.add("'", from+i, from+i+n, false)
			f.script = noScript
			i += n
			continue
		}
		switch {
		case r == '‐', r == '‑': // hyphens
			f.add("-", from+i, from+i+n, false)
			f.script = noScript
			i += n
			continue
		case r >= 0x231A && isEmoji(r):
			i += f.emoji(s[i:], from+i)
			continue
		}
		if f.plain(r) {
			if next, _ := utf8.DecodeRuneInString(s[i+n:]); i+n == len(s) || f.plain(next) {
				f.rune(r, from+i, from+i+n, false)
				i += n
				continue
			}
		}
		n = norm.NFKC.NextBoundaryInString(s[i:], true)
		f.foldSegment(s[i:i+n], from+i)
		i += n
	}
}

// foldSegment reads a rune with all that it may combine with.
func (f *Text) foldSegment(s string, from int) {
	f.segment = norm.NFKC.AppendString(f.segment[:0], s)
	changed := string(f.segment) != s
	for i, n := 0, 0; i < len(f.segment); i += n {
		var r rune
		if r, n = utf8.DecodeRune(f.segment[i:]); changed {
			f.rune(r, from, from+len(s), true)
		} else {
			f.rune(r, from+i, from+i+n, false)
		}
	}
}

// rune folds one rune of NFKC text. It comes from [lo, hi) of the original,
// with others when whole is set.
func (f *Text) rune(r rune, lo, hi int, whole bool) {
	if r < utf8.RuneSelf {
		f.script = scriptOf(r)
		if r == '`' {
			r = '\''
		}
		f.Norm = append(f.at(lo, hi, 1, whole), lowerByte(byte(r)))
		return
	}
	switch k := f.KindOf(r); k {
	case Ignored:
	case Mark:
		if f.keepMarks || !dropsMark(f.script, r) {
			f.Norm = utf8.AppendRune(f.at(lo, hi, utf8.RuneLen(r), whole), r)
		}
	default:
		f.script = scriptOf(r)
		if k == Digit {
			if d, ok := digit(r); ok {
				f.Norm = append(f.at(lo, hi, 1, whole), d)
				return
			}
		}
		if caseless(r) {
			f.Norm = utf8.AppendRune(f.at(lo, hi, utf8.RuneLen(r), whole), r)
			return
		}
		f.add(f.foldRune(r, f.keepMarks), lo, hi, whole)
	}
}

// add appends out, which comes from [lo, hi) of the original.
func (f *Text) add(out string, lo, hi int, whole bool) {
	f.Norm = append(f.at(lo, hi, len(out), whole), out...)
}

// at notes that the next n bytes of Norm come from [lo, hi), and returns Norm.
func (f *Text) at(lo, hi, n int, whole bool) []byte {
	p := piece{len(f.Norm), lo, whole || n != hi-lo}
	if k := len(f.pieces) - 1; k >= 0 {
		last := f.pieces[k]
		if p.whole == last.whole && (p.orig == last.orig || !p.whole && last.orig-last.norm == p.orig-p.norm) {
			return f.Norm
		}
	}
	f.pieces = append(f.pieces, p)
	return f.Norm
}

// pieceAt returns the index of the piece that holds Norm[i].
func (f *Text) pieceAt(i int) int {
	return sort.Search(len(f.pieces), func(k int) bool { return f.pieces[k].norm > i }) - 1
}

// Start returns where the source of Norm[i] begins in the original.
func (f *Text) Start(i int) int {
	p := f.pieces[f.pieceAt(i)]
	if p.whole {
		return p.orig
	}
	return p.orig + i - p.norm
}

// End returns where the source of Norm[:i] ends in the original. What was
// dropped behind it belongs to it.
func (f *Text) End(i int) int {
	k := f.pieceAt(i - 1)
	p, next, orig := f.pieces[k], len(f.Norm), f.to
	if k+1 < len(f.pieces) {
		next, orig = f.pieces[k+1].norm, f.pieces[k+1].orig
	}
	if p.whole || i == next {
		return orig
	}
	return p.orig + i - p.norm
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
