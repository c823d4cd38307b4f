package index_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// pagesOf are two pages in each of some languages, and a word that only the first has, in
// another form, as people type it.
var pagesOf = []struct{ language, first, second, typed string }{
	{"en", "The engineers were running several experiments with the new engines before they told anybody about it, and that was a mistake.", "A garden is what you make of it when there is some water and a little sun in the morning.", "engine experiment"},
	{"de", "Die Häuser am Fluss wurden in den letzten Jahren verkauft, und die neuen Besitzer haben sie von Grund auf erneuert und gestrichen.", "Ein Garten ist das, was man mit etwas Wasser und ein wenig Sonne am Morgen daraus macht, sagt die alte Frau.", "haus fluss"},
	{"fr", "Les chevaux des voisins étaient dans les champs depuis le matin, et personne ne savait pourquoi ils avaient quitté leurs écuries.", "Un jardin est ce que l'on en fait avec un peu d'eau et de soleil dans la journée, dit la vieille dame de la maison.", "champ ecurie"},
	{"es", "Las canciones de los pescadores se escuchaban en todas las plazas del pueblo cuando volvían los barcos por la tarde con las redes.", "Un jardín es lo que se hace de él con un poco de agua y de sol por la mañana, dice la mujer que vive en la casa.", "cancion pescador"},
	{"it", "Le canzoni dei pescatori si sentivano in tutte le piazze del paese quando le barche tornavano la sera con le reti piene di pesci.", "Un giardino è quello che se ne fa con un po' di acqua e di sole nella mattina, dice la donna che abita nella casa.", "canzone pescatore"},
	{"pt", "As canções dos pescadores ouviam-se em todas as praças da vila quando os barcos voltavam à tarde com as redes cheias de peixes.", "Um jardim é o que se faz dele com um pouco de água e de sol pela manhã, diz a mulher que vive na casa da esquina.", "pescador praca"},
	{"nl", "De huizen aan de rivier zijn in de laatste jaren verkocht, en de nieuwe eigenaren hebben ze van de grond af aan vernieuwd en geschilderd.", "Een tuin is wat je er met een beetje water en wat zon in de ochtend van maakt, zegt de oude vrouw uit het dorp.", "eigenaar rivieren"},
	{"sv", "Husen vid ån har sålts under de senaste åren, och de nya ägarna har gjort om dem från grunden och målat dem i många färger.", "En trädgård är vad man gör av den med lite vatten och lite sol på morgonen, säger den gamla kvinnan i byn.", "hus farg"},
	{"ru", "Песни рыбаков были слышны на всех площадях города, когда лодки возвращались вечером с полными сетями, и дети бежали к берегу.", "Сад — это то, что из него делают, когда есть немного воды и немного солнца по утрам, говорит старая женщина.", "рыбак лодка"},
	{"hu", "A folyó melletti házakat az elmúlt években eladták, és az új tulajdonosok az alapoktól kezdve felújították és kifestették őket.", "A kert az, amit az ember egy kis vízzel és egy kevés reggeli napfénnyel csinál belőle, mondja az öreg asszony.", "haz tulajdonos"},
}

// An index that was made without a choice finds what people type in each language: other
// forms of words, with and without accents.
func TestDefaultsInEachLanguage(t *testing.T) {
	t.Parallel()
	for _, together := range []bool{false, true} {
		ix := memory(t, index.Options{})
		for _, p := range pagesOf {
			of := ix
			if !together {
				of = memory(t, index.Options{})
			}
			put(t, of, index.Document{Key: p.language + "1", Fields: []index.Field{{Name: "body", Value: p.first}}}, index.Document{Key: p.language + "2", Fields: []index.Field{{Name: "body", Value: p.second}}})
			q, _ := query.ParseLenient(p.typed, query.ParseOptions{Operator: query.AllWords})
			if got := keys(t, of, q); len(got) != 1 || got[0] != p.language+"1" {
				t.Errorf("together %v: %s finds %v", together, p.typed, got)
			}
		}
	}
}

