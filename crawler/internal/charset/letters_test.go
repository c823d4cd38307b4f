package charset

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// texts are of languages whose encodings differ in letters that are not ASCII.
var texts = map[string]string{
	"cs": "Příliš žluťoučký kůň úpěl ďábelské ódy. Všichni lidé se rodí svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství. Šťastný to muž, který žije u řeky a ťuká na dveře.",
	"sk": "Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti a práv. Sú obdarení rozumom a svedomím a majú navzájom jednať v bratskom duchu. Každý človek má právo na život, ťažký alebo šťastný, a na ľahší vŕšok.",
	"pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa. Źle się dzieje, gdy ćma żyje śniegiem.",
	"hu": "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek. Az őszi szőlő fűszeres ízű, a gyűrű könnyű.",
	"sl": "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake pravice. Obdarjeni so z razumom in vestjo in bi morali ravnati drug z drugim kakor bratje. Človek, ki živi v mestu, išče mir in časa nima, žejen je.",
	"hr": "Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima. Ona su obdarena razumom i sviješću i trebaju jedna prema drugima postupati u duhu bratstva. Žena je išla u kuću, a čovjek je čekao pred vratima škole.",
	"ro": "Toate fiinţele umane se nasc libere şi egale în demnitate şi în drepturi. Ele sunt înzestrate cu raţiune şi conştiinţă şi trebuie să se comporte unele faţă de altele în spiritul fraternităţii. Mâine plecăm în oraş.",
	"tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Bugün hava çok güzeldi, dışarı çıktık ve İstanbul'u gezdik.",
	"lt": "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė ir jie turi elgtis vienas kito atžvilgiu kaip broliai. Šiandien oras gražus, todėl eisime į mišką ieškoti grybų ir uogų.",
	"lv": "Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās. Viņi ir apveltīti ar saprātu un sirdsapziņu, un viņiem jāizturas citam pret citu brālības garā. Šodien ir jauks laiks, ejam uz mežu ogās.",
	"et": "Kõik inimesed sünnivad vabadena ja võrdsetena oma väärikuselt ja õigustelt. Neile on antud mõistus ja südametunnistus ja nende suhtumist üksteisesse peab kandma vendluse vaim. Täna käisime šokolaadi ostmas.",
	"de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen. Das Mädchen aß große Äpfel in der Straße über dem Fluß.",
	"fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité. Où étiez-vous à Noël, ma chère sœur ? Ça va, l’été.",
	"es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros. El niño comió piñas en la montaña después del otoño.",
	"pt": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade. Não há pães às três, irmã, e a avó pôs a mesa.",
	"it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza. Perché la città è così, però può più di metà.",
	"da": "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd. Både æbler og grønne pærer står på bordet i øst.",
	"sv": "Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap. Åsa köpte två böcker på sjön och åt räkor.",
	"fi": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä. Äiti söi pöydässä kesällä mansikoita.",
	"is": "Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum. Menn eru gæddir vitsmunum og samvisku, og ber þeim að breyta bróðurlega hverjum við annan. Það er gott veður í dag og við förum út að ganga með hundinn.",
	"ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства. Сегодня хорошая погода.",
	"bg": "Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест и следва да се отнасят помежду си в дух на братство. Днес времето е хубаво и ще отидем на разходка.",
	"ar": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء. الطقس جميل اليوم وسنذهب إلى السوق في المدينة.",
	"el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
	"he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה.",
}

// TestCharsetOfLanguages: undeclared text is read rightly in every encoding of its
// language, short or long, in a page or bare, whatever the page says its language is.
func TestCharsetOfLanguages(t *testing.T) {
	t.Parallel()
	central := []encoding.Encoding{charmap.Windows1250, charmap.ISO8859_2}
	cyrillic := []encoding.Encoding{charmap.Windows1251, charmap.KOI8R, charmap.ISO8859_5, charmap.MacintoshCyrillic, charmap.CodePage866, charmap.CodePage855}
	encodings := map[string][]encoding.Encoding{
		"cs": central, "sk": central, "pl": central, "hu": central, "sl": central, "hr": central, "ro": central,
		"tr": {charmap.Windows1254, charmap.ISO8859_9}, "lt": {charmap.Windows1257}, "lv": {charmap.Windows1257}, "et": {charmap.Windows1257},
		"ru": cyrillic, "bg": cyrillic, "ar": {charmap.Windows1256, charmap.ISO8859_6}, "el": {charmap.Windows1253, charmap.ISO8859_7}, "he": {charmap.Windows1255, charmap.ISO8859_8},
	}
	right, all := 0, 0
	for lang, text := range texts {
		encs := encodings[lang]
		if encs == nil {
			encs = []encoding.Encoding{charmap.Windows1252}
		}
		for _, enc := range encs {
			for _, words := range []int{20, 1000} {
				part := strings.Join(strings.Fields(text)[:min(words, len(strings.Fields(text)))], " ")
				raw, err := enc.NewEncoder().String(part)
				if err != nil {
					t.Fatalf("%s in %v: %v", lang, enc, err)
				}
				for _, hint := range []string{"", lang, "en", "cs"} {
					for _, page := range []bool{false, true} {
						body, header := raw, hint
						if page {
							body, header = "<html lang='"+hint+"'><head><title>x</title></head><body><p class=a>"+raw+"</p></body></html>", ""
						}
						got := Decode([]byte(body), "", header)
						all++
						if strings.Contains(string(got.Body), part) {
							right++
						} else if words > 20 || hint == lang {
							t.Errorf("%s in %v, %d words, said to be %q: read as %s: %.80s", lang, enc, words, hint, got.Charset, got.Body)
						}
					}
				}
			}
		}
	}
	if t.Logf("%d of %d right", right, all); right*50 < all*49 {
		t.Errorf("%d of %d right", right, all)
	}
}

// TestCharsetSigns: signs that are letters in another encoding are signs.
func TestCharsetSigns(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"it was £825, then £2 more", "© 2003 by us", "a «quoted» word", "20° and 3½ cups", "the café costs 5¢", "naïve façade", "• one • two", "it’s “so” – really"} {
		raw, err := charmap.Windows1252.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Decode([]byte(raw), "", ""); string(got.Body) != text {
			t.Errorf("%q is read as %s: %q", text, got.Charset, got.Body)
		}
	}
	for lang := range lettersOf {
		if !slices.ContainsFunc(latinCharsets, func(c struct {
			name      string
			enc       encoding.Encoding
			languages []string
		}) bool {
			return slices.Contains(c.languages, lang)
		}) {
			t.Errorf("no encoding is tried for %s", lang)
		}
	}
}
