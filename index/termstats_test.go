package index_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/indextest"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// likes reports whether a query asks for what is like a document.
func likes(q query.Query) bool {
	if _, ok := q.(query.Like); ok {
		return true
	}
	_, members := query.Split(q)
	return slices.ContainsFunc(members, likes)
}

// With the statistics of all, shards score as one index does, to the last bit.
func TestShardsScoreAsOne(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 14))
	rounds := 400 / few
	if testing.Short() {
		rounds = 60
	}
	for _, shards := range []int{1, 3, 8} {
		opt := indextest.Options()
		opt.KeepFilters = 4
		one := memory(t, opt)
		var parts []*index.Snapshot
		var of []*index.Index
		for range shards {
			of = append(of, memory(t, opt))
		}
		known := map[string]int{}
		for range 4 { // commits, each of which replaces some documents
			var docs []index.Document
			byShard := make([][]index.Document, shards)
			for range 60 {
				d := indextest.RandomDocument(r, 120)
				if _, ok := known[d.Key]; !ok {
					known[d.Key] = r.IntN(shards)
				}
				docs = append(docs, d)
				byShard[known[d.Key]] = append(byShard[known[d.Key]], d)
			}
			put(t, one, docs...)
			for i, docs := range byShard {
				put(t, of[i], docs...)
			}
		}
		for _, ix := range of {
			s, err := ix.Snapshot()
			must(t, err)
			defer s.Close()
			parts = append(parts, s)
		}
		for range rounds {
			q := indextest.RandomQuery(r, 3)
			search := index.SearchOptions{Limit: 500, Scorer: []rank.Scorer{nil, rank.BM25{K1: 2}, rank.BM25F{B: 0.4}, indextest.RandomScorer(r)}[r.IntN(4)]}
			if r.IntN(3) == 0 {
				search.Typos = query.Typos{Forgive: true, FirstLetter: r.IntN(2) == 0}
			}
			if r.IntN(3) == 0 {
				search.Weights = map[string]float64{"title": 0.5, "body": float64(r.IntN(2))}
			}
			if r.IntN(4) == 0 {
				search.Expander = respelt{"the": {"of": 0.5, "vacuum": 0.1}, "search": {"zebra": 1, "query": 0.7}}
			}
			want, err := one.Search(t.Context(), q, search)
			must(t, err)
			var sum index.TermStats
			for _, s := range parts {
				stats, err := s.TermStats(t.Context(), q, search)
				if likes(q) {
					if !errors.As(err, new(*query.Error)) {
						t.Fatalf("%s: %v", q, err)
					}
					continue
				}
				must(t, err)
				wire, err := json.Marshal(stats)
				must(t, err)
				var read index.TermStats
				must(t, json.Unmarshal(wire, &read))
				sum.Add(&read)
			}
			if likes(q) {
				continue
			}
			search.Global = &sum
			var got []index.Hit
			total := 0
			for _, s := range parts {
				res, err := s.Search(t.Context(), q, search)
				if err != nil {
					t.Fatalf("%d shards, %s by %+v: %v", shards, q, search, err)
				}
				got, total = append(got, res.Hits...), total+res.Total.Value
				for i, h := range res.Hits[:min(2, len(res.Hits))] {
					if ex, ok, err := s.Explain(t.Context(), q, h.Key, search); err != nil || !ok || ex.Value != h.Score {
						t.Fatalf("%s: hit %d explained as %v, not %v; %v", q, i, ex.Value, h.Score, err)
					}
				}
			}
			slices.SortFunc(got, func(a, b index.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key)) })
			if total != want.Total.Value || !reflect.DeepEqual(got, want.Hits) && len(got)+len(want.Hits) > 0 {
				t.Fatalf("%d shards, %s by %+v\n got %d %v\nwant %d %v", shards, q, search, total, got, want.Total.Value, want.Hits)
			}
		}
	}
}

// Statistics of another query are refused, and a done context ends what asks for them.
func TestTermStatsOfAnotherQuery(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{}, index.Document{Key: "a", Fields: []index.Field{{Name: "body", Value: "some words"}}})
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	stats, err := s.TermStats(t.Context(), query.Match{Text: "some"}, index.SearchOptions{})
	must(t, err)
	for _, q := range []query.Query{query.Match{Text: "words"}, query.Prefix{Text: "so"}, query.Fuzzy{Text: "some"}, query.Wildcard{Pattern: "s*e"}} {
		if _, err := s.Search(t.Context(), q, index.SearchOptions{Global: stats}); !errors.As(err, new(*query.Error)) {
			t.Errorf("%s with the statistics of another query: %v", q, err)
		}
	}
	done, cancel := context.WithCancelCause(t.Context())
	cause := fmt.Errorf("enough")
	cancel(cause)
	if _, err := s.TermStats(done, query.Match{Text: "some"}, index.SearchOptions{}); !errors.Is(err, cause) {
		t.Errorf("a done context: %v", err)
	}
	must(t, s.Close())
	if _, err := s.TermStats(t.Context(), query.All{}, index.SearchOptions{}); !errors.Is(err, index.ErrClosed) {
		t.Errorf("a closed snapshot: %v", err)
	}
}
