package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/webquarry/quarry/internal/fold"
)

func tokens(a Analyzer, text string) []Token { return slices.Collect(a.Tokens(text)) }

// words prints the terms of a text, each position with a blank before it and
// the terms of one position joined by a stroke.
func words(a Analyzer, text string) string {
	var b strings.Builder
	last := -1
	for t := range a.Tokens(text) {
		switch {
		case t.Pos == last:
			b.WriteByte('|')
		case last >= 0:
			b.WriteString(strings.Repeat(" ", t.Pos-last))
		}
		b.WriteString(t.Text)
		last = t.Pos
	}
	return b.String()
}

func TestStandardWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"... -- !?", ""},
		{"The quick, brown FOX.", "the quick brown fox"},
		{"pg_dump list.append __init__ node.js foo_bar", "pg dump list append init node js foo bar"},
		{"cat-dog e-mail co-operate", "cat catdog|dog e email|mail co cooperate|operate"},
		{"3.14 1,000 2024-01-31 v3.12.1 x86_64 555c3bb06f7a 50%", "3 14 1000 2024 01 31 v3 12 1 x86 64 555c3bb06f7a 50"},
		{"don't DON'T I'm we'll they've you're he'd", "dont dont im we'll theyve youre hed"},
		{"Python's dogs' it's ASCII'S", "python dogs it ascii"},
		{"l'avion O'Reilly rock'n'roll 5'10 'quoted'", "avion oreilly|reilly rock n roll 5 10 quoted"},
		{"y'all'd've a's'b", "yalldve asb"},
		{"C++ c# F# g++ C++11 a++b", "c++ c# f# g++ c++ 11 a++ b"},
		{"C+ C+++ notepad++ C#7 a## 7++ 7#", "c c notepad c 7 a 7 7"},
		{"@nasa #tag https://x.org/?q=a:b", "nasa tag https x org q a b"},
		{"Don’t l’été “so” it’s", "dont ete so it"},
		{"Café naïve Ångström STRASSE Straße", "cafe naive angstrom strasse strasse"},
		{"smørrebrød Łódź Đorđe œuvre Æsop", "smorrebrod lodz dorde oeuvre aesop"},
		{"İSTANBUL Diyarbakır DIYARBAKIR", "istanbul diyarbakir diyarbakir"},
		{"Ёж еж йод сло́во", "еж еж йод слово"},
		{"ΌΔΟΣ οδός", "οδοσ οδοσ"},
		{"مُحَمَّد أحمد كتـاب", "محمد احمد كتاب"},
		{"नमस्ते दुनिया", "नमस्ते दुनिया"},
		{"ﬁne Ｆｕｌｌ x² co\u00adop zero\u200bwidth a\u200db", "fine full x2 coop zero width ab"},
		{"ab\xff\xfecd\x00ef", "ab cd ef"},
		{"張益唐 益", "張益|張 益唐|益 唐 益"},
		{"Go语言2024年", "go 语言|语 言 2024 年"},
		{"한국어 カー", "한국|한 국어|국 어 カー|カ ー"},
		{"กาไก่", "กา|ก าไ|า ไก่|ไ ก่"},
		{"\U0001E900\U0001E922 \U0001E922", "\U0001E922\U0001E922 \U0001E922"}, // a script that segment does not know
		{"Сибиряков-Гвардейцев", "сибиряков сибиряковгвардейцев|гвардейцев"},
		{"C#é c#入門 c++é", "c e c# 入門|入 門 c++ e"},
	} {
		if got := words(Standard{}, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

func TestStandardKeepMarks(t *testing.T) {
	t.Parallel()
	s := Standard{KeepMarks: true}
	for _, c := range []struct{ text, want string }{
		{"Café cafe\u0301 CAFE", "café café cafe"},
		{"İ I\u0307 ı", "i\u0307 i\u0307 ı"},
		{"Ångström Straße", "ångström strasse"},
	} {
		if got := words(s, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

func TestStandardOffsets(t *testing.T) {
	t.Parallel()
	text := "Ein “Café”, cafe\u0301 q\u0303x, the fox's ﬁne\u00ad\xffC++ 益唐ab ㍿"
	var got []string
	for t := range (Standard{}).Tokens(text) {
		got = append(got, text[t.Start:t.End])
	}
	want := []string{"Ein", "Café", "cafe\u0301", "q\u0303x", "the", "fox", "ﬁne\u00ad", "C++", "益唐", "益", "唐", "ab",
		"㍿", "㍿", "㍿", "㍿", "㍿", "㍿", "㍿"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestLongTokenIsCut(t *testing.T) {
	t.Parallel()
	for _, long := range []string{strings.Repeat("QUJD", 25_000), strings.Repeat("é", 50_000), strings.Repeat("ж", 50_000)} {
		got := tokens(Standard{}, "before "+long+" after")
		if len(got) != 3 || got[0].Text != "before" || got[2].Text != "after" {
			t.Fatalf("got %d tokens", len(got))
		}
		cut := got[1]
		if !cut.Cut || len(cut.Text) > MaxToken || len(cut.Text) < MaxToken-1 || !utf8.ValidString(cut.Text) {
			t.Errorf("cut %v at %d bytes, valid %v", cut.Cut, len(cut.Text), utf8.ValidString(cut.Text))
		}
		if cut.Start != 7 || cut.End != 7+len(long) {
			t.Errorf("[%d:%d], want [7:%d]", cut.Start, cut.End, 7+len(long))
		}
	}
}

// A consumer may stop at any token.
func TestStopsEarly(t *testing.T) {
	t.Parallel()
	text := "one two’s 益唐益 three don't"
	all := tokens(Standard{}, text)
	for n := 1; n <= len(all); n++ {
		var got []Token
		for tok := range (Standard{}).Tokens(text) {
			if got = append(got, tok); len(got) == n {
				break
			}
		}
		if !slices.Equal(got, all[:n]) {
			t.Fatalf("after %d: %v", n, got)
		}
	}
}

// wholly analyses a text by the full rules alone, at once.
func wholly(s Standard, text string) (out []Token) {
	sc := scanner{Standard: s, text: text, yield: func(t Token) bool { out = append(out, t); return true }}
	w := wide{scanner: &sc, Text: fold.New(s.KeepMarks)}
	w.tokens(0, len(text))
	return out
}

func checkStandard(t interface{ Errorf(string, ...any) }, text string) {
	for _, s := range []Standard{{}, {KeepMarks: true}} {
		got := tokens(s, text)
		if want := wholly(s, text); !slices.Equal(got, want) {
			t.Errorf("%q (%v)\n in pieces %v\n at once   %v", text, s, got, want)
		}
		if err := wellFormed(got, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if !utf8.ValidString(text) {
			continue
		}
		c, d := words(s, norm.NFC.String(text)), words(s, norm.NFD.String(text))
		if c != d {
			t.Errorf("%q\n NFC %q\n NFD %q", text, c, d)
		}
	}
}

// wellFormed holds tokens to the contract of Analyzer.
func wellFormed(tokens []Token, text string) error {
	last := Token{}
	for _, tok := range tokens {
		switch {
		case tok.Start < last.Start || tok.Pos < last.Pos:
			return fmt.Errorf("%+v after %+v", tok, last)
		case tok.Start >= tok.End || tok.End > len(text):
			return fmt.Errorf("%+v of %d bytes", tok, len(text))
		case tok.Text == "" || len(tok.Text) > MaxToken || !utf8.ValidString(tok.Text):
			return fmt.Errorf("term %q", tok.Text)
		case !utf8.RuneStart(text[tok.Start]) || tok.End < len(text) && utf8.ValidString(text) && !utf8.RuneStart(text[tok.End]):
			return fmt.Errorf("%+v parts a rune", tok)
		}
		last = tok
	}
	return nil
}

// texts draws texts of the signs that the rules speak of.
func texts() *rapid.Generator[string] {
	signs := []string{"a", "B", "s", "t", "ll", "VE", "7", "'", "’", "+", "++", "#", "_", ".", ",", ":", "-", " ", "\n", "é", "e\u0301",
		"\u0301", "\u0308", "\u00ad", "ß", "İ", "ж", "е\u0308", "益", "唐", "カ", "ー", "한", "\u1112\u1161\u11ab", "ก่", "\U0001E900", "\xff",
		"\u200b", "\u3000", "＋", "＃", "ﬁ", "㍿", "…", "🎉", "\u200d", "א\"ב", "\x00",
		"U", "u.s.", "&", "000", "1,", "12", "255.", ".net", "👍", "👍🏽", "👩\u200d", "👧", "🇩", "🇪", "❤\ufe0f", "‐", "n't"}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(signs), 0, 12).Draw(t, "signs"), "")
	})
}

func TestFastPathEqualsFullRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkStandard(t, texts().Draw(t, "text")) })
	rapid.Check(t, func(t *rapid.T) { checkStandard(t, rapid.String().Draw(t, "text")) })
}

// Long stretches are handed to segment in windows; that must not show.
func TestWindows(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"益唐", "é", "слово—", "l’été—", "カ’s", "ก่า"} {
		text := strings.Repeat(unit, 3*windowSize/len(unit))
		n := 0
		for range (Standard{}).Tokens(text) {
			n++
		}
		short := len(tokens(Standard{}, strings.Repeat(unit, 3)))
		shorter := len(tokens(Standard{}, strings.Repeat(unit, 2)))
		want := shorter + (short-shorter)*(3*windowSize/len(unit)-2)
		if n != want {
			t.Errorf("%q: %d tokens, want %d", unit, n, want)
		}
	}
}

func FuzzStandard(f *testing.F) {
	for _, s := range []string{"don't C++ pg_dump", "l’été cafe\u0301 ﬁ", "Go语言 カー 한국어", "a\xff益", "co\u00adop c#é"} {
		f.Add(s)
	}
	every := all()
	f.Fuzz(func(t *testing.T, text string) {
		checkStandard(t, text)
		for name, a := range every {
			if err := wellFormed(tokens(a, text), text); err != nil {
				t.Errorf("%s: %q: %v", name, text, err)
			}
		}
	})
}
