package ltr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/ltr"
)

var stats = map[string]rank.Stats{
	"red": {Docs: 10, DocFreq: 2, AvgLen: 4, CollFreq: 3}, "fox": {Docs: 10, DocFreq: 5, AvgLen: 4, CollFreq: 9},
}

func newExtractor() *ltr.Extractor {
	return &ltr.Extractor{
		Fields: []ltr.Field{{Name: "title", Weight: 2}, {Name: "body"}}, Numbers: []string{"pagerank", "seen"},
		Analyze: strings.Fields,
		Stats: func(_, word string) (rank.Stats, error) {
			if s, ok := stats[word]; ok {
				return s, nil
			}
			return rank.Stats{Docs: 10, DocFreq: 1, AvgLen: 4, CollFreq: 1}, nil
		},
	}
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	x := newExtractor()
	hits := []rank.Hit{
		{Key: "a", Score: 4, Fields: map[string]any{"title": "red fox", "body": "fox a a red b red fox", "pagerank": 0.25, "seen": time.Unix(7, 0)}},
		{Key: "b", Score: 2, Fields: map[string]any{"body": []string{"the", "fox"}, "pagerank": int64(3)}},
		{Key: "c", Score: 1},
	}
	rows, err := x.Extract(t.Context(), "red fox red", hits)
	if err != nil {
		t.Fatal(err)
	}
	names := x.Features()
	of := func(hit int, name string) float64 {
		i := slices.Index(names, name)
		if i < 0 || len(rows[hit]) != len(names) {
			t.Fatalf("%s: %d of %d, %d", name, i, len(names), len(rows[hit]))
		}
		return rows[hit][i]
	}
	idf := func(w string) float64 { return rank.Probabilistic.Weight(stats[w].Docs, stats[w].DocFreq) }
	both := idf("red") + idf("fox")
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		a, b, c float64
	}{
		{"body.tf_sum", 4, 1, 0}, {"body.tf_min", 2, 1, 0}, {"body.tf_max", 2, 1, 0}, {"body.length", 7, 2, 0},
		{"body.tf_share", 4. / 7, .5, 0}, {"body.first", 0, 1, nan}, {"body.span", 2, nan, nan}, {"title.span", 2, nan, nan},
		{"body.idf", both, idf("fox"), 0}, {"body.coverage", 1, idf("fox") / both, 0}, {"body.pairs", .5, 0, 0}, {"title.pairs", .5, 0, 0},
		{"body.bm25", rank.BM25{}.Term(stats["red"])(2, 7) + rank.BM25{}.Term(stats["fox"])(2, 7), rank.BM25{}.Term(stats["fox"])(1, 2), 0},
		{"score", 4, 2, 1}, {"score_rel", 1, .5, .25}, {"coverage", 1, idf("fox") / both, 0}, {"place", 1, .5, 1. / 3},
		{"query_length", 2, 2, 2}, {"query_idf", both, both, both}, {"pagerank", .25, 3, nan}, {"seen", 7, nan, nan},
	} {
		for hit, want := range []float64{c.a, c.b, c.c} {
			if got := of(hit, c.name); !(math.Abs(got-want) <= 1e-12) && (got == got || want == want) {
				t.Errorf("%s of %s: %v, want %v", c.name, hits[hit].Key, got, want)
			}
		}
	}
	for _, name := range []string{"bm25f", "in_expb2", "lm", "rm3", "title.bm25", "title.in_expb2"} {
		if a, b, c := of(0, name), of(1, name), of(2, name); !(a > b && b >= c && c == 0) {
			t.Errorf("%s: %v %v %v", name, a, b, c)
		}
	}
	if a, b, c := of(0, "like"), of(1, "like"), of(2, "like"); !(a > 0.5 && math.Abs(a-b) < 1e-12 && c == 0) { // the best ones are both alike to their middle
		t.Error(a, b, c)
	}
	if a, b := of(0, "bm25f_rel"), of(1, "bm25f_rel"); a != 1 || !(b > 0 && b < 1) {
		t.Error(a, b)
	}
}

