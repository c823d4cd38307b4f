package index_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
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
	q, err := query.Parse(text, query.ParseOptions{})
	must(t, err)
	found := keys(t, ix, q)
	slices.Sort(found)
	return strings.Join(found, " ")
}

func scoreOf(t *testing.T, ix *index.Index, text, key string) float64 {
	t.Helper()
	res, err := ix.Search(t.Context(), query.Match{Text: text}, index.SearchOptions{})
	must(t, err)
	for _, h := range res.Hits {
		if h.Key == key {
			return h.Score
		}
	}
	return 0
}

// Words that mean something together are found as that, also where nobody has put
// them in quotes.
func TestSynonymsOfWordsSideBySide(t *testing.T) {
	t.Parallel()
	groups := [][]string{{"usa", "united states"}, {"nyc", "new york city", "big apple"}}
	ix := memory(t, index.Options{
		Schema:    index.Schema{{Name: "title", Weight: 2}, {Name: "body", Analyzer: "a"}},
		Analyzers: map[string]analysis.Analyzer{"a": analysis.NewSynonyms(&analysis.English{}, groups...)},
	}, texts("the USA today", "United States", "states that are united", "hotels of NYC in the USA", "a big green apple", "New York City")...)
	for text, want := range map[string]string{
		"united states": "a b c d", "united AND states today": "a", "states united": "b c", "+united states": "a b c d", "body:(united states)": "a b c d",
		"title:(united states)": "", "big apple": "d e f", "hotel new york city united states": "d", "united OR states": "a b c d", "big OR apple OR zebra": "d e f",
		"-(united states)": "e f", "united^2 states": "b c", "united states -hotel": "a b c",
		"ex-united states": "", "united states-hotel": "", "(united states), today": "a", "\\(united states, today": "a",
	} {
		q, err := query.Parse(text, query.ParseOptions{})
		must(t, err)
		for _, q := range []query.Query{q, query.And{q, query.All{}}} {
			for _, scorer := range []rank.Scorer{rank.BM25{}, nil} {
				if got := explained(t, ix, q, scorer); got != want {
					t.Errorf("%s: found %q, want %q", q, got, want)
				}
			}
		}
	}
	q, _ := query.ParseLenient("united states", query.ParseOptions{})
	if got := highlight.New("the USA today", q, analysis.NewSynonyms(nil, groups...), highlight.Options{}).HTML(); got != "the <mark>USA</mark> today" {
		t.Errorf("a snippet shows %s", got)
	}
	if got := explained(t, ix, query.Match{Text: " united\tstates "}, nil); got != "a b c d" {
		t.Errorf("a Match of two words finds %q", got)
	}
}

// explained lists what is found, and holds that each score is explained.
func explained(t *testing.T, ix *index.Index, q query.Query, scorer rank.Scorer) string {
	t.Helper()
	snap, err := ix.Snapshot()
	must(t, err)
	defer snap.Close()
	opt := index.SearchOptions{Scorer: scorer}
	res, err := snap.Search(t.Context(), q, opt)
	must(t, err)
	var found []string
	for _, h := range res.Hits {
		found = append(found, h.Key)
		if ex, ok, err := snap.Explain(t.Context(), q, h.Key, opt); err != nil || !ok || ex.Value != h.Score {
			t.Errorf("%s: %s scores %v, explained as %v, %v", q, h.Key, h.Score, ex.Value, err)
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

// A word that parts in one language only is found by its documents, too.
func TestWordOfLanguages(t *testing.T) {
	t.Parallel()
	languages := &analysis.Languages{By: map[string]analysis.Analyzer{"en": analysis.NewSynonyms(nil, []string{"post", "e-mail"})}}
	docs := texts("an e-mail", "eine e-mail", "a post")
	docs[0].Language, docs[1].Language, docs[2].Language = "en", "de", "en"
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body", Analyzer: "a"}}, Analyzers: map[string]analysis.Analyzer{"a": languages}}, docs...)
	for text, want := range map[string]string{"e-mail": "a b c", `"e-mail"`: "a b c", "mail": "a b", "post": "a c", "e": "a b"} {
		if got := inOrder(t, ix, text); got != want {
			t.Errorf("%s: found %q, want %q", text, got, want)
		}
	}
}

// silent has no phrases at all.
type silent struct{ analysis.Standard }

func (silent) Phrases(string) [][]analysis.Slot { return nil }

func TestNoPhrases(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body", Analyzer: "a"}}, Analyzers: map[string]analysis.Analyzer{"a": silent{}}}, texts("a word")...)
	for _, text := range []string{"word", `"a word"`} {
		if got := inOrder(t, ix, text); got != "" {
			t.Errorf("%s: found %q", text, got)
		}
	}
}
