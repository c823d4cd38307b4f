package index_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/indextest"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// The same documents in one segment, in seven, and merged, give the same
// scores, bit for bit.
func TestSegmentsDoNotChangeScores(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 7))
	var docs []index.Document
	for i := range 1000 {
		d := indextest.RandomDocument(rnd, 1)
		d.Key = fmt.Sprintf("doc-%04d", i)
		docs = append(docs, d)
	}
	opt := indextest.Options()
	one := memory(t, opt, docs...)
	seven := memory(t, opt)
	shuffled := slices.Clone(docs)
	rnd.Shuffle(len(docs), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for part := range slices.Chunk(shuffled, len(docs)/7+1) {
		put(t, seven, part...)
	}
	merged := memory(t, opt, docs[500:]...)
	put(t, merged, docs[:600]...)
	w := writer(t, merged)
	must(t, w.Merge(t.Context()))
	for range 500 / few {
		q := indextest.RandomQuery(rnd, 3)
		search := index.SearchOptions{Limit: 50}
		want, err := one.Search(t.Context(), q, search)
		must(t, err)
		for name, ix := range map[string]*index.Index{"seven": seven, "merged": merged} {
			got, err := ix.Search(t.Context(), q, search)
			must(t, err)
			if got.Total != want.Total || !reflect.DeepEqual(got.Hits, want.Hits) {
				t.Fatalf("%s: %s\n got %v %v\nwant %v %v", name, q, got.Total, got.Hits, want.Total, want.Hits)
			}
		}
	}
}

func TestExplainIsTheScore(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(8, 8))
	var docs []index.Document
	for range 100 {
		docs = append(docs, indextest.RandomDocument(rnd, 60))
	}
	ix := memory(t, indextest.Options(), docs...)
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	rounds := 300 / few
	if testing.Short() {
		rounds = 10
	}
	for i := range rounds {
		q := indextest.RandomQuery(rnd, 3)
		var opt index.SearchOptions
		if i%3 == 0 {
			opt.Scorer = rank.BM25F{Fields: map[string]float64{"title": 0.3}}
		}
		if i%2 == 0 {
			opt.Weights = map[string]float64{"title": 0.7, "aside": 1, "body": float64(i % 4)}
		}
		res, err := s.Search(t.Context(), q, index.SearchOptions{Limit: 100, Scorer: opt.Scorer, Weights: opt.Weights})
		must(t, err)
		found := map[string]bool{}
		for _, h := range res.Hits {
			found[h.Key] = true
			ex, ok, err := s.Explain(t.Context(), q, h.Key, opt)
			if err != nil || !ok || ex.Value != h.Score || !addsUp(ex) {
				t.Fatalf("%s: %s scores %v, explained as %v\n%v %v", q, h.Key, h.Score, ex, ok, err)
			}
		}
		for _, d := range docs {
			if _, ok, err := s.Explain(t.Context(), q, d.Key, opt); ok != found[d.Key] || err != nil {
				t.Fatalf("%s: %s matches: %v, %v", q, d.Key, ok, err)
			}
		}
	}
	if _, ok, err := s.Explain(t.Context(), query.All{}, "nowhere", index.SearchOptions{}); ok || err != nil {
		t.Errorf("a document that is not there: %v, %v", ok, err)
	}
}

// addsUp reports whether what is said to be a sum is one.
func addsUp(ex rank.Explanation) bool {
	sum := 0.0
	for _, part := range ex.Parts {
		if !addsUp(part) {
			return false
		}
		sum += part.Value
	}
	return !strings.HasSuffix(ex.Text, "the sum") || math.Abs(sum-ex.Value) <= 1e-12*sum
}

// A document that is in the way of a page shows on the next snapshot only.
func TestPagesOfASnapshot(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{})
	for i := range 5 {
		put(t, ix, numberedDocs(i*6, i*6+6)...)
	}
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	var seen []string
	for page := range 3 {
		res, err := s.Search(t.Context(), query.Match{Field: "title", Text: "number"}, index.SearchOptions{Offset: page * 10})
		must(t, err)
		for _, h := range res.Hits {
			seen = append(seen, h.Key)
		}
		put(t, ix, index.Document{Key: fmt.Sprint("a", page), Fields: []index.Field{{Name: "title", Value: "number"}}})
	}
	if len(seen) != 30 || !slices.IsSorted(seen) || len(slices.Compact(seen)) != 30 {
		t.Errorf("three pages: %v", seen)
	}
}

