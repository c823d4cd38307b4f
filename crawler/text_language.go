package crawler

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
	"golang.org/x/text/language"
)

// language returns the declared language of the page, or the one its text is
// in if that is beyond doubt.
func (r *reader) language() string {
	for _, declared := range [...]string{r.facts.lang, r.facts.pragmaLang, r.facts.headerLang} {
		if declared == "" || len(declared) > 64 {
			continue
		}
		if tag, err := language.Parse(declared); err == nil && tag != language.Und {
			return tag.String()
		}
	}
	return detectLanguage(r.page.Text)
}

// detectLanguage judges by a part of the text, from beyond the menus that
// pages begin with. It says nothing when there is little text or in doubt.
func detectLanguage(text string) string {
	const sample, enough = 600, 100 // bytes, letters: more finds no more, and takes longer
	start := min(len(text)/3, max(0, len(text)-sample))
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	text = clip(text[start:], sample)
	var letters, kana int
	for _, c := range text {
		switch {
		case c >= 0x3040 && c < 0x3100:
			kana++
			letters++
		case unicode.IsLetter(c):
			letters++
		}
	}
	if letters < enough {
		return ""
	}
	if kana*10 > letters { // the detector counts kanji as Chinese
		return "ja"
	}
	if english(text) {
		return "en"
	}
	found := whatlanggo.Detect(text)
	if !found.IsReliable() {
		return ""
	}
	if code := found.Lang.Iso6391(); code != "" {
		return code
	}
	return found.Lang.Iso6393()
}

// english reports whether a text is beyond doubt in the language that most
// pages are in. It spares them the detector, which takes half as long as
// parsing the page.
func english(text string) bool {
	var words, the, others int
	for w := range strings.FieldsSeq(text) {
		words++
		switch w {
		case "the", "The":
			the++
		case "of", "and", "that", "with", "this", "are", "from":
			others++
		}
	}
	return words >= 40 && the*40 >= words && (the+others)*12 >= words
}
