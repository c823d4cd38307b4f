package index_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/indextest"
	"github.com/webquarry/quarry/index/query"
)

// pages asks page after page.
func pages(t testing.TB, s index.Searcher, q query.Query, opt index.SearchOptions) (hits []index.Hit) {
	t.Helper()
	for n := 0; ; n++ {
		res, err := s.Search(t.Context(), q, opt)
		must(t, err)
		hits = append(hits, res.Hits...)
		if opt.After = res.Next; opt.After == "" {
			return hits
		}
		if n > 3000 || len(res.Hits) != opt.Limit {
			t.Fatalf("page %d has %d hits, and a next one", n, len(res.Hits))
		}
	}
}

// Page after page by cursor gives what one large page gives, in every order,
// while the writer goes on.
func TestPagesByCursor(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	opt := indextest.Options()
	opt.Order, opt.OrderColumn = index.ByColumn, "year"
	ix := memory(t, opt)
	for range 4 {
		var docs []index.Document
		for range 80 {
			docs = append(docs, indextest.RandomDocument(r, 300))
		}
		put(t, ix, docs...)
	}
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	var done atomic.Bool
	stopped := make(chan bool)
	go func() {
		defer close(stopped)
		r := rand.New(rand.NewPCG(9, 9))
		w, err := ix.Writer()
		if err != nil {
			t.Error(err)
			return
		}
		defer w.Close()
		for !done.Load() {
			err := errors.Join(w.Add(t.Context(), indextest.RandomDocument(r, 300)), w.Delete(t.Context(), indextest.RandomDocument(r, 300).Key), w.Commit(t.Context()))
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 300 / few {
		q, opt := indextest.RandomQuery(r, 2), indextest.RandomArrangement(r)
		opt.Fields = nil
		opt.Limit = 10_000
		want, err := s.Search(t.Context(), q, opt)
		must(t, err)
		opt.Limit, opt.CountUpTo = 1+r.IntN(20), r.IntN(2)
		opt.Effort.Threads = r.IntN(4)
		if got := pages(t, s, q, opt); len(got)+len(want.Hits) > 0 && !reflect.DeepEqual(got, want.Hits) {
			t.Errorf("%s\noptions %+v\n got %v\nwant %v", q, opt, got, want.Hits)
			break
		}
	}
	done.Store(true)
	<-stopped
}

func TestCursorOfAnotherSearch(t *testing.T) {
	t.Parallel()
	ix := memory(t, priced, numberedDocs(0, 9)...)
	q := query.Match{Text: "all"}
	byPrice := index.SearchOptions{Limit: 2, Sort: []index.SortBy{{Field: "price"}}}
	res, err := ix.Search(t.Context(), q, byPrice)
	must(t, err)
	for name, ask := range map[string]func(*index.SearchOptions) query.Query{
		"another query":   func(*index.SearchOptions) query.Query { return query.Match{Text: "hold"} },
		"another order":   func(o *index.SearchOptions) query.Query { o.Sort[0].Descending = true; return q },
		"no order":        func(o *index.SearchOptions) query.Query { o.Sort = nil; return q },
		"a letter more":   func(o *index.SearchOptions) query.Query { o.After += "A"; return q },
		"not ours":        func(o *index.SearchOptions) query.Query { o.After = "page 2"; return q },
		"one that is cut": func(o *index.SearchOptions) query.Query { o.After = o.After[:6]; return q },
	} {
		opt := index.SearchOptions{Limit: 2, Sort: []index.SortBy{{Field: "price"}}, After: res.Next}
		asked := ask(&opt)
		if _, err := ix.Search(t.Context(), asked, opt); err == nil {
			t.Errorf("%s: no error", name)
		} else if _, ok := errors.AsType[*query.Error](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A cursor goes on in a later snapshot, from where its place is now.
func TestCursorInALaterSnapshot(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body"}, {Name: "host", Kind: index.Keyword, Column: true}}})
	doc := func(key, host string) index.Document {
		return index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: "x"}, {Name: "host", Value: host}}}
	}
	put(t, ix, doc("1", "b"), doc("2", "d"), doc("3", "f"))
	for _, descending := range []bool{false, true} {
		opt := index.SearchOptions{Limit: 2, Sort: []index.SortBy{{Field: "host", Descending: descending}}}
		res, err := ix.Search(t.Context(), query.All{}, opt)
		must(t, err)
		// The host of the last hit goes, others come beside it.
		w := writer(t, ix)
		must(t, w.Delete(t.Context(), "2"), w.Add(t.Context(), doc("4", "c"), doc("5", "e")), w.Commit(t.Context()))
		opt.After = res.Next
		res, err = ix.Search(t.Context(), query.All{}, opt)
		must(t, err)
		want := map[bool]string{false: "[5 3]", true: "[4 1]"}[descending]
		var got []string
		for _, h := range res.Hits {
			got = append(got, h.Key)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("descending %v: %v, want %s", descending, got, want)
		}
		must(t, w.Delete(t.Context(), "4", "5"), w.Add(t.Context(), doc("2", "d")), w.Commit(t.Context()), w.Close())
	}
}

func TestColumnErrors(t *testing.T) {
	t.Parallel()
	ix := memory(t, indextest.Options(), indextest.RandomDocument(rand.New(rand.NewPCG(1, 1)), 5))
	for name, opt := range map[string]index.SearchOptions{
		"sort by no field":      {Sort: []index.SortBy{{Field: "nothing"}}},
		"sort by a text":        {Sort: []index.SortBy{{Field: "body"}}},
		"sort without a column": {Sort: []index.SortBy{{Field: "tag"}}},
		"collapse by a text":    {Collapse: index.Collapse{Field: "title"}},
		"add a string":          {Static: []index.Static{{Field: "host"}}},
		"count a text":          {Facets: facets("body", 0)},
		"ranges of strings":     {Facets: facets("host", 1)},
		"dates of numbers":      {Facets: facets("price", 2)},
	} {
		_, err := ix.Search(t.Context(), query.All{}, opt)
		if _, ok := errors.AsType[*index.SchemaError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, opt := range map[string]index.SearchOptions{
		"keep less than none": {Collapse: index.Collapse{Field: "host", Keep: -1}},
		"a facet of nothing":  {Facets: facets("price", 3)},
		"bounds that fall":    {Facets: facets("price", 4)},
	} {
		if _, err := ix.Search(t.Context(), query.All{}, opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	w := writer(t, ix)
	for _, f := range []index.Field{
		{Name: "price", Value: "12"}, {Name: "price", Value: []float64{1}}, {Name: "year", Value: 1.5}, {Name: "seen", Value: 2026}, {Name: "host", Value: 1},
	} {
		err := w.Add(t.Context(), index.Document{Key: "k", Fields: []index.Field{f}})
		if _, ok := errors.AsType[*index.SchemaError](err); !ok {
			t.Errorf("%v: %v", f, err)
		}
	}
	err := w.Add(t.Context(), index.Document{Key: "k", Fields: []index.Field{{Name: "price", Value: 1}, {Name: "price", Value: 2}}})
	if _, ok := errors.AsType[*index.SchemaError](err); !ok {
		t.Errorf("two prices: %v", err)
	}
}

func facets(field string, which int) map[string]facet.Facet {
	return map[string]facet.Facet{"f": []facet.Facet{
		facet.Terms{Field: field}, facet.Ranges{Field: field, Bounds: []float64{1}}, facet.Dates{Field: field}, nil, facet.Ranges{Field: field, Bounds: []float64{2, 1}},
	}[which]}
}
