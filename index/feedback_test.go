package index_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/indextest"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

func feedbackDocs() []index.Document {
	docs := []index.Document{
		{Key: "a", Fields: []index.Field{{Name: "body", Value: "fox den den"}}},
		{Key: "b", Fields: []index.Field{{Name: "body", Value: "fox den earth cub"}}},
		{Key: "c", Fields: []index.Field{{Name: "body", Value: "den earth"}}},
		{Key: "d", Fields: []index.Field{{Name: "body", Value: "earth moves"}}},
	}
	for i := range 30 {
		docs = append(docs, index.Document{Key: fmt.Sprint("z", i), Fields: []index.Field{{Name: "body", Value: fmt.Sprint("other words ", i)}}})
	}
	return docs
}

// The query grows by the words of its best documents, and finds what holds only these.
func TestFeedback(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{false, true} {
		ix := memory(t, index.Options{Schema: index.Schema{{Name: "body", Stored: stored}}})
		put(t, ix, feedbackDocs()...)
		s, err := ix.Snapshot()
		must(t, err)
		defer s.Close()
		q := query.Or{query.Match{Text: "fox"}}
		plain, err := s.Search(t.Context(), q, index.SearchOptions{})
		must(t, err)
		if got := foundKeys(plain); got != "a b" {
			t.Fatalf("without: %s", got)
		}
		a, b := plain.Hits[0].Score, plain.Hits[1].Score
		// fox: a·1/3 + b·1/4, den: a·2/3 + b·1/4, over the sum of both scores; the next is earth.
		den, fox, rest := a*2/3+b/4, a/3+b/4, b/4
		sum := den + fox + 2*rest
		want := query.Or{query.Boost{Query: q, By: 0.8}}
		for _, w := range []struct {
			word   string
			weight float64
		}{{"den", den / sum}, {"fox", fox / sum}, {"cub", rest / sum}, {"earth", rest / sum}} {
			want = append(want, query.Boost{Query: query.Term{Text: w.word}, By: 0.2 * w.weight})
		}
		got, err := s.Expand(t.Context(), q, index.SearchOptions{})
		must(t, err)
		or, _ := got.(query.Or)
		for i := range want {
			if len(or) != len(want) || want[i].(query.Boost).Query.String() != or[i].(query.Boost).Query.String() || abs(want[i].(query.Boost).By-or[i].(query.Boost).By) > 1e-12 {
				t.Fatalf("expanded %s\n    want %s", got, want)
			}
		}
		for _, by := range []rank.Feedback{rank.RM3{}, rank.Bo1{}} {
			res, err := s.Search(t.Context(), q, index.SearchOptions{Feedback: by, Fields: nil})
			must(t, err)
			if got := foundKeys(res); got != "a b c d" {
				t.Errorf("%T: %s", by, got)
			}
			res, err = s.Search(t.Context(), query.And{query.Term{Text: "fox"}, query.Not{Query: query.Term{Text: "cub"}}}, index.SearchOptions{Feedback: by})
			must(t, err)
			if got := foundKeys(res); got != "a" {
				t.Errorf("%T: what another query matches is %s", by, got)
			}
			next, err := s.Search(t.Context(), q, index.SearchOptions{Feedback: by, Limit: 2})
			must(t, err)
			rest, err := s.Search(t.Context(), q, index.SearchOptions{Feedback: by, Limit: 2, After: next.Next})
			must(t, err)
			if got := foundKeys(next) + " " + foundKeys(rest); got != "a b c d" {
				t.Errorf("%T: page by page %s", by, got)
			}
		}
		_, err = s.Search(t.Context(), q, index.SearchOptions{Feedback: rank.RM3{}, Global: &index.TermStats{}})
		if !errors.As(err, new(*query.Error)) {
			t.Errorf("a shard by itself: %v", err)
		}
		none, err := s.Search(t.Context(), query.Or{query.Term{Text: "nowhere"}}, index.SearchOptions{Feedback: rank.RM3{}})
		must(t, err)
		if len(none.Hits) != 0 {
			t.Errorf("of nothing: %v", none.Hits)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

func foundKeys(res *index.Results) string {
	var keys []string
	for _, h := range res.Hits {
		keys = append(keys, h.Key)
	}
	return strings.Join(keys, " ")
}

// A vector is what the analyzer makes of the text, wherever it comes from.
func TestTermVector(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	opt := indextest.Options()
	for i := range opt.Schema {
		if opt.Schema[i].Kind == index.Text {
			opt.Schema[i].Stored = true
		}
	}
	stored := memory(t, opt)
	for i := range opt.Schema {
		opt.Schema[i].Stored = opt.Schema[i].Kind == index.StoredOnly
	}
	bare := memory(t, opt)
	keys := map[string]bool{}
	for range 4 {
		var docs []index.Document
		for range 30 {
			d := indextest.RandomDocument(r, 60)
			docs, keys[d.Key] = append(docs, d), true
		}
		put(t, stored, docs...)
		put(t, bare, docs...)
	}
	a, err := stored.Snapshot()
	must(t, err)
	defer a.Close()
	b, err := bare.Snapshot()
	must(t, err)
	defer b.Close()
	words := 0
	for key := range keys {
		for _, f := range opt.Schema {
			if f.Kind != index.Text && f.Kind != index.Keyword {
				continue
			}
			x, err := a.TermVector(t.Context(), key, f.Name)
			must(t, err)
			y, err := b.TermVector(t.Context(), key, f.Name)
			must(t, err)
			if !maps.Equal(x, y) || x == nil {
				t.Fatalf("%s, %s: stored %v, inverted %v", key, f.Name, x, y)
			}
			words += len(x)
		}
	}
	if words < 1000 {
		t.Errorf("only %d words", words)
	}
	if x, err := a.TermVector(t.Context(), "none", "title"); x != nil || err != nil {
		t.Errorf("of no document: %v, %v", x, err)
	}
	if _, err := a.TermVector(t.Context(), "none", "no field"); !errors.As(err, new(*index.SchemaError)) {
		t.Errorf("of no field: %v", err)
	}
	one := memory(t, index.Options{Schema: index.Schema{{Name: "body", Analyzer: "english", Stored: true}}})
	put(t, one, index.Document{Key: "a", Fields: []index.Field{{Name: "body", Value: "Foxes run; the fox ran."}}})
	s, err := one.Snapshot()
	must(t, err)
	defer s.Close()
	if x, err := s.TermVector(t.Context(), "a", "body"); err != nil || !reflect.DeepEqual(x, map[string]int{"fox": 2, "run": 1, "ran": 1, "the": 1}) {
		t.Errorf("%v, %v", x, err)
	}
}