func TestHugeLimitIsCheap(t *testing.T) {
	ix := memory(t, index.Options{}, numberedDocs(0, 10)...)
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	ask := func() {
		res, err := s.Search(t.Context(), query.Match{Text: "all"}, index.SearchOptions{Limit: math.MaxInt, Offset: 1})
		if err != nil || len(res.Hits) != 9 {
			t.Errorf("%d hits, %v", len(res.Hits), err)
		}
	}
	bytes := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			ask()
		}
	}).AllocedBytesPerOp()
	if bytes > 1<<20 {
		t.Errorf("%d bytes for ten documents", bytes)
	}
}

// cancelling cancels a context at the n-th score, and counts those after it.
type cancelling struct {
	rank.BM25
	cancel context.CancelFunc
	at     int
	scored *int
}

func (c cancelling) Term(s rank.Stats) rank.Score {
	score := c.BM25.Term(s)
	return func(tf, length uint32) float64 {
		if *c.scored++; *c.scored == c.at {
			c.cancel()
		}
		return score(tf, length)
	}
}

func TestCancelledSearch(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{}, numberedDocs(0, 20_000)...)
	for _, q := range []query.Query{
		query.Or{query.Match{Text: "all"}, query.Match{Text: "number"}},
		query.Phrase{Text: "documents hold"},
		query.And{query.Match{Text: "all"}, query.Not{Query: query.Match{Text: "nowhere"}}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		scored := 0
		_, err := ix.Search(ctx, q, index.SearchOptions{Scorer: cancelling{cancel: cancel, at: 1000, scored: &scored}})
		if !errors.Is(err, context.Canceled) || scored > 4000 {
			t.Errorf("%s: %v after %d scores", q, err, scored)
		}
	}
	// What matches nothing is left early too.
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	for _, q := range []query.Query{
		query.And{query.Prefix{Text: "n"}, query.Match{Text: "nowhere"}},
		query.Not{Query: query.All{}},
		query.Phrase{Text: "hold documents"},
	} {
		if _, err := ix.Search(ctx, q, index.SearchOptions{}); !errors.Is(err, why) {
			t.Errorf("%s: %v", q, err)
		}
	}
}

func TestTermsAndStats(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{}, texts("apple banana", "apple cherry", "date")...)
	put(t, ix, texts("banana egg")...) // replaces the first
	w := writer(t, ix)
	must(t, w.Delete(t.Context(), "c"), w.Commit(t.Context()))
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	var got []string
	for term, docs := range s.Terms(t.Context(), "body", index.TermOptions{}).All() {
		got = append(got, fmt.Sprint(term, ":", docs))
	}
	if want := "appl:1 banana:1 cherri:1 egg:1"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	for range s.Terms(t.Context(), "body", index.TermOptions{}).All() {
		break
	}
	for term := range s.Terms(t.Context(), "title", index.TermOptions{}).All() {
		t.Errorf("title holds %s", term)
	}
	termsEnd(t, s)
	stats, err := s.Stats()
	must(t, err)
	want := []index.FieldStats{{Name: "title"}, {Name: "body", Tokens: 4, AvgLen: 2}}
	// Whether a merge in the background has dropped the deleted ones already is open.
	if stats.Docs != 2 || stats.Deleted > 2 || stats.Segments < 1 || stats.Segments > 2 || !slices.Equal(stats.Fields, want) {
		t.Errorf("%+v", stats)
	}
}

func TestBadQueries(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{}, texts("fine")...)
	var bad *query.Error
	for _, q := range []query.Query{nil, query.And{nil}, &query.Match{Text: "fine"}, query.Not{}, query.Phrase{Text: "a b", Slop: -1}, query.Boost{Query: query.All{}, By: math.NaN()}} {
		if _, err := ix.Search(t.Context(), q, index.SearchOptions{}); !errors.As(err, &bad) {
			t.Errorf("%#v: %v", q, err)
		}
	}
	tags := memory(t, index.Options{Schema: index.Schema{{Name: "tag", Kind: index.Keyword}}})
	if _, err := tags.Search(t.Context(), query.Fuzzy{Field: "tag", Text: strings.Repeat("a", 10_000), Distance: 4}, index.SearchOptions{}); !errors.As(err, &bad) {
		t.Errorf("typing errors in a long word: %v", err)
	}
	for q, want := range map[query.Query]query.Warning{
		query.Match{Field: "bodi", Text: "fine"}: {Kind: query.WarnUnknownField, Field: "bodi", Text: `field bodi is not searched: there is none`},
		query.Match{Text: "!!"}:                  {Kind: query.WarnNoWords, Text: `all words of the query were dropped`},
	} {
		res, err := ix.Search(t.Context(), q, index.SearchOptions{})
		if err != nil || len(res.Hits) > 0 || !slices.Equal(res.Warnings, []query.Warning{want}) {
			t.Errorf("%s: %+v, %v", q, res, err)
		}
	}
}

