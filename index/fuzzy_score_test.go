package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/webquarry/quarry/fuzzy"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// A Fuzzy scores as an Expander does that yields the terms near its word, each by 1
// over 1 + its distance: in several segments with deleted documents, alone and beside
// other words, whether lists are merged or looked up, and whether it prunes or not.
func TestFuzzyScoresAsExpander(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(12, 6))
	word := func() string {
		letters := make([]byte, 3+rnd.IntN(4))
		for i := range letters {
			letters[i] = "abcd"[min(rnd.IntN(5), rnd.IntN(4))]
		}
		return string(letters)
	}
	ix, err := New(Options{Schema: Schema{{Name: "title", Weight: 2}, {Name: "body"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		for range 300 {
			var b strings.Builder
			for range 1 + rnd.IntN(30) {
				b.WriteString(word() + " ")
			}
			if rnd.IntN(20) == 0 {
				b.WriteString("rare")
			}
			d := Document{Key: fmt.Sprint(rnd.IntN(900)), Fields: []Field{{"title", word()}, {"body", b.String()}}}
			if err := w.Add(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	near := func(of string, distance int) map[string]float64 {
		found := map[string]float64{}
		for _, field := range []string{"title", "body"} {
			walk := s.Terms(t.Context(), field, TermOptions{})
			for term := range walk.All() {
				if d := fuzzy.OSA(of, term); d <= distance {
					found[term] = 1 / float64(1+d)
				}
			}
			if err := walk.Err(); err != nil {
				t.Fatal(err)
			}
		}
		return found
	}
	for range 60 {
		text, field, distance := word()+"x", []string{"", "title", "body"}[rnd.IntN(3)], 1+rnd.IntN(2)
		expander := standIns{text: near(text, distance)}
		ask := func(q query.Query, opt SearchOptions) *Results {
			res, err := s.Search(t.Context(), q, opt)
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		for _, scorer := range []rank.Scorer{rank.BM25{}, rank.TFIDF{}, rank.BM25F{}} {
			if _, over := scorer.(rank.Combiner); over && field == "" {
				continue // an Expander yields each term over all fields, a Fuzzy the best of each
			}
			for _, beside := range []func(query.Query) query.Query{
				func(q query.Query) query.Query { return q },
				func(q query.Query) query.Query { return query.And{query.Match{Field: "body", Text: "rare"}, q} },
				func(q query.Query) query.Query { return query.Or{query.Match{Field: "body", Text: "rare"}, q} },
			} {
				q := beside(query.Fuzzy{Field: field, Text: text, Distance: distance})
				want := ask(beside(query.Match{Field: field, Text: text}), SearchOptions{Scorer: scorer, Expander: expander, Limit: 2000})
				scores := map[string]float64{}
				for _, h := range want.Hits {
					scores[h.Key] = h.Score
				}
				got := ask(q, SearchOptions{Scorer: scorer, Limit: 2000})
				if got.Total != want.Total || len(got.Hits) != len(want.Hits) {
					t.Errorf("%s: %v found, want %v", q, got.Total, want.Total)
				}
				for _, h := range got.Hits {
					if want, ok := scores[h.Key]; !ok || math.Abs(h.Score-want) > 1e-12*want {
						t.Fatalf("%T, %s: %s scores %v, want %v", scorer, q, h.Key, h.Score, want)
					}
				}
				pruned := ask(q, SearchOptions{Scorer: scorer, CountUpTo: 1})
				if fmt.Sprint(pruned.Hits) != fmt.Sprint(got.Hits[:len(pruned.Hits)]) || len(pruned.Hits) < min(10, len(got.Hits)) {
					t.Errorf("%s: pruned to %v, want %v", q, pruned.Hits, got.Hits[:len(pruned.Hits)])
				}
				if len(got.Hits) > 0 {
					h := got.Hits[rnd.IntN(len(got.Hits))]
					if ex, _, err := s.Explain(t.Context(), q, h.Key, SearchOptions{Scorer: scorer}); err != nil || ex.Value != h.Score {
						t.Errorf("%s: explained as %v of %v, %v", q, ex.Value, h, err)
					}
				}
			}
		}
	}
}
