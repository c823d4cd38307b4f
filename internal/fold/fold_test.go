package fold

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Each pair folds to one text.
func TestSame(t *testing.T) {
	t.Parallel()
	for _, pairs := range []string{
		"Naïve naive, STRASSE Straße, İstanbul istanbul, Diyarbakır diyarbakir, ISPARTA ısparta, cœur coeur, CŒUR coeur, smørrebrød smorrebrod, Ærø aero, " +
			"Łódź lodz, Đorđe dorde, þing thing, ðe de, Ħamrun hamrun, ŋ n, Əliyev eliyev, ɓoye boye, ẞ ss, ĳ ij",
		"Ёлка елка, ЁЖ еж, за\u0301мок замок, ґанок ганок, ΑΘΉΝΑ αθηνα, οδός οδοσ, Ὀδυσσεύς οδυσσευσ",
		"România romania, ţară țară, ţară tara, şcoală școală, şcoală scoala, Bucureşti București, Știință stiinta",
		"ﬁne fine, ﬀ ff, ﬄ ffl, ﬆ st, ＡＢＣ abc, ｶﾞ ガ, ① 1, ㍿ 株式会社, Å å, Å a, ℃ °c, x² x2",
		"don’t don't, donʼt don't, don＇t don't, don`t don't, ʹ ', ‘ ', ′ ', ´ '",
		"كتـاب كتاب, مُحَمَّد محمد, أحمد احمد, إسلام اسلام, آدم ادم, ٱلله الله, مدرسة مدرسه, مستشفى مستشفي, مؤمن مومن, سائل سايل, ﷲ الله, ﻻ لا",
		"کتاب كتاب, ایران ايران, علی علي, یک يك, می\u200cروم میروم, خانهٔ خانه, ہ ه",
		"שָׁלוֹם שלום, בְּרֵאשִׁית בראשית, צ׳ק צ'ק",
		"١٢٣ 123, ۱۲۳ 123, १२३ 123, ১২৩ 123, ੧੨੩ 123, ૧૨૩ 123, ୧୨୩ 123, ௧௨௩ 123, ౧౨౩ 123, ೧೨೩ 123, ൧൨൩ 123, ๑๒๓ 123, ໑໒໓ 123, ༡༢༣ 123, ၁၂၃ 123, " +
			"១២៣ 123, ᠑᠒᠓ 123, １２３ 123, 𝟏𝟐𝟑 123, 𝟙𝟚𝟛 123, ०९ 09, ٠٩ 09, ۰۹ 09, 𞥑𞥒 12, 𑁧𑁨 12",
		"co\u00adop coop, a\u200db ab, a\u2060b ab, \ufeffa a, ❤️ ❤",
	} {
		for pair := range strings.SplitSeq(pairs, ", ") {
			a, b, _ := strings.Cut(pair, " ")
			if String(a) != String(b) {
				t.Errorf("%q is %q, %q is %q", a, String(a), b, String(b))
			}
		}
	}
}

// What differs in more than people leave out stays apart.
func TestDifferent(t *testing.T) {
	t.Parallel()
	for pair := range strings.SplitSeq("й и, ї i, हिन्दी हिनदी, が か, ب ت, ס ש, n m, п пп, ๑ ๒, क ख, é f", ", ") {
		a, b, _ := strings.Cut(pair, " ")
		if String(a) == String(b) {
			t.Errorf("%q and %q are both %q", a, b, String(a))
		}
	}
}

func TestTwice(t *testing.T) {
	t.Parallel()
	step := rune(1)
	if testing.Short() {
		step = 7
	}
	for r := rune(0); r <= utf8.MaxRune; r += step {
		if f := String(string(r)); String(f) != f {
			t.Errorf("%q folds to %q, folded again %q", r, f, String(f))
		}
		if r != utf8.RuneError && utf8.ValidRune(r) && String(norm.NFD.String(string(r))) != String(string(r)) {
			t.Errorf("%q folds to %q, decomposed to %q", r, String(string(r)), String(norm.NFD.String(string(r))))
		}
	}
}

// Each digit of Unicode is one of ASCII.
func TestDigits(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		d, ok := digit(r)
		if !ok {
			continue
		}
		next, also := digit(r + 1)
		if d < '9' && (!also || next != d+1) {
			t.Errorf("%q is %c, the next is %c", r, d, next)
		}
		if got := String(string(r)); got != string(d) {
			t.Errorf("%q is %q, want %c", r, got, d)
		}
	}
}

// Each byte of folded text knows where it comes from.
func TestWayBack(t *testing.T) {
	t.Parallel()
	text := "Ein “Café” cafe\u0301 ﬁne\u00ad\xff١٢ ㍿ l’été"
	f := New(false)
	f.Fold(text, 0, len(text))
	last := 0
	for i := range f.Norm {
		lo, hi := f.Start(i), f.End(i+1)
		if lo < last || hi < lo || hi > len(text) {
			t.Errorf("%q comes from [%d:%d], after %d", f.Norm[i], lo, hi, last)
		}
		last = lo
	}
}