// Each kind of warning of a search, with its field.
func TestWarningsOfSearches(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body"}, {Name: "kept", Kind: index.StoredOnly}, {Name: "n", Kind: index.Integer}, {Name: "at", Kind: index.Time}}})
	put(t, ix, index.Document{Key: "a", Fields: []index.Field{{Name: "body", Value: "fox fog fan"}, {Name: "n", Value: 1}}})
	for _, c := range []struct {
		q     query.Query
		kind  query.WarningKind
		field string
	}{
		{query.Match{Field: "x", Text: "fox"}, query.WarnUnknownField, "x"}, {query.Range{Field: "x", From: "1"}, query.WarnUnknownField, "x"}, {query.Exists{Field: "x"}, query.WarnUnknownField, "x"},
		{query.Match{Field: "kept", Text: "fox"}, query.WarnUnfitField, "kept"}, {query.Exists{Field: "kept"}, query.WarnUnfitField, "kept"}, {query.Range{Field: "kept", From: "1"}, query.WarnUnfitField, "kept"},
		{query.Wildcard{Field: "n", Pattern: "1*"}, query.WarnUnfitField, "n"}, {query.Prefix{Field: "n", Text: "1"}, query.WarnUnfitField, "n"}, {query.Like{Key: "a"}, query.WarnUnfitField, ""}, {query.Like{Key: "a", Field: "n"}, query.WarnUnfitField, "n"},
		{query.Match{Field: "n", Text: "one"}, query.WarnBadValue, "n"}, {query.Range{Field: "at", To: "noon"}, query.WarnBadValue, "at"},
		{query.Match{Text: "--"}, query.WarnNoWords, ""}, {query.Wildcard{Field: "body", Pattern: "f*"}, query.WarnTermsCut, "body"}, {query.Wildcard{Pattern: "f*"}, query.WarnTermsCut, "body"},
	} {
		res, err := ix.Search(t.Context(), c.q, index.SearchOptions{Effort: index.Effort{Terms: 2}})
		must(t, err)
		if w := res.Warnings; len(w) != 1 || w[0].Kind != c.kind || w[0].Field != c.field || w[0].Text == "" || w[0].String() != w[0].Text {
			t.Errorf("%s: %+v, want %s of %q", c.q, w, c.kind, c.field)
		}
	}
	res, err := ix.Search(t.Context(), query.Like{Key: "b", Field: "body"}, index.SearchOptions{})
	must(t, err)
	if !slices.ContainsFunc(res.Warnings, func(w query.Warning) bool { return w.Kind == query.WarnNoDocument }) {
		t.Errorf("like nothing: %+v", res.Warnings)
	}
}

// What a person types as a range of a text field finds words between the two.
func TestRangeOfWords(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{}, texts("in 2018 and 2020", "since 2021", "2022", "Éclair", "")...)
	for text, want := range map[string]string{
		"body:2019..2021": "a b", "body:2021..2030": "b c", "body:{2020 TO 2022}": "b", `body:["É" TO "Éclair"]`: "d", "body:[ECLAIR TO *]": "a b d", "body:5..10": "", "title:1..9": "",
	} {
		q, warnings := query.ParseLenient(text, query.ParseOptions{Schema: query.Names{"title", "body"}})
		found := keys(t, ix, q)
		slices.Sort(found)
		if got := strings.Join(found, " "); got != want || len(warnings) > 0 {
			t.Errorf("%s: found %q, want %q; %q", text, got, want, warnings)
		}
	}
}

