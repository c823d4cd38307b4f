package index

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// standIns is an Expander.
type standIns map[string]map[string]float64

func (s standIns) Expand(term string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for _, other := range slices.Sorted(maps.Keys(s[term])) {
			if !yield(other, s[term][other]) {
				return
			}
		}
	}
}

// A pruned search with an Expander finds what an exhaustive one does, and counts the
// same, by every Scorer, alone and within other queries.
func TestExpandedSearchIsExact(t *testing.T) {
	t.Parallel()
	const docs = 6000
	ix := workWorld(t, docs)
	var words []string
	for w := range workFrequencies(docs) {
		words = append(words, w)
	}
	slices.Sort(words)
	r := rand.New(rand.NewPCG(5, 6))
	word := func() string { return words[r.IntN(len(words))] }
	for round := range 120 {
		expander := standIns{}
		for range 4 {
			of := map[string]float64{"nowhere": 0.9}
			for range 1 + r.IntN(4) {
				of[word()] = 1 / float64(1+r.IntN(5))
			}
			expander[word()] = of
			expander["mistyped"] = of
		}
		a, b, wrong := query.Match{Text: word()}, query.Match{Field: "body", Text: word()}, query.Match{Text: "mistyped"}
		queries := []query.Query{wrong, a, query.Or{wrong, a}, query.And{wrong, a}, query.Or{query.Boost{Query: wrong, By: 3}, a, b}, query.And{a, query.Or{wrong, query.All{}}}, query.And{b, query.Not{Query: wrong}}, query.AtLeast{N: 2, Of: []query.Query{wrong, a, b}}, query.Or{query.Constant{Query: wrong, Score: 2}, a}}
		q := queries[round%len(queries)]
		for _, scorer := range []rank.Scorer{nil, rank.BM25F{}, rank.TFIDF{}} {
			opt := SearchOptions{Scorer: scorer, Expander: expander, Limit: 1 + r.IntN(20)}
			ask := func(upTo int, exhaustive bool) *Results {
				opt := opt
				opt.CountUpTo, opt.test.Exhaustive = upTo, exhaustive
				res, err := ix.Search(t.Context(), q, opt)
				if err != nil {
					t.Fatal(err)
				}
				return res
			}
			want := ask(0, true)
			for _, got := range []*Results{ask(0, false), ask(1, false)} {
				if fmt.Sprint(got.Hits) != fmt.Sprint(want.Hits) {
					t.Errorf("%T, %s, %v:\n%v\nnot\n%v", scorer, q, expander, got.Hits, want.Hits)
				}
				if got.Total.Exact && got.Total.Value != want.Total.Value {
					t.Errorf("%T, %s: %d matches, not %d", scorer, q, got.Total.Value, want.Total.Value)
				}
			}
			s, err := ix.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range want.Hits[:min(2, len(want.Hits))] {
				if ex, matches, err := s.Explain(t.Context(), q, h.Key, opt); err != nil || !matches || ex.Value != h.Score {
					t.Errorf("%T, %s: explained as %v of %v, %v", scorer, q, ex.Value, h, err)
				}
			}
			s.Close()
		}
	}
}

// However rare a stand-in is, and however many stand in one document, it scores no more
// than the frequent term that was meant, where the weights are the same.
func TestRareStandInsDoNotLead(t *testing.T) {
	t.Parallel()
	var texts []string
	near := map[string]float64{"receive": 0.5}
	for i := range 40 {
		texts = append(texts, fmt.Sprintf("receive this now x%d", i))
	}
	for i := range 8 {
		near[fmt.Sprint("rare", i)] = 0.5
		texts = append(texts, fmt.Sprintf("rare%d this now x%d", i, i))
	}
	texts = append(texts, "rare0 rare1 rare2 rare3")
	ix := smallIndexOf(t, texts)
	for _, scorer := range []rank.Scorer{nil, rank.BM25F{}, rank.TFIDF{}} {
		res, err := ix.Search(t.Context(), query.Match{Text: "recieve"}, SearchOptions{Scorer: scorer, Expander: standIns{"recieve": near}, Limit: 100})
		if err != nil || len(res.Hits) != len(texts) {
			t.Fatal(res, err)
		}
		for _, h := range res.Hits {
			if h.Score != res.Hits[0].Score {
				t.Errorf("%T: %s scores %v, others %v", scorer, h.Key, h.Score, res.Hits[0].Score)
			}
		}
	}
}

func smallIndexOf(t *testing.T, texts []string) *Index {
	ix, err := New(Options{Schema: Schema{{Name: "body"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, text := range texts {
		if err := w.Add(t.Context(), Document{Key: fmt.Sprintf("%03d", i), Fields: []Field{{"body", text}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ix
}
