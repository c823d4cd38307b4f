package analysis

import (
	"bufio"
	"compress/gzip"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// A word has one term with and without its accents, in every language: tried with
// the words that the stemmers are tested with.
func TestAccentsOfVocabularies(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../internal/snowball/testdata/words.tsv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	analyzers, accented, apart := map[string]*Snowball{}, 0, 0
	for lines := bufio.NewScanner(z); lines.Scan(); {
		parts := strings.Split(lines.Text(), "\t")
		language, word := parts[0], norm.NFC.String(parts[1])
		a := analyzers[language]
		if a == nil {
			if a, err = NewSnowball(language, nil); err != nil {
				t.Fatal(err)
			}
			analyzers[language] = a
		}
		plain := Standard{}.Fold(word)
		if plain == word {
			continue
		}
		accented++
		if got, want := words(a, plain), words(a, word); got != want {
			if apart++; apart < 10 {
				t.Errorf("%s: %q is %q, %q is %q", language, word, want, plain, got)
			}
		}
	}
	if accented < 3000 {
		t.Errorf("only %d words have accents", accented)
	}
}

// Inflected forms meet, with and without accents.
func TestAccentsOfForms(t *testing.T) {
	t.Parallel()
	for language, groups := range map[string]string{
		"es": "educación educacion educaciones EDUCACIÓN, canción cancion canciones, fácil facil fáciles faciles, acción accion acciones, habló hablo hablar, inglés ingles, médico medico médicos medicos",
		"pt": "educação educacao, informação informacao informações informacoes, fácil facil, médico medico médicos medicos",
		"fr": "élève eleve élèves eleves, évaluation evaluation évaluations evaluations, préféré prefere préférée preferee, forêt foret forêts forets, été ete",
		"it": "città citta, università universita, perché perche, qualità qualita, libertà liberta, caffè caffe",
		"ro": "informații informatii informaţii, țară tara ţară, școală scoala şcoală, mașină masina, București Bucuresti Bucureşti",
		"tr": "ışık isik, çiçek cicek çiçekler cicekler, şehir sehir şehirler sehirler, İstanbul istanbul, kadın kadin",
		"hu": "házak hazak, könyv konyv könyvek konyvek, épület epulet, víz viz",
		"ru": "ёлка елка, всё все, самолёт самолет самолёты самолеты, ещё еще",
		"de": "Häuser Hauser Häusern, Straße Strasse, schön schon, Übung Ubung",
		"pl": "żółty zolty, książka ksiazka, źródło zrodlo",
		"cs": "město mesto, žena zena ženy zeny, dům dum",
		"sv": "människor manniskor, skön skon, år ar",
		"da": "børn born, køkken kokken",
		"ca": "informació informacio, català catala",
		"el": "σχολείο σχολειο, Αθήνα αθηνα, παιδιά παιδια",
		"lt": "žmonės zmones, mokykla mokyklą mokykla",
		"ga": "fáilte failte, sráid sraid",
		"eo": "ĉevalo cevalo, ŝipo sipo",
		"et": "õpetaja opetaja, öö oo",
		"fi": "käsi kasi, pöytä poyta",
		"ar": "أحمد احمد, مُدَرِّس مدرس",
	} {
		a, err := NewSnowball(language, nil)
		if err != nil {
			t.Fatal(err)
		}
		for group := range strings.SplitSeq(groups, ", ") {
			forms := strings.Fields(group)
			for _, form := range forms[1:] {
				if got, want := words(a, form), words(a, forms[0]); got != want {
					t.Errorf("%s: %q is %q, %q is %q", language, forms[0], want, form, got)
				}
			}
		}
	}
}
