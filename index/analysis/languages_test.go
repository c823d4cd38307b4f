package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSnowball(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, text, want string }{
		{"de", "Häuser Häusern Haus aufeinander Straße", "haus haus haus aufeinand strass"},
		{"german", "3D-Drucker", "3d 3ddrucker|druck"},
		{"fr", "continuellement continuelle évaluations l'été", "continuel continuel évalu ete"},
		{"es", "chicas chicos canciones", "chic chic cancion"},
		{"ru", "вместе программирования книги книга", "вмест программирован книг книг"},
		{"sv", "katterna katt", "katt katt"},
		{"it", "abbandonata abbandonato", "abbandon abbandon"},
		{"pt", "boataria boato", "boat boat"},
		{"nl", "lichamelijk lichamelijkheden", "lichamelijk lichamelijk"},
		{"fi", "taloissa talossa", "talo talo"},
		{"hu", "házakat", "haz"},
		{"en", "connections pg_dump", "connect pg dump"},
	} {
		a, err := NewSnowball(c.language, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := words(a, c.text), strings.Replace(c.want, "évalu", "evalu", 1); got != want {
			t.Errorf("%s: %q\n got %q\nwant %q", c.language, c.text, got, want)
		}
	}
	if _, err := NewSnowball("xx", nil); err == nil {
		t.Error("a language that has no stems is accepted")
	}
	if n := len(SnowballLanguages()); n != 35 {
		t.Errorf("%d languages", n)
	}
	for _, s := range languages {
		if Named(s.name) == nil || Named(s.code) != nil {
			t.Errorf("%s is not named", s.name)
		}
	}
}

func TestStopWordsOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, word string
		least          int
	}{{"de", "aber", 200}, {"french", "même", 100}, {"ru", "что", 100}, {"sv", "och", 100}, {"ga", "agus", 50}, {"en", "the", 174}, {"danish", "sådan", 90},
		{"tr", "için", 300}, {"pl", "oraz", 200}, {"cs", "který", 200}, {"fa", "از", 400}, {"ar", "من", 300}, {"el", "και", 400}, {"bg", "защото", 100},
		{"ro", "pentru", 200}, {"hi", "और", 100}, {"id", "yang", 80}, {"lt", "kad", 200}, {"ca", "però", 100}, {"st", "ke", 20}, {"eu", "eta", 50}, {"hy", "որ", 20}, {"et", "ja", 20}, {"eo", "kaj", 50}} {
		if list := StopWordsOf(c.language); len(list) < c.least || !slices.Contains(list, c.word) || slices.Contains(list, "|") {
			t.Errorf("%s: %d words, %q", c.language, len(list), list[:min(len(list), 5)])
		}
	}
	if got := StopWordsOf("yi"); got != nil {
		t.Errorf("Yiddish: %q", got)
	}
}

const (
	germanText = "Die Häuser der Stadt stehen dicht beieinander, und ihre Bewohner kennen sich seit vielen Jahren."
	frenchText = "Les maisons de la ville sont proches les unes des autres, et leurs habitants se connaissent depuis longtemps."
)

func TestLanguages(t *testing.T) {
	t.Parallel()
	l, err := NewLanguages("de", "fr")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{germanText: "de", frenchText: "fr", "Haus": "", "": "", strings.Repeat("Haus\xff", 2000): l.Language(strings.Repeat("Haus ", 2000))} {
		if got := l.Language(text); got != want {
			t.Errorf("%.40q is in %q, want %q", text, got, want)
		}
	}
	if got := words(l, germanText); !strings.HasPrefix(got, "die haus der stadt steh") {
		t.Errorf("German text becomes %q", got)
	}
	if got := words(l, frenchText); !strings.HasPrefix(got, "le maison de la vill") {
		t.Errorf("French text becomes %q", got)
	}
	if got := words(l.In("de-CH"), "Häuser"); got != "haus" {
		t.Errorf("in Switzerland houses are %q", got)
	}
	if got := words(l.In("pl"), "Häuser"); got != "hauser" {
		t.Errorf("in Polish houses are %q", got)
	}
	// A query asks for what any language makes of it.
	var got []string
	for _, s := range Slots(l, "Häuser villes") {
		got = append(got, strings.Join(s.Terms, "|"))
	}
	if want := []string{"hauser|haus", "villes|vill"}; !slices.Equal(got, want) {
		t.Errorf("slots %q, want %q", got, want)
	}
	if _, err := NewLanguages("de", "xx"); err == nil {
		t.Error("a language that has no stems is accepted")
	}
}

