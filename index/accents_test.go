package index_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// With Accents a document with the accents of the query comes before those without or with others,
// which are found too; a query without accents finds all.
func TestAccents(t *testing.T) {
	t.Parallel()
	spanish, err := analysis.NewSnowball("es", nil)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields("año ano ánó, papá papa pápa, sí si sì, té te tè, más mas más2x, él el èl, tú tu tù, sólo solo sòlo, público publico publicó, hacía hacia hacià, " +
		"médico medico medicó, término termino terminó, esté este esta, está esta ésta, inglés ingles inglès, pérdida perdida perdidà, sábana sabana sàbana, " +
		"secretaría secretaria secretària, revólver revolver revòlver, cálculo calculo calculó, mamá mama màma, bebé bebe bèbe, círculo circulo circuló, dé de dè, mí mi mì, " +
		"Łódź lodz lòdz, cœur coeur cöeur, ёлка елка ёлкa, größe grosse größé, sträße strasse straße, å a ä, øre ore öre, æsop aesop äesop, façade facade fàcade, naïve naive naíve, " +
		"über uber ûber, schön schon schôn, fällt fallt fâllt, müsste musste mûsste, España Espana Espàna, peña pena péna, niño nino níno, cañón canon cánon, jalapeño jalapeno jalápeno, " +
		"ğ g ĝ, şans sans ŝans, çok cok ćok, ışık isik îşik, resumé resume résume, rosé rose rosè, pâté pate paté, maté mate màte, ação acao acáo, avô avo avó, três tres trés, voilà voila voilá")
	for name, scorer := range map[string]rank.Scorer{"BM25": rank.BM25{}, "BM25F": rank.BM25F{}} {
		ix := memory(t, index.Options{
			Schema:    index.Schema{{Name: "title", Analyzer: "es"}, {Name: "body", Analyzer: "es"}},
			Analyzers: map[string]analysis.Analyzer{"es": analysis.Accents{Words: spanish}}, Scorer: scorer,
		})
		w := writer(t, ix)
		for i, word := range words {
			word = strings.Trim(word, ",")
			doc := index.Document{Key: word, Fields: []index.Field{{Name: "body", Value: "texto con " + word + " dentro"}}}
			if i%3 == 2 && strings.ContainsAny(word, "2") {
				continue
			}
			must(t, w.Add(t.Context(), doc))
		}
		must(t, w.Commit(t.Context()))
		tried := 0
		for i := 0; i < len(words); i += 3 {
			with, without := strings.Trim(words[i], ","), strings.Trim(words[i+1], ",")
			found := search(t, ix, query.Match{Text: with})
			at := slices.IndexFunc(found, func(h index.Hit) bool { return h.Key == with })
			other := slices.IndexFunc(found, func(h index.Hit) bool { return h.Key == without })
			if at != 0 || other < 0 || found[0].Score <= found[other].Score {
				t.Errorf("%s: %q is at %d, %q at %d: %v", name, with, at, without, other, found)
			}
			found = search(t, ix, query.Match{Text: without})
			for _, key := range []string{with, without} {
				if !slices.ContainsFunc(found, func(h index.Hit) bool { return h.Key == key }) {
					t.Errorf("%s: %q does not find %q: %v", name, without, key, found)
				}
			}
			tried++
		}
		if tried < 50 {
			t.Errorf("%d words", tried)
		}
	}
}

func search(t *testing.T, ix *index.Index, q query.Query) []index.Hit {
	t.Helper()
	res, err := ix.Search(t.Context(), q, index.SearchOptions{Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	return res.Hits
}
