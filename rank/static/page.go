package static

import (
	"strings"
	"unicode"
)

// Page is what is looked at of a page.
type Page struct {
	URL      string
	Title    string
	Headings []string
	Body     string // its text, without the title
}

// PageNames are the names of what PageFeatures returns, behind those of [URLNames]:
//
//	page.words         words of the body
//	page.title         words of the title
//	page.headings      words of headings
//	page.title_ratio   words of the title, as a part of those of title and body
//	page.heading_ratio words of headings, as a part of those of headings and body
//	page.title_in_body how many of the different words of the title the body has
//	page.stop_words    common English words, as a part of the words of the body: about 0.4 in prose
//	page.word_length   mean length of the words of the body
//	page.letters       letters, as a part of what is not space in the body
//	page.capitals      upper case letters, as a part of letters
//	page.different     different words, as a part of the first 1000 of the body
//	page.english       [English] of the body
func PageNames() []string { return append(URLNames(), pageNames...) }

var pageNames = []string{
	"page.words", "page.title", "page.headings", "page.title_ratio", "page.heading_ratio", "page.title_in_body",
	"page.stop_words", "page.word_length", "page.letters", "page.capitals", "page.different", "page.english",
}

// PageFeatures returns the features of a page, by the order of [PageNames], all finite. The cost is that of going over its text
// a few times.
func PageFeatures(p Page) []float64 {
	title, body := wordsOf(p.Title), wordsOf(p.Body)
	headings := 0
	for _, h := range p.Headings {
		headings += len(wordsOf(h))
	}
	known := map[string]bool{}
	common, letters := 0, 0
	different := 0
	for i, w := range body {
		if isCommon[w] {
			common++
		}
		letters += len([]rune(w))
		if !known[w] {
			known[w] = true
			if i < 1000 {
				different++
			}
		}
	}
	inBody := 0
	for _, w := range title {
		if known[w] {
			inBody++
		}
	}
	signs := count(p.Body)
	return append(URLFeatures(p.URL),
		float64(len(body)),
		float64(len(title)),
		float64(headings),
		ratio(len(title), len(title)+len(body)),
		ratio(headings, headings+len(body)),
		ratio(inBody, len(title)),
		ratio(common, len(body)),
		ratio(letters, len(body)),
		ratio(signs.letters, signs.visible),
		ratio(signs.capitals, signs.letters),
		ratio(different, min(len(body), 1000)),
		English(p.Body),
	)
}

// ratio is 0 of nothing.
func ratio(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

type signs struct{ visible, letters, capitals int }

func count(text string) (n signs) {
	for _, r := range text {
		if !unicode.IsSpace(r) {
			n.visible++
		}
		if unicode.IsLetter(r) {
			n.letters++
			if unicode.IsUpper(r) {
				n.capitals++
			}
		}
	}
	return n
}

// wordsOf are the runs of letters and digits of a text, in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) })
}

// isCommon are the words of which prose is made of whatever it tells.
var isCommon = func() map[string]bool {
	of := map[string]bool{}
	for _, w := range strings.Fields(`the of and in to a is was for as on by with he that at from his it an were are which this or be
		had has have its but not they their also who been one after first her she two all more when there can into other some would
		than may about only between most these such no if so then out up will we you i my your our what how do does did could should
		them him me us over during through where while each any because`) {
		of[w] = true
	}
	return of
}()