func TestSynonyms(t *testing.T) {
	t.Parallel()
	s := NewSynonyms(nil, []string{"usa", "United States", "united states of america"}, []string{"car", "automobile"}, []string{"motor car", "car"})
	for _, c := range []struct{ text, want string }{
		{"the USA now", "the usa now"},
		{"the United States now", "the usa/united states now"},
		{"united states of america", "usa/united states of america"},
		{"united states of mind", "usa/united states of mind"},
		{"united nations", "united nations"},
		{"united", "united"},
		{"an automobile, a motor car", "an car/automobile a motor car/motor car"},
		{"united 益唐 states", "united 益唐/益 唐 states"},
	} {
		if got := stackedWords(s, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
	var got []string
	for _, slot := range Slots(s, "united states army") {
		got = append(got, strings.Join(slot.Terms, "|"))
	}
	if want := []string{"usa", "army"}; !slices.Equal(got, want) {
		t.Errorf("a query asks for %q, want %q", got, want)
	}
}

// A phrase is looked for in each form of its synonyms, and in no other.
func TestPhrases(t *testing.T) {
	t.Parallel()
	s := NewSynonyms(&English{}, []string{"usa", "us", "United States"}, []string{"big apple", "new york city"}, []string{"car", "automobile"})
	for _, c := range []struct{ text, want string }{
		{"usa today", "usa+0 today+1, unit+0 state+1 today+2"},
		{"in the united states, today", "in+0 the+1 usa+2 today+3, in+0 the+1 unit+2 state+3 today+4"},
		{"US", "usa+0"},
		{"big apple car", "big+0 appl+1 car+2, new+0 york+1 citi+2 car+3"},
		{"an automobile", "an+0 car+1"},
		{"US US", "usa+0 usa+1, usa+0 unit+1 state+2, unit+0 state+1 usa+2, unit+0 state+1 unit+2 state+3"},
		{"!", ""},
	} {
		if got := printed(Phrases(s, c.text)); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
	if n := len(Phrases(s, strings.Repeat("usa ", 100))); n > mostPhrases {
		t.Errorf("%d forms of a phrase", n)
	}
}

// What one language takes for a word may be two in another, or be left out: each has
// its phrase.
func TestPhrasesOfLanguages(t *testing.T) {
	t.Parallel()
	german, err := NewSnowball("de", NewStopWords(nil, "die"))
	if err != nil {
		t.Fatal(err)
	}
	l := &Languages{By: map[string]Analyzer{"de": german, "en": NewSynonyms(nil, []string{"usa", "united states"})}}
	for text, want := range map[string]string{
		"United States heute": "united+0 states|stat+1 heute|heut+2, usa+0 heute+1",
		"die Häuser":          "die+0 hauser+1, haus+0",
		"rote Häuser":         "rote|rot+0 hauser|haus+1",
		"die":                 "die+0",
		"--":                  "",
	} {
		if got := printed(Phrases(l, text)); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

// printed lists phrases, each with the places of its terms.
func printed(phrases [][]Slot) string {
	var forms []string
	for _, slots := range phrases {
		var words []string
		for _, slot := range slots {
			words = append(words, strings.Join(slot.Terms, "|")+"+"+strconv.Itoa(slot.Pos))
		}
		forms = append(forms, strings.Join(words, " "))
	}
	return strings.Join(forms, ", ")
}

// stackedWords lists terms, those of one place parted by /.
func stackedWords(a Analyzer, text string) string {
	var b strings.Builder
	last := -1
	for t := range a.Tokens(text) {
		switch {
		case t.Pos == last:
			b.WriteByte('/')
		case last >= 0:
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
		last = t.Pos
	}
	return b.String()
}

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"call parseHTTPRequest now", "call parsehttprequest/parse http request now"},
		{"utf8String IPv6 Go x", "utf8string/utf8 string ipv6/i pv6 go x"},
		{"pg_Dump list.appendAll", "pg dump list appendall/append all"},
		{"plain WORDS don't éA", "plain words dont ea"},
	} {
		if got := stackedWords(Identifiers{}, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

func TestCompounds(t *testing.T) {
	t.Parallel()
	c := NewCompounds(nil, "Dampf", "Schiff", "Fahrt", "Gesellschaft", "Donau", "Arbeit", "Geber", "Zeitung", "Straße", "Straßenbahn", "Bahn", "ab")
	for _, tt := range []struct{ text, want string }{
		{"ein Dampfschiff fährt", "ein dampfschiff/dampf/schiff fahrt"},
		{"Donaudampfschiffahrtsgesellschaft", "donaudampfschiffahrtsgesellschaft"}, // an f was lost
		{"Dampfschifffahrtsgesellschaft", "dampfschifffahrtsgesellschaft/dampf/schiff/fahrt/gesellschaft"},
		{"Arbeitgeber Arbeitszeitung", "arbeitgeber/arbeit/geber arbeitszeitung/arbeit/zeitung"},
		{"Straßenbahn Dampf Dampfxschiff sarbeit", "strassenbahn dampf dampfxschiff sarbeit"},
	} {
		if got := stackedWords(c, tt.text); got != tt.want {
			t.Errorf("%q\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
	for tok := range c.Tokens("ein Dampfschiff") {
		if tok.Text == "schiff" && (tok.Start != 9 || tok.End != 15) {
			t.Errorf("schiff is from %d to %d", tok.Start, tok.End)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	german, err := NewSnowball("de", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a          Analyzer
		text, want string
	}{
		{Standard{}, "CRÈme-Brû", "creme-bru"},
		{Standard{KeepMarks: true}, "CRÈme", "crème"},
		{&English{}, "Connections", "connections"},
		{NewStopWords(nil, "The"), "The", "the"},
		{german, "HÄUSER", "hauser"},
		{Standard{}, "ᏣᎳᎩ ꮳꮃꭹ", "ᏣᎳᎩ ᏣᎳᎩ"},
		{lower{}, "Ä-Ü", "ä-ü"},
	} {
		if got := Fold(c.a, c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// lower is an analyzer without a method Fold.
type lower struct{ Analyzer }

// all makes one analyzer of each kind.
func all() map[string]Analyzer {
	m := map[string]Analyzer{
		"english":     &English{},
		"stop words":  NewStopWords(nil, "a", "é"),
		"synonyms":    NewSynonyms(nil, []string{"a b", "x"}, []string{"é a b", "b"}),
		"identifiers": Identifiers{},
		"compounds":   NewCompounds(nil, "aaa", "bab", "ééé"),
	}
	for _, code := range SnowballLanguages() {
		m[code], _ = NewSnowball(code, nil)
	}
	l, _ := NewLanguages(SnowballLanguages()...)
	m["languages"] = l
	m["nested"] = &English{Words: NewSynonyms(Identifiers{}, []string{"a b", "x"})}
	return m
}

// Whatever the text, tokens keep their contract.
func TestAllAnalyzers(t *testing.T) {
	t.Parallel()
	every := all()
	long := strings.Repeat("QUJDREVG", 8<<10) // 64 KiB
	for name, a := range every {
		for _, text := range []string{"", "\x00", "\xff\xfe", "a\x00b", "aA-b fooBar-baz x1Y-Z2z-q aB-cD", long, long + " after", strings.Repeat("é", 40_000), strings.Repeat("aAbB", 20_000)} {
			if err := wellFormed(tokens(a, text), text); err != nil {
				t.Errorf("%s: %.20q: %v", name, text, err)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		if rapid.Bool().Draw(t, "any") {
			text = rapid.String().Draw(t, "text")
		}
		for name, a := range every {
			if err := wellFormed(tokens(a, text), text); err != nil {
				t.Errorf("%s: %q: %v", name, text, err)
			}
			Slots(a, text)
		}
	})
}

// sharing is an analyzer whose phrases have terms in one memory.
type sharing struct {
	Standard
	phrases [][]Slot
}

func (s sharing) Phrases(string) [][]Slot { return s.phrases }

func TestPhrasesOfLanguagesAreTheirOwn(t *testing.T) {
	t.Parallel()
	x := append(make([]string, 0, 4), "x")
	first := [][]Slot{{{x, 0}}, {{x, 0}, {[]string{"y"}, 1}}}
	l := Languages{Other: sharing{phrases: first}, By: map[string]Analyzer{"de": sharing{phrases: [][]Slot{{{[]string{"a"}, 0}}, {{[]string{"b"}, 0}, {[]string{"y"}, 1}}}}}}
	for range 2 {
		if got, want := fmt.Sprint(Phrases(&l, "text")), "[[{[x a] 0}] [{[x b] 0} {[y] 1}]]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := fmt.Sprint(first); got != "[[{[x] 0}] [{[x] 0} {[y] 1}]]" {
			t.Errorf("those of the analyzer became %s", got)
		}
	}
}

// The language of a text of some length is known, by the code that NewLanguages takes.
func TestLanguageOfTexts(t *testing.T) {
	t.Parallel()
	l := &Languages{}
	for code, text := range map[string]string{
		"ar": "تبحث محركات البحث عن الصفحات التي تحتوي على الكلمات المطلوبة وترتبها حسب أهميتها بالنسبة للقارئ",
		"bg": "Търсещата машина намира страниците, в които се срещат думите, и ги подрежда според тяхното значение за читателя",
		"cs": "Vyhledávač najde stránky, na kterých se slova vyskytují, a seřadí je podle toho, jak jsou pro čtenáře důležité",
		"de": "Die Suchmaschine findet die Seiten, auf denen die Wörter vorkommen, und ordnet sie nach ihrer Bedeutung für den Leser",
		"el": "Η μηχανή αναζήτησης βρίσκει τις σελίδες στις οποίες υπάρχουν οι λέξεις και τις ταξινομεί ανάλογα με τη σημασία τους",
		"en": "The search engine finds the pages on which the words stand and orders them by what they are worth to the reader",
		"es": "El buscador encuentra las páginas en las que aparecen las palabras y las ordena según su importancia para el lector",
		"et": "Otsingumootor leiab lehed, kus need sõnad esinevad, ja järjestab need selle järgi, kui olulised need lugejale on",
		"fa": "موتور جستجو صفحه\u200cهایی را که این واژه\u200cها در آن\u200cها آمده است پیدا می\u200cکند و آن\u200cها را بر پایه اهمیت برای خواننده مرتب می\u200cکند",
		"fi": "Hakukone löytää sivut, joilla sanat esiintyvät, ja järjestää ne sen mukaan, kuinka tärkeitä ne ovat lukijalle",
		"fr": "Le moteur de recherche trouve les pages où les mots se trouvent et les classe selon leur importance pour le lecteur",
		"hi": "खोज इंजन उन पृष्ठों को ढूँढता है जिनमें ये शब्द आते हैं और उन्हें पाठक के लिए महत्व के अनुसार क्रमबद्ध करता है",
		"hu": "A keresőgép megtalálja azokat az oldalakat, amelyeken a szavak előfordulnak, és fontosságuk szerint rendezi őket az olvasónak",
		"id": "Mesin pencari menemukan halaman yang berisi kata-kata tersebut dan mengurutkannya menurut kepentingannya bagi pembaca",
		"it": "Il motore di ricerca trova le pagine in cui compaiono le parole e le ordina secondo la loro importanza per il lettore",
		"lt": "Paieškos sistema randa puslapius, kuriuose yra šie žodžiai, ir išdėsto juos pagal tai, kiek jie svarbūs skaitytojui",
		"nl": "De zoekmachine vindt de bladzijden waarop de woorden voorkomen en ordent ze naar hun belang voor de lezer",
		"no": "Søkemotoren finner sidene der ordene forekommer, og ordner dem etter hvor viktige de er for leseren av teksten",
		"pl": "Wyszukiwarka znajduje strony, na których występują słowa, i porządkuje je według ich znaczenia dla czytelnika",
		"pt": "O motor de busca encontra as páginas em que as palavras aparecem e as ordena segundo a sua importância para o leitor",
		"ro": "Motorul de căutare găsește paginile în care apar cuvintele și le ordonează după importanța lor pentru cititor",
		"ru": "Поисковая система находит страницы, на которых встречаются слова, и упорядочивает их по значению для читателя",
		"sv": "Sökmotorn hittar de sidor där orden förekommer och ordnar dem efter hur viktiga de är för läsaren av texten",
		"ta": "தேடுபொறி சொற்கள் இடம்பெறும் பக்கங்களைக் கண்டறிந்து அவற்றின் முக்கியத்துவத்தின் அடிப்படையில் வரிசைப்படுத்துகிறது",
		"tr": "Arama motoru sözcüklerin geçtiği sayfaları bulur ve bunları okuyucu için taşıdıkları öneme göre sıralar",
		"yi": "דער זוכמאשין געפינט די זייטן אויף וועלכע די ווערטער שטייען און ארדנט זיי לויט זייער וויכטיקייט פאר דעם לייענער",
		"uk": "Пошукова система знаходить сторінки, на яких трапляються слова, і впорядковує їх за значенням для читача. Якщо таких сторінок немає, вона питає, чи не мали ви на увазі щось інше, і що саме їй шукати далі",
	} {
		if got := l.Language(text); got != code {
			t.Errorf("%q is in %q, not in %q", text, code, got)
		}
	}
}