// What is found and its score do not depend on documents that were deleted or replaced,
// in whatever language they were.
func TestLanguagesOfLiveDocuments(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 2))
	for range 15 {
		ix := memory(t, index.Options{})
		w := writer(t, ix)
		live := map[string]string{}
		for range 1 + r.IntN(6) {
			for range 1 + r.IntN(4) {
				p, key := pagesOf[r.IntN(len(pagesOf))], fmt.Sprint(r.IntN(6))
				if text := p.first; r.IntN(3) > 0 {
					live[key] = text
					must(t, w.Add(t.Context(), index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: text}}}))
				} else {
					delete(live, key)
					must(t, w.Delete(t.Context(), key))
				}
			}
			must(t, w.Commit(t.Context()))
			if r.IntN(4) == 0 {
				must(t, w.Merge(t.Context()))
			}
		}
		fresh := memory(t, index.Options{})
		for key, text := range live {
			put(t, fresh, index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: text}}})
		}
		for _, p := range pagesOf {
			q, _ := query.ParseLenient(p.typed+" in die de", query.ParseOptions{})
			got, err := ix.Search(t.Context(), q, index.SearchOptions{})
			must(t, err)
			want, err := fresh.Search(t.Context(), q, index.SearchOptions{})
			must(t, err)
			if !reflect.DeepEqual(got.Hits, want.Hits) {
				t.Errorf("%s finds %v, want %v", q, got.Hits, want.Hits)
			}
		}
	}
}

// Texts of links are analysed in the language of the page that they lead to.
func TestLanguageOfAnchors(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body", Analyzer: "auto"}, {Name: "links", Analyzer: "auto", Anchors: 2}}})
	w := writer(t, ix)
	for _, p := range pagesOf[:2] {
		must(t, w.Add(t.Context(), index.Document{Key: p.language, Fields: []index.Field{{Name: "body", Value: p.second}}}))
	}
	must(t, w.AddAnchors(t.Context(), index.Anchor{Target: "de", Source: "s", Text: "Häuser"}, index.Anchor{Target: "en", Source: "s", Text: "running"}), w.Commit(t.Context()))
	for text, want := range map[string]string{"Haus": "de", "run": "en"} {
		if got := keys(t, ix, query.Match{Field: "links", Text: text}); len(got) != 1 || got[0] != want {
			t.Errorf("%s finds %v", text, got)
		}
	}
}

// Shards whose documents are in different languages are asked in those of all.
func TestShardsInLanguages(t *testing.T) {
	t.Parallel()
	one := memory(t, index.Options{})
	var shards []*index.Snapshot
	all := map[string]bool{}
	for i := range 3 {
		shard := memory(t, index.Options{})
		for j, p := range pagesOf {
			if j%3 != i {
				continue
			}
			for n, text := range []string{p.first, p.second} {
				d := index.Document{Key: fmt.Sprint(p.language, n), Fields: []index.Field{{Name: "body", Value: text}}}
				put(t, shard, d)
				put(t, one, d)
			}
		}
		s, err := shard.Snapshot()
		must(t, err)
		defer s.Close()
		codes, err := s.Languages()
		must(t, err)
		if !slices.IsSorted(codes) || len(codes) < 3 {
			t.Errorf("shard %d: %q", i, codes)
		}
		for _, code := range codes {
			all[code] = true
		}
		shards = append(shards, s)
	}
	for _, p := range pagesOf {
		q, _ := query.ParseLenient(p.typed+" die de", query.ParseOptions{})
		want, err := one.Search(t.Context(), q, index.SearchOptions{Limit: 50})
		must(t, err)
		opt := index.SearchOptions{Limit: 50, Languages: slices.Sorted(maps.Keys(all))}
		var global index.TermStats
		for _, s := range shards {
			stats, err := s.TermStats(t.Context(), q, opt)
			must(t, err)
			global.Add(stats)
		}
		opt.Global = &global
		scores := map[string]float64{}
		for _, s := range shards {
			res, err := s.Search(t.Context(), q, opt)
			must(t, err)
			for _, h := range res.Hits {
				scores[h.Key] = h.Score
			}
		}
		for _, h := range want.Hits {
			if scores[h.Key] != h.Score {
				t.Errorf("%s: %s scores %v, of one index %v", q, h.Key, scores[h.Key], h.Score)
			}
		}
		if len(scores) != len(want.Hits) {
			t.Errorf("%s: %d hits, of one index %d", q, len(scores), len(want.Hits))
		}
	}
}

// A filter whose matches are remembered is not taken for what it was when other languages
// were there.
func TestFiltersInOtherLanguages(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{KeepFilters: 8})
	put(t, ix, index.Document{Key: "en", Fields: []index.Field{{Name: "body", Value: pagesOf[0].second + " haus"}}})
	filter := query.Constant{Query: query.And{query.Match{Field: "body", Text: "Häuser"}, query.Match{Field: "body", Text: "garden"}}, Score: 1}
	ask := func() int {
		res, err := ix.Search(t.Context(), filter, index.SearchOptions{})
		must(t, err)
		return res.Total.Value
	}
	before := 0
	for range 4 {
		before = ask()
	}
	put(t, ix, index.Document{Key: "de", Fields: []index.Field{{Name: "body", Value: pagesOf[1].first}}})
	if got := ask(); before != 0 || got != 1 {
		t.Errorf("%d, and %d with a document in German", before, got)
	}
}
