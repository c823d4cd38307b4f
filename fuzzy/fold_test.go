package fuzzy

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestFold(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"Naïve": "naive", "naïve": "naive", "NAI\u0308VE": "naive",
		"STRASSE": "strasse", "Straße": "strasse",
		"İstanbul": "istanbul", "ΑΘΉΝΑ": "αθηνα",
		"Ёлка": "елка", "Йога": "йога", "за\u0301мок": "замок",
		"हिन्दी": "हिन्दी", "ﬁne": "fine", "ＡＢＣ": "abc", "が": "が",
		"👍🏽": "👍", "👩🏽‍🚀": "👩‍🚀", "": "", "\xff": " ", "ᏣᎳᎩ": "ᏣᎳᎩ", "ꮳꮃꭹ": "ᏣᎳᎩ", "ᏸ": "Ᏸ",
	}
	for s, want := range cases {
		if got := Fold(s); got != want {
			t.Errorf("Fold(%q) = %q, want %q", s, got, want)
		}
	}
	if d := OSA(Fold("naïve"), Fold("naive")); d != 0 {
		t.Errorf("folded words are %d apart", d)
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Naïve", "İ", "ᾳ", "ŉ", "\u0345", "हिन्दी", "℃", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := Fold(s)
		if again := Fold(folded); again != folded {
			t.Fatalf("Fold(%q) = %q, folded again %q", s, folded, again)
		}
		if utf8.ValidString(s) && Fold(norm.NFD.String(s)) != folded {
			t.Fatalf("%q folds to %q, decomposed to %q", s, folded, Fold(norm.NFD.String(s)))
		}
	})
}
