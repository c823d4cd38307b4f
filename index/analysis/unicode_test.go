package analysis_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/internal/unicodetest"
)

// all are analyzers of every kind and language.
func all(t *testing.T) map[string]analysis.Analyzer {
	t.Helper()
	codes := analysis.SnowballLanguages()
	languages, err := analysis.NewLanguages("de", "en", "ru", "ar")
	if err != nil {
		t.Fatal(err)
	}
	many := map[string]analysis.Analyzer{
		"marks":       analysis.Standard{KeepMarks: true},
		"stop words":  analysis.NewStopWords(nil, analysis.EnglishStopWords()...),
		"synonyms":    analysis.NewSynonyms(nil, []string{"fox", "wild dog", "數学"}, []string{"привет", "שלום"}),
		"identifiers": analysis.Identifiers{},
		"accents":     analysis.Accents{Words: &analysis.English{}},
		"compounds":   analysis.NewCompounds(nil, "fox", "dog", "stra", "sse"),
		"languages":   languages,
		"nested":      &analysis.English{Words: analysis.NewSynonyms(analysis.NewStopWords(analysis.Identifiers{}, "the"), []string{"db", "data base"})},
	}
	for _, name := range append(analysis.Names(), codes...) {
		if a := analysis.Named(name); a != nil {
			many[name] = a
		}
	}
	return many
}

// No text makes an analyzer panic or break what it promises. Each text goes through some of
// the analyzers; QUARRY_TEXTS=1000000 makes it a million texts.
func TestAnalyzersOfUnicode(t *testing.T) {
	t.Parallel()
	many := all(t)
	names := slices.Sorted(maps.Keys(many))
	unicodetest.Each(t, 2000, func(r *rand.Rand, text string) {
		for _, name := range []string{names[r.IntN(len(names))], names[r.IntN(len(names))], "standard"} {
			a := many[name]
			start, pos := 0, 0
			for tok := range a.Tokens(text) {
				if tok.Text == "" || len(tok.Text) > analysis.MaxToken || !utf8.ValidString(tok.Text) || tok.Start < start || tok.Pos < pos || tok.End <= tok.Start || tok.End > len(text) {
					t.Errorf("%s of %+q: %+q %+v, after %d at %d", name, text, tok.Text, tok, start, pos)
					return
				}
				start, pos = tok.Start, tok.Pos
			}
			for _, slots := range append(analysis.Phrases(a, text), analysis.Slots(a, text)) {
				last := -1
				for _, s := range slots {
					if s.Pos <= last || len(s.Terms) == 0 || s.Terms[0] == "" {
						t.Errorf("%s of %+q: slots %v", name, text, slots)
						return
					}
					last = s.Pos
				}
			}
			if folded := analysis.Fold(a, text); !utf8.ValidString(folded) && utf8.ValidString(text) {
				t.Errorf("%s folds %+q to %+q", name, text, folded)
			}
			if words := strings.Fields(text); len(words) < 50 {
				for _, j := range analysis.Joints(a, words) {
					if j.From < 0 || j.To > len(words) || j.From >= j.To || j.Term == "" {
						t.Errorf("%s of %+q: %v", name, text, j)
					}
				}
			}
		}
		for range (analysis.Standard{}).Tokens(text) { // one that has had enough
			break
		}
		languages := many["languages"].(*analysis.Languages)
		_ = languages.In(languages.Language(text))
	})
}
