package index

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// An index that keeps filters finds what one that does not finds, while documents
// come and go and columns are set.
func TestKeepFilters(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 3))
	opt := Options{Schema: Schema{{Name: "text"}, {Name: "kind", Kind: Keyword}, {Name: "price", Kind: Integer}}}
	keeping := opt
	keeping.KeepFilters = 3
	var all [2]*Index
	var writers [2]*Writer
	for i, o := range []Options{opt, keeping} {
		var err error
		if all[i], err = New(o); err != nil {
			t.Fatal(err)
		}
		defer all[i].Close()
		if writers[i], err = all[i].Writer(); err != nil {
			t.Fatal(err)
		}
		defer writers[i].Close()
	}
	word := func() string { return []string{"red", "reed", "green", "great", "blue", "a", "b"}[r.IntN(7)] }
	change := func() {
		key := fmt.Sprint(r.IntN(300))
		n := r.IntN(4)
		d := Document{Key: key, Fields: []Field{{"text", word() + " " + word()}, {"kind", word()}, {"price", r.IntN(50)}}}
		for _, w := range writers {
			var err error
			switch n {
			case 0:
				err = w.Delete(t.Context(), key)
			case 1:
				_, err = w.Set(t.Context(), key, d.Fields[2])
			default:
				err = w.Add(t.Context(), d)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	filters := []query.Query{query.Prefix{Field: "text", Text: "gr"}, query.Wildcard{Field: "kind", Pattern: "re*"}, query.Fuzzy{Text: "red", Distance: 1}, query.Between("price", 10, 30), query.Term{Field: "text", Text: "blue"},
		query.Or{query.Term{Field: "kind", Text: "a"}, query.Range{Field: "price", From: "45"}}, query.And{query.Match{Text: "red"}, query.Not{Query: query.Match{Text: "green"}}}, query.Like{Key: "1"}, query.Phrase{Field: "text", Text: "a b", Slop: 0}, query.Match{Field: "none", Text: "x"}}
	kept := 0
	for range 60 {
		for range r.IntN(8) {
			change()
		}
		for _, w := range writers {
			if err := w.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var f query.Query = filters[min(r.IntN(len(filters)), r.IntN(len(filters)))]
		q := []query.Query{query.And{query.Match{Text: word()}, query.Constant{Query: f, Score: 0}}, query.And{query.Match{Text: word()}, query.Not{Query: f}}, query.Constant{Query: f, Score: 2}, query.Or{query.Match{Text: word()}, query.Boost{Query: f, By: 0}}}[r.IntN(4)]
		for range 3 {
			var found [2]*Results
			for i, ix := range all {
				var err error
				if found[i], err = ix.Search(t.Context(), q, SearchOptions{}); err != nil {
					t.Fatal(err)
				}
				found[i].Took = 0
			}
			if !reflect.DeepEqual(found[0], found[1]) {
				t.Fatalf("%s: %+v, want %+v", q, found[1], found[0])
			}
		}
		s, err := all[1].Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range s.commit.Views {
			kept += len(v.Filters.Kept)
			if len(v.Filters.Kept) > 3 || len(v.Filters.Once) > 3 {
				t.Fatalf("%d and %d are kept", len(v.Filters.Kept), len(v.Filters.Once))
			}
		}
		s.Close()
	}
	if kept == 0 {
		t.Error("none was kept")
	}
}

// A pattern that is kept stands for no more terms than a search allows, and a phrase
// has the forms that the scorer leaves it.
func TestKeepFiltersOfOptions(t *testing.T) {
	t.Parallel()
	words := analysis.NewSynonyms(nil, []string{"usa", "united states"})
	ix, err := New(Options{KeepFilters: 2, Schema: Schema{{Name: "body", Analyzer: "words"}, {Name: "title", Analyzer: "words"}}, Analyzers: map[string]analysis.Analyzer{"words": words}})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"one", "only", "once", "united states today"} {
		err = errors.Join(err, w.Add(t.Context(), Document{Key: body, Fields: []Field{{"body", body}}}))
	}
	if err := errors.Join(err, w.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		terms := i % 3
		res, err := ix.Search(t.Context(), query.Constant{Query: query.Wildcard{Field: "body", Pattern: "o*"}, Score: 1}, SearchOptions{Effort: Effort{Terms: terms}})
		if want := []int{3, 1, 2}[terms]; err != nil || res.Total.Value != want || (len(res.Warnings) > 0) != (terms > 0) {
			t.Errorf("%d terms: %+v, %v; want %d", terms, res, err, want)
		}
		scorer := rank.Scorer(rank.BM25{})
		if i/2%2 == 0 {
			scorer = rank.BM25F{}
		}
		res, err = ix.Search(t.Context(), query.Constant{Query: query.Phrase{Text: "usa today", Slop: 0}, Score: 1}, SearchOptions{Scorer: scorer})
		if err != nil || res.Total.Value != 1 {
			t.Errorf("by %T: %+v, %v; want 1", scorer, res, err)
		}
	}
}
