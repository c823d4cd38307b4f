package index_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
)

// Synonyms of several words are found beside other words of a phrase, and each word
// by its beginning, by patterns and with typing errors.
func TestSynonymsInPhrases(t *testing.T) {
	t.Parallel()
	for name, analyzer := range map[string]analysis.Analyzer{
		"outermost": analysis.NewSynonyms(&analysis.English{}, []string{"usa", "united states", "united states of america"}, []string{"tv", "television"}),
		"inside":    &analysis.English{Words: analysis.NewSynonyms(nil, []string{"usa", "united states", "united states of america"}, []string{"tv", "television"})},
	} {
		ix := memory(t, index.Options{Schema: index.Schema{{Name: "body", Analyzer: "a"}}, Analyzers: map[string]analysis.Analyzer{"a": analyzer}}, texts(
			"in the USA today", "in the United States today", "the United States of America today", "the USA is today", "a TV", "television", "new states united")...)
		for text, want := range map[string]string{
			"usa": "a b c d", `"united states"`: "a b c d", "states": "b c g", "television": "e f", "tv": "e f", "televis*": "f", "televisoin~3": "f", "/tele.*/": "f",
		} {
			if got := inOrder(t, ix, text); got != want {
				t.Errorf("%s: %s: found %q, want %q", name, text, got, want)
			}
		}
		one, other := scoreOf(t, ix, "tv", "e"), scoreOf(t, ix, "tv", "f")
		if one < other || one == 0 || other == 0 {
			t.Errorf("%s: a synonym scores %v, and the word %v in a longer text", name, other, one)
		}
		if name != "outermost" {
			continue
		}
		for text, want := range map[string]string{
			`"usa today"`: "a b c", `"united states today"`: "a b c", `"the united states of america today"`: "a b c", `"in the usa"`: "a b",
			`"usa tod*"`: "a b c", `"usa is today"`: "d", "usa-today": "a b c", `"usa today"~1`: "a b c d",
		} {
			if got := inOrder(t, ix, text); got != want {
				t.Errorf("%s: found %q, want %q", text, got, want)
			}
		}
	}
}

func inOrder(t *testing.T, ix *index.Index, text string) string {
	t.Helper()
	q, err := index.Parse(text, index.ParseOptions{})
	must(t, err)
	found := keys(t, ix, q)
	slices.Sort(found)
	return strings.Join(found, " ")
}

func scoreOf(t *testing.T, ix *index.Index, text, key string) float64 {
	t.Helper()
	res, err := ix.Search(t.Context(), index.Match{Text: text}, index.SearchOptions{})
	must(t, err)
	for _, h := range res.Hits {
		if h.Key == key {
			return h.Score
		}
	}
	return 0
}