// Nothing but what is said to be missing is NaN, and nothing is infinite, whatever there is not.
func TestFeaturesOfNothing(t *testing.T) {
	t.Parallel()
	x := newExtractor()
	for _, q := range []string{"", "red", "unknown words", "red red red"} {
		for _, hits := range [][]rank.Hit{nil, {{}}, {{Key: "a", Score: -1}, {Key: "b", Score: math.Inf(1), Fields: map[string]any{"title": 7, "body": "red"}}}} {
			rows, err := x.Extract(t.Context(), q, hits)
			if err != nil || len(rows) != len(hits) {
				t.Fatal(q, rows, err)
			}
			for _, row := range rows {
				for i, name := range x.Features() {
					may := strings.HasSuffix(name, ".first") || strings.HasSuffix(name, ".span") || slices.Contains(x.Numbers, name)
					if row[i] != row[i] && !may || math.IsInf(row[i], 0) && name != "score" {
						t.Errorf("%q: %s = %v", q, name, row[i])
					}
				}
			}
		}
	}
	x.Stats = func(string, string) (rank.Stats, error) { return rank.Stats{}, context.DeadlineExceeded }
	if _, err := x.Extract(t.Context(), "red", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// A model is the second stage of a search, and its explanation has the scores that the search gives.
func TestRanker(t *testing.T) {
	t.Parallel()
	ix, err := index.New(index.Options{Schema: index.Schema{{Name: "title", Kind: index.Text, Stored: true}, {Name: "body", Kind: index.Text, Stored: true}}})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for key, body := range map[string]string{"a": "fox fox fox", "b": "a fox and a long tale of hounds", "c": "fox", "d": "the fox, again"} {
		if err := w.Add(t.Context(), index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: body}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	// Longer is better, says this model: what the default does not.
	data := &ltr.Dataset{Features: []string{"body.length"}}
	for q := range 20 {
		g := ltr.Group{Query: string(rune('a' + q))}
		for n := range 8 {
			g.Docs = append(g.Docs, ltr.Doc{Grade: min(n, 4), Features: []float64{float64(n)}})
		}
		data.Groups = append(data.Groups, g)
	}
	m, _, err := ltr.LambdaMART{Trees: 50}.Train(t.Context(), data, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ltr.NewRanker(m, newExtractor())
	if err != nil {
		t.Fatal(err)
	}
	opt := index.SearchOptions{Fields: []string{"title", "body"}}
	first, err := ix.Search(t.Context(), query.Match{Text: "fox"}, opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Rerank = index.Rerank{By: r, Fields: []string{"title", "body"}, Text: "fox"}
	res, err := ix.Search(t.Context(), query.Match{Text: "fox"}, opt)
	if err != nil {
		t.Fatal(err)
	}
	order := ""
	for _, h := range res.Hits {
		order += h.Key
	}
	if len(order) != 4 || order[0] != 'b' || order[3] != 'c' {
		t.Errorf("order %s", order)
	}
	hits := make([]rank.Hit, len(first.Hits))
	for i, h := range first.Hits {
		hits[i] = rank.Hit{Key: h.Key, Score: h.Score, Fields: h.Fields}
	}
	explained, err := r.Explain(t.Context(), "fox", hits)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range res.Hits {
		i := slices.IndexFunc(hits, func(of rank.Hit) bool { return of.Key == h.Key })
		if ex := explained[i]; ex.Value != h.Score || !strings.Contains(ex.String(), "body.length = ") {
			t.Errorf("%s: score %v, explained\n%v", h.Key, h.Score, ex)
		}
	}
	for name, change := range map[string]func(*ltr.Extractor){
		"a feature that nobody makes":           func(x *ltr.Extractor) { x.Fields = x.Fields[:1] },
		"two features of the name \"score\"":    func(x *ltr.Extractor) { x.Numbers = []string{"score"} },
		"two features of the name \"a.bm25\"":   func(x *ltr.Extractor) { x.Fields = append(x.Fields, ltr.Field{Name: "a"}, ltr.Field{Name: "a"}) },
		"a number named as a feature of a text": func(x *ltr.Extractor) { x.Numbers = []string{"body.length"} },
	} {
		x := newExtractor()
		change(x)
		_, err := ltr.NewRanker(m, x)
		if _, ok := errors.AsType[*ltr.InputError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkExtract makes the features of a hundred hits of two hundred words.
func BenchmarkExtract(b *testing.B) {
	x := newExtractor()
	r := rand.New(rand.NewPCG(1, 2))
	hits := make([]rank.Hit, 100)
	for i := range hits {
		var body strings.Builder
		for range 200 {
			fmt.Fprintf(&body, "w%d ", int(math.Pow(2000, r.Float64())))
		}
		hits[i] = rank.Hit{Key: fmt.Sprint(i), Score: 100 - float64(i), Fields: map[string]any{"title": "w1 red w3", "body": body.String() + "red fox"}}
	}
	for b.Loop() {
		if _, err := x.Extract(b.Context(), "red fox w7 w30 w200", hits); err != nil {
			b.Fatal(err)
		}
	}
}
