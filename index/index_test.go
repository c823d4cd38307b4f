package index_test

import (
	"slices"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// text makes documents of one text each; their keys are a, b, c, ...
func texts(texts ...string) []index.Document {
	docs := make([]index.Document, len(texts))
	for i, s := range texts {
		docs[i] = index.Document{Key: string(rune('a' + i)), Fields: []index.Field{{Name: "body", Value: s}}}
	}
	return docs
}

// memory returns an index in memory that holds docs.
func memory(t testing.TB, opt index.Options, docs ...index.Document) *index.Index {
	t.Helper()
	ix, err := index.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	put(t, ix, docs...)
	return ix
}

// put adds docs in a commit of their own.
func put(t testing.TB, ix *index.Index, docs ...index.Document) {
	t.Helper()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Add(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// keys are those of the answer to q, the best first.
func keys(t testing.TB, s index.Searcher, q query.Query) []string {
	t.Helper()
	res, err := s.Search(t.Context(), q, index.SearchOptions{Limit: 1000})
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	if res.Total.Value != len(res.Hits) || !res.Total.Exact {
		t.Fatalf("%s: %+v, but %d hits", q, res.Total, len(res.Hits))
	}
	var out []string
	for _, h := range res.Hits {
		out = append(out, h.Key)
	}
	return out
}

func TestFindsWhatIsAsked(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{}, texts("quick brown fox", "quick dog", "lazy brown dog", "fox fox brown quick")...)
	for _, c := range []struct {
		q    query.Query
		want []string
	}{
		{query.Match{Text: "Quick"}, []string{"a", "b", "d"}},
		{query.And{query.Match{Text: "quick"}, query.Match{Text: "brown"}}, []string{"a", "d"}},
		{query.Or{query.Match{Text: "lazy"}, query.Match{Text: "fox"}}, []string{"a", "c", "d"}},
		{query.And{query.Match{Text: "quick"}, query.Not{Query: query.Match{Text: "fox"}}}, []string{"b"}},
		{query.Not{Query: query.Match{Text: "quick"}}, []string{"c"}},
		{query.Phrase{Text: "brown fox"}, []string{"a"}},
		{query.Phrase{Text: "fox brown", Slop: 2}, []string{"a", "d"}},
		{query.Prefix{Text: "bro"}, []string{"a", "c", "d"}},
		{query.Prefix{Text: "quick do"}, []string{"b"}},
		{query.All{}, []string{"a", "b", "c", "d"}},
		{query.None{}, nil},
		{query.Term{Field: "title", Text: "quick"}, nil},
		{query.Match{Text: "--"}, nil},
	} {
		got := keys(t, ix, c.q)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.q, got, c.want)
		}
	}
}