// What a program names in the options is an error when it is wrong; what a query names is
// a warning. No error of a query that was not text speaks of bytes.
func TestWrongFields(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body"}, {Name: "title", Stored: true}, {Name: "n", Kind: index.Integer}}})
	put(t, ix, index.Document{Key: "a", Fields: []index.Field{{Name: "body", Value: "fox"}, {Name: "title", Value: "fox"}, {Name: "n", Value: 1}}})
	for name, opt := range map[string]index.SearchOptions{
		"no field": {Fields: []string{"title", "nope"}}, "not stored": {Fields: []string{"body"}}, "sort": {Sort: []index.SortBy{{Field: "nope"}}}, "sort text": {Sort: []index.SortBy{{Field: "title"}}},
		"collapse": {Collapse: index.Collapse{Field: "nope"}}, "facet": {Facets: map[string]facet.Facet{"f": facet.Terms{Field: "nope"}}}, "static": {Static: []index.Static{{Field: "nope"}}},
	} {
		_, err := ix.Search(t.Context(), query.All{}, opt)
		if _, ok := errors.AsType[*index.SchemaError](err); !ok {
			t.Errorf("%s: %v, want a SchemaError", name, err)
		}
	}
	if res, err := ix.Search(t.Context(), query.All{}, index.SearchOptions{Fields: []string{"title", "n"}}); err != nil || res.Hits[0].Text("n") != "1" {
		t.Errorf("stored fields and columns: %v", err)
	}
	for _, q := range []query.Query{query.Match{Field: "nope", Text: "fox"}, query.Range{Field: "nope", From: "1"}, query.Exists{Field: "nope"}, query.Wildcard{Field: "nope", Pattern: "f*x"}, query.Prefix{Field: "nope", Text: "f"}, query.Term{Field: "nope", Text: "fox"}, query.Range{Field: "n", From: "x"}} {
		res, err := ix.Search(t.Context(), q, index.SearchOptions{})
		if err != nil || len(res.Warnings) != 1 || res.Total.Value != 0 {
			t.Errorf("%s: %+v, %v; want a warning", q, res, err)
		}
	}
	for name, search := range map[string]func() (*index.Results, error){
		"tree": func() (*index.Results, error) { return ix.Search(t.Context(), query.And{nil}, index.SearchOptions{}) },
		"cursor": func() (*index.Results, error) {
			return ix.Search(t.Context(), query.All{}, index.SearchOptions{After: "x"})
		},
		"facet": func() (*index.Results, error) {
			return ix.Search(t.Context(), query.All{}, index.SearchOptions{Facets: map[string]facet.Facet{"f": nil}})
		},
		"collapse": func() (*index.Results, error) {
			return ix.Search(t.Context(), query.All{}, index.SearchOptions{Collapse: index.Collapse{Field: "n", Keep: -1}})
		},
	} {
		_, err := search()
		if e, ok := errors.AsType[*query.Error](err); !ok || e.Pos != -1 || strings.Contains(err.Error(), "byte") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A walk over terms says why it has ended before its end.
func termsEnd(t *testing.T, s *index.Snapshot) {
	t.Helper()
	walk := func(terms *index.Terms) error {
		for range terms.All() {
			t.Error("there are terms")
		}
		return terms.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := walk(s.Terms(ctx, "body", index.TermOptions{})); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := walk(s.Terms(t.Context(), "nowhere", index.TermOptions{})); !errors.As(err, new(*index.SchemaError)) {
		t.Errorf("no such field: %v", err)
	}
	must(t, walk(s.Terms(t.Context(), "body", index.TermOptions{Prefix: "x"})), walk(s.Terms(t.Context(), "body", index.TermOptions{From: "f"})))
}

// Terms by prefix, and from a term on, are those of all that are so.
func TestTermsByPrefix(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 1))
	word := func(most int) string {
		b := make([]byte, 1+rnd.IntN(most))
		for i := range b {
			b[i] = "abc"[rnd.IntN(3)]
		}
		return string(b)
	}
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body"}}})
	count := map[string]int{}
	for i := range 4 {
		var docs []index.Document
		for j := range 300 {
			text := word(7)
			count[text]++
			docs = append(docs, index.Document{Key: fmt.Sprint(i, j), Fields: []index.Field{{Name: "body", Value: text}}})
		}
		put(t, ix, docs...)
	}
	s, err := ix.Snapshot()
	must(t, err)
	for range 200 {
		opt := index.TermOptions{}
		if rnd.IntN(3) > 0 {
			opt.Prefix = word(3)
		}
		if rnd.IntN(2) > 0 {
			opt.From = word(4)
		}
		var want, got []string
		for _, term := range slices.Sorted(maps.Keys(count)) {
			if strings.HasPrefix(term, opt.Prefix) && term >= opt.From {
				want = append(want, fmt.Sprint(term, count[term]))
			}
		}
		terms := s.Terms(t.Context(), "body", opt)
		for term, docs := range terms.All() {
			got = append(got, fmt.Sprint(term, docs))
		}
		if must(t, terms.Err()); !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", opt, got, want)
		}
	}
	terms := s.Terms(t.Context(), "body", index.TermOptions{})
	must(t, s.Close())
	for range terms.All() {
		t.Error("of a closed snapshot")
	}
	if !errors.Is(terms.Err(), index.ErrClosed) {
		t.Errorf("of a closed snapshot: %v", terms.Err())
	}
}
