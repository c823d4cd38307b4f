// Package unicodetest makes the texts that tests feed to whatever reads text from
// outside: all planes of Unicode, piles of marks, joiners, controls, directions,
// halves of surrogates and other bytes that are no UTF-8. Only tests import it.
package unicodetest

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Env names the environment variable that says how many texts [Each] makes, such
// as 1000000. A million take some minutes for each test.
const Env = "QUARRY_TEXTS"

// Each calls f with random texts, from several goroutines at a time: as many as
// [Env] says, otherwise short. Each call has a source of its own for whatever else it
// draws. A failure names the seed, with which Text makes the same text again.
func Each(t *testing.T, short int, f func(r *rand.Rand, text string)) {
	t.Helper()
	n := short
	if s := os.Getenv(Env); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("%s: %v", Env, err)
		}
	}
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n && !t.Failed(); i += workers {
				one(t, uint64(i), f)
			}
		})
	}
	wg.Wait()
	t.Logf("%d texts", n)
}

func one(t *testing.T, seed uint64, f func(r *rand.Rand, text string)) {
	r := rand.New(rand.NewPCG(seed, 0))
	text := Text(r)
	defer func() {
		if p := recover(); p != nil {
			stack := make([]byte, 8<<10)
			t.Errorf("seed %d, %+q: panic: %v\n%s", seed, text, p, stack[:runtime.Stack(stack, false)])
		}
	}()
	f(r, text)
}

// Texts draws such texts for a property.
func Texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return Text(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
	})
}

// Text returns a random text, most often of up to some hundred bytes, now and then
// of some thousand.
func Text(r *rand.Rand) string {
	var b strings.Builder
	kinds := r.Perm(len(pieces))[:1+r.IntN(len(pieces))] // a text has some kinds of pieces, not all
	most := 1 + r.IntN(40)
	if r.IntN(50) == 0 {
		most *= 20
	}
	for range r.IntN(most + 1) {
		b.WriteString(pieces[kinds[r.IntN(len(kinds))]](r))
	}
	return b.String()
}

// Words stand in many of the texts, for tests that look for something.
func Words() []string {
	return []string{"fox", "dog", "Straße", "数学", "привет", "नमस्ते", "ไทย", "한국어", "שלום", "مرحبا"}
}

func oneOf(all ...string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return all[r.IntN(len(all))] }
}

// between draws a rune of some ranges, each as likely.
func between(ranges ...rune) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		i := 2 * r.IntN(len(ranges)/2)
		return string(ranges[i] + rune(r.IntN(int(ranges[i+1]-ranges[i])+1)))
	}
}

var pieces = []func(*rand.Rand) string{
	oneOf(Words()...),
	oneOf(Words()...),
	oneOf(" ", " ", " ", "\n", "\t", "\r\n", "\u00a0", "\u3000", "\u2028", "\u0085"),
	oneOf(". ", "! ", "? ", "。", "！", "？", ", ", "…", "। ", "؟ "),
	oneOf(`"`, "“", "”", "„", "«", "»", "'", "’", "(", ")", "（", "）", "[", "]", "{", "}", "<", ">", "+", "-", "－", "=", "*", "＊", "?", "/", `\`, ":", "：", "^", "~", "&", "|", "!", ",", ";", "#", "@", "$", "%", "_", "..", ">=", " TO ", " AND ", " OR ", " NOT "),
	oneOf("<b>", "</p>", "<!--", "-->", "&amp;", "&#x301;", "&#xD800;", "<script>", "</script>", "<a href='", "<![CDATA[", "]]>", "<svg>", "<table>", "<td>", "&nbsp", "<title>", "</title>", "<meta charset=", "<pre>\n"),
	oneOf("12", "3.14", "1,000.50", "$9.99", "٤٢", "४२", "Ⅻ", "½", "2024-02-30", "1e999", "€", "1.234,56 zł"),
	between(0, 0x10ffff), // surrogates become U+FFFD
	between(0, 0x7f),
	between(0x80, 0x24f, 0x370, 0x3ff, 0x400, 0x52f),
	between(0x590, 0x8ff, 0x10800, 0x10fff, 0xfb1d, 0xfdff, 0x1e800, 0x1efff),                                       // right to left
	between(0x900, 0xdff, 0xe00, 0xeff, 0x1000, 0x109f, 0x1780, 0x17ff, 0x11000, 0x11fff),                           // Brahmic scripts
	between(0x1100, 0x11ff, 0xa960, 0xa97f, 0xac00, 0xd7ff),                                                         // Hangul
	between(0x3040, 0x30ff, 0x3400, 0x4dbf, 0x4e00, 0x9fff, 0xf900, 0xfaff, 0xff00, 0xffef, 0x20000, 0x323af),       // East Asia
	between(0x300, 0x36f, 0x483, 0x489, 0x591, 0x5bd, 0x64b, 0x65f, 0x1ab0, 0x1aff, 0x20d0, 0x20f0, 0xfe20, 0xfe2f), // marks
	between(0x200b, 0x200f, 0x202a, 0x202e, 0x2060, 0x206f, 0xfe00, 0xfe0f, 0xe0000, 0xe01ef, 0xad, 0xad, 0xfeff, 0xfeff),
	between(0x600, 0x605, 0x6dd, 0x6dd, 0x70f, 0x70f, 0x8e2, 0x8e2, 0x110bd, 0x110bd), // written before what follows
	between(0x1f1e6, 0x1f1ff),
	between(0x2190, 0x27bf, 0x1f300, 0x1faff),
	between(0xe000, 0xf8ff, 0xfdd0, 0xfdef, 0xfffe, 0xffff, 0x10fffe, 0x10ffff), // private, and no characters
	oneOf("\u200d", "👨\u200d👩\u200d👧", "👍🏽", "🏴\U000e0067\U000e007f", "क्", "्", "\u0e33", "e\u0301", "ﬁ", "ẞ", "İ", "ǅ", "ſ", "\u0345", "ﷺ", "Å", "가", "각"),
	oneOf("\xff", "\xc0\x80", "\xed\xa0\x80", "\xed\xb0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xf0\x9f", "\x80", "\xc3", "\xfe\xff"),
	func(r *rand.Rand) string { return string([]byte{byte(r.IntN(256)), byte(r.IntN(256))}) },
	func(r *rand.Rand) string { // much of one thing
		unit := oneOf("\u0301", "\u200d", "🇩", "क्", "ᄀ", "x", "\u05b0", "\xff", "(", "-", "\u0600", "👩\u200d", "字", "\u202e", " ", "\u00ad")(r)
		return strings.Repeat(unit, 1+r.IntN(1+r.IntN(400)))
	},
	func(r *rand.Rand) string { return Mark(r) + Mark(r) + Mark(r) },
}

// Mark returns a random mark of any script.
func Mark(r *rand.Rand) string {
	for {
		table := unicode.M.R16
		x := table[r.IntN(len(table))]
		if m := rune(x.Lo) + rune(r.IntN(int(x.Hi-x.Lo)+1)); utf8.ValidRune(m) && unicode.IsMark(m) {
			return string(m)
		}
	}
}
