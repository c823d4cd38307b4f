package lang

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A text of some words is in the language that it is in, told by stop words or not.
func TestDetect(t *testing.T) {
	t.Parallel()
	for code, text := range map[string]string{
		"en": "The old library by the river was closed for years, but now it is open again and people come from all over the town to read in its quiet rooms.",
		"de": "Die alte Bücherei am Fluss war lange geschlossen, aber jetzt ist sie wieder offen, und die Leute kommen aus der ganzen Stadt, um in den stillen Räumen zu lesen.",
		"fr": "La vieille bibliothèque au bord de la rivière était fermée depuis des années, mais elle est ouverte maintenant et les gens viennent de toute la ville pour lire dans ses salles.",
		"es": "La vieja biblioteca junto al río estuvo cerrada durante años, pero ahora está abierta de nuevo y la gente viene de toda la ciudad para leer en sus salas.",
		"it": "La vecchia biblioteca vicino al fiume era chiusa da anni, ma ora è di nuovo aperta e la gente viene da tutta la città per leggere nelle sue sale.",
		"nl": "De oude bibliotheek aan de rivier was jaren gesloten, maar nu is zij weer open en de mensen komen uit de hele stad om in de stille zalen te lezen.",
		"sv": "Det gamla biblioteket vid ån var stängt i många år, men nu är det öppet igen och folk kommer från hela staden för att läsa i de tysta rummen.",
		"hu": "A folyó melletti régi könyvtár évekig zárva volt, de most újra nyitva van, és az emberek az egész városból jönnek, hogy a csendes termekben olvassanak.",
		"ru": "Старая библиотека у реки была закрыта много лет, но теперь она снова открыта, и люди приходят со всего города, чтобы читать в её тихих залах.",
		"uk": "Стара бібліотека біля річки була зачинена багато років, але тепер вона знову відчинена, і люди приходять з усього міста, щоб читати в її тихих залах.",
		"vi": "Thư viện cũ bên sông đã đóng cửa nhiều năm, nhưng bây giờ nó đã mở lại và mọi người từ khắp thành phố đến đọc sách trong những căn phòng yên tĩnh.",
		"hy": "Գետի մոտ գտնվող հին գրադարանը տարիներ շարունակ փակ էր, բայց հիմա այն կրկին բաց է",
		"ja": "川のそばの古い図書館は何年も閉まっていましたが、今はまた開いていて、町中から人々が静かな部屋で本を読みに来ます。日曜日は休みです。",
		"":   "Short words, no more.",
	} {
		if got := Detect(text); got != code {
			t.Errorf("%q is in %q, want %q", text, got, code)
		}
	}
}

// The language of no text is a panic.
func TestDetectAnything(t *testing.T) {
	t.Parallel()
	words, _ := stopWordLanguages()
	list := slices.Sorted(maps.Keys(words))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(list), 0, 60).Draw(t, "words"), " ") + rapid.String().Draw(t, "more")
		if code := Detect(text); code != strings.ToLower(code) {
			t.Fatalf("%q is in %q", text, code)
		}
	})
}
