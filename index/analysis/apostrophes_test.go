package analysis

import (
	"strings"
	"testing"
)

// Words with apostrophes have the terms of the words that they stand for. Each apostrophe
// is tried, and each word stands alone, in capitals, and among others.
func TestApostrophes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, pairs string }{
		{"standard", "l'avion avion, d'Artagnan artagnan, qu'il il, j'ai ai, s'il il, n'est est, c'est est, m'a a, t'y y, l'homme homme, " +
			"jusqu'alors alors, lorsqu'elle elle, puisqu'on on, quoiqu'elle elle, d'hier hier, l'œuvre oeuvre, l'Été ete, qu'à a, d'où ou, " +
			"qu'aujourd'hui aujourdhui, aujourd'hui aujourdhui, quelqu'un quelquun, prud'homme prudhomme, presqu'île presquile, entr'acte entracte"},
		{"standard", "dell'università università, all'aperto aperto, nell'anima anima, sull'isola isola, dall'alto alto, un'altra altra, " +
			"quest'anno anno, quell'uomo uomo, bell'età eta, sant'Antonio antonio, com'è e, dov'è e, cos'è e, anch'io io, c'era era, gl'italiani italiani, " +
			"trent'anni anni, senz'altro altro, nessun'altra altra, dell'un'altra altra, l'un'altra altra"},
		{"standard", "l'home home, d'aigua aigua, s'ha ha, n'hi hi, b'fhéidir fheidir, d'ól ol, m'athair athair, d'fhág fhag"},
		{"standard", "don't dont, can't cant, isn't isnt, won't wont, I'm im, I've ive, you're youre, they've theyve, that'd thatd, it'll itll, ain't aint, couldn't couldnt"},
		{"standard", "it's it, Python's python, children's children, let's let, O'Reilly's OReilly, today's today, 1990's 1990s"},
		{"standard", "O'Reilly OReilly, Qur'an Quran, Hawai'i Hawaii, Sana'a Sanaa, Xi'an Xian, o'clock oclock, O'zbekiston Ozbekiston, D'Souza DSouza, M'Bappé Mbappé, ma'am maam"},
		{"standard", "м'яч мяч, п'ять пять, об'єкт обєкт, з'явився зявився, ג'ירפה גירפה, צ'ק צק"},
		{"standard", "Ankara'nın Ankara, İstanbul'da İstanbul, Türkiye'de Türkiye, İzmir'den İzmir, Atatürk'ün Atatürk, Almanya'ya Almanya, İstanbul'a İstanbul, " +
			"Paris'te Paris, Ahmet'in Ahmet, Türkiye'nin Türkiye, Kıbrıs'ta Kıbrıs, Erdoğan'la Erdoğan"},
		{"turkish", "Ankara'nın Ankara, Ankara'dakilerin Ankara, Van'ı Van, Ali'ninkiler Ali, TBMM'ye TBMM, O'nun O, Urfa'lıların Urfa, AB'ye AB, Ay'ın Ay, Ege'deki Ege"},
		{"catalan", "porta'm porta, l'home home, dona'ls dona, d'aigua aigua, menja'n menja, veure'ns veure, l'Hospitalet Hospitalet, compra'l compra, s'estima estima, n'hi hi"},
		{"french", "l'avion avion, l'éducation education, d'éducations education, aujourd'hui aujourdhui, qu'ils ils, l'hôpital hopital, L'ŒUVRE oeuvre"},
		{"italian", "dell'università università, l'università universita, un'amica amica, nell'acqua acqua, all'improvviso improvviso"},
		{"irish", "d'fhág fhag, b'fhearr fhearr, m'athair athair"},
		{"english", "don't dont, the'students' the'students, students' student, student's students, It's it, O'Reilly OReilly, cat's cats"},
	} {
		a := Named(c.language)
		for pair := range strings.SplitSeq(c.pairs, ", ") {
			written, plain, _ := strings.Cut(pair, " ")
			for _, sign := range "'’ʼ＇ʹ`‘ʻ´′" {
				with := strings.ReplaceAll(written, "'", string(sign))
				for _, form := range []string{with, "(" + with + ")", "“" + with + "”"} {
					if got, want := leading(words(a, form)), leading(words(a, strings.ReplaceAll(plain, "'", string(sign)))); got != want {
						t.Errorf("%s: %q is %q, want %q", c.language, form, got, want)
					}
				}
			}
			got, want := leading(words(a, strings.ToUpper(written))), leading(words(a, strings.ToUpper(plain)))
			if got != want && c.language != "turkish" && !strings.ContainsAny(written, "ıİ") {
				t.Errorf("%s: %q is %q, want %q", c.language, strings.ToUpper(written), got, want)
			}
		}
	}
}

// leading are the terms that a query asks for.
func leading(words string) string {
	word, _, _ := strings.Cut(words, "|")
	return word
}

// What is no apostrophe within a word parts words.
func TestNoApostrophes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"'quoted'":                          "quoted",
		"5'10 d'1 7'a":                      "5 10 d 1 7 a",
		"rock'n'roll":                       "rock n roll",
		"dogs' `code` ''":                   "dogs code",
		"we'll he'll I'll we're we'd she'd": "we'll he'll i'll we're we'd she'd",
		"O'Reilly's book":                   "oreilly|reilly book",
		"l' avion":                          "l avion",
		"C++’ l'C++":                        "c++ lc",
	} {
		if got := words(Standard{}, text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
