package index_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
)

// A query in each form in which people write a word finds the documents in each other
// form, and the snippet marks it.
func TestWordsWrittenInSeveralWays(t *testing.T) {
	t.Parallel()
	groups := []string{
		"wi-fi, wifi, wi fi, Wi‑Fi, WiFi", "e-mail, email, e mail, E-Mail", "e-mails, emails, e mails", "U.S.A., USA, U.S.", "U.S. , USA", "e.g., eg",
		"1,000,000; 1000000; 1.000.000", "12,345; 12345", "AT&T, ATT", "R&D, RD", "anti-virus, antivirus, anti virus", "on-line, online, on line",
		"well-known, wellknown", "well-known, well known", "covid-19, covid19, covid 19", "F-16, F16, F 16", "data-base, database, data base", "T-shirt, tshirt, T shirt",
		"multi-media, multimedia, multi media", "co-operate, cooperate, co operate", "x-ray, xray, x ray", "don't, dont, don’t", "O'Reilly, OReilly, o’reilly",
		"l'avion, avion, l’avion", "👍, 👍🏽, 👍🏿", "🇩🇪", "👩‍👩‍👧", "❤️, ❤", "#golang, golang", "@nasa, nasa", "C++, c++", ".NET, .net", "١٢٣, 123, ۱۲۳",
		"کتاب, كتاب", "می\u200cروم, میروم", "Ankara'nın, Ankara", "м'яч, мяч, м’яч", "cœur, coeur", "blu-ray, bluray, blu ray", "web-site, website, web site",
	}
	for _, analyzer := range []string{"standard", "english"} {
		var docs [][2]string // group and form
		for i, g := range groups {
			sep := ", "
			if strings.Contains(g, ";") {
				sep = "; "
			}
			for form := range strings.SplitSeq(g, sep) {
				docs = append(docs, [2]string{fmt.Sprint(i), strings.TrimSpace(form)})
			}
		}
		ix, err := index.New(index.Options{Schema: index.Schema{{Name: "body", Analyzer: analyzer, Stored: true}}})
		if err != nil {
			t.Fatal(err)
		}
		defer ix.Close()
		w, err := ix.Writer()
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for i, d := range docs {
			doc := index.Document{Key: fmt.Sprint(i), Fields: []index.Field{{Name: "body", Value: "before " + d[1] + " behind"}}}
			if err := w.Add(t.Context(), doc); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		pairs := 0
		for _, d := range docs {
			for _, operator := range []query.Operator{query.AllFirst, query.AllWords, query.AnyWord} {
				q, _ := query.ParseLenient(d[1], query.ParseOptions{Operator: operator})
				res, err := ix.Search(t.Context(), q, index.SearchOptions{Limit: 1000, Snippets: map[string]highlight.Options{"body": {}}})
				if err != nil {
					t.Fatal(err)
				}
				found := map[string]index.Hit{}
				for _, h := range res.Hits {
					found[h.Key] = h
				}
				for i, other := range docs {
					if other[0] != d[0] {
						continue
					}
					pairs++
					h, ok := found[fmt.Sprint(i)]
					if !ok {
						t.Errorf("%s, operator %v: %q does not find %q", analyzer, operator, d[1], other[1])
						continue
					}
					if marked := h.Snippets["body"].HTML(); !strings.Contains(marked, "<mark>") {
						t.Errorf("%s: %q marks nothing in %q", analyzer, d[1], marked)
					}
				}
			}
		}
		if pairs < 200 {
			t.Errorf("only %d pairs", pairs)
		}
	}
}
