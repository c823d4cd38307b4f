package crawler

import (
	"golang.org/x/text/language"

	"github.com/webquarry/quarry/internal/lang"
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
	return lang.Detect(r.page.Text)
}
