package index_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// corpus makes documents of about 200 words, distributed as words are.
func corpus(n int) []index.Document {
	rnd := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rnd, 1.1, 4, 200_000)
	docs := make([]index.Document, n)
	for i := range docs {
		var b strings.Builder
		for range 50 + rnd.IntN(300) {
			fmt.Fprintf(&b, "w%d ", zipf.Uint64())
		}
		docs[i] = index.Document{
			Key:    fmt.Sprintf("https://host%d.example/%d", i%97, i),
			Fields: []index.Field{{Name: "title", Value: fmt.Sprintf("Page w%d w%d", zipf.Uint64(), i)}, {Name: "body", Value: b.String()}},
		}
	}
	return docs
}

const benchDocs = 20_000

// bench is an index of benchDocs documents in one segment, built once.
var bench = sync.OnceValues(func() (*index.Snapshot, error) {
	ix, err := index.New(index.Options{})
	if err != nil {
		return nil, err
	}
	w, err := ix.Writer()
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	if err := w.Add(ctx, corpus(benchDocs)...); err != nil {
		return nil, err
	}
	if err := w.Merge(ctx); err != nil {
		return nil, err
	}
	return ix.Snapshot()
})

func BenchmarkBuild(b *testing.B) {
	docs := corpus(5000)
	size := 0
	for _, d := range docs {
		size += len(d.Text("body")) + len(d.Text("title"))
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		ix, err := index.New(index.Options{})
		must(b, err)
		put(b, ix, docs...)
	}
	b.ReportMetric(float64(len(docs)*b.N)/b.Elapsed().Seconds(), "docs/s")
}

func BenchmarkMerge(b *testing.B) {
	docs := corpus(5000)
	for b.Loop() {
		b.StopTimer()
		ix, err := index.New(index.Options{})
		must(b, err)
		w := writer(b, ix)
		for i := range 5 {
			must(b, w.Add(b.Context(), docs[i*1000:(i+1)*1000]...), w.Commit(b.Context()))
		}
		b.StartTimer()
		must(b, w.Merge(b.Context()))
	}
	b.ReportMetric(float64(len(docs)*b.N)/b.Elapsed().Seconds(), "docs/s")
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	ix := opens(b, dir, index.Options{})
	put(b, ix, corpus(5000)...)
	must(b, ix.Close())
	for b.Loop() {
		ix, err := index.Open(dir, index.Options{})
		must(b, err)
		must(b, ix.Close())
	}
}

func BenchmarkSearch(b *testing.B) {
	s, err := bench()
	must(b, err)
	body := func(words string) query.And {
		var and query.And
		for _, w := range strings.Fields(words) {
			and = append(and, query.Match{Field: "body", Text: w})
		}
		return and
	}
	for _, c := range []struct {
		name string
		q    query.Query
	}{
		{"term/frequent", query.Match{Field: "body", Text: "w0"}},
		{"term/rare", query.Match{Field: "body", Text: "w5000"}},
		{"and/frequent", body("w0 w1")},
		{"and/mixed", body("w1 w300 w50")},
		{"or/frequent", query.Or(body("w0 w1 w2"))},
		{"or/mixed", query.Or(body("w10 w300 w3000"))},
		{"or/and", query.Or{body("w0 w1"), query.Match{Field: "body", Text: "w300"}}},
		{"or/phrase", query.Or{query.Match{Field: "body", Text: "w0"}, query.Match{Field: "body", Text: "w1"}, query.Phrase{Field: "body", Text: "w0 w1"}}},
		{"phrase/frequent", query.Phrase{Field: "body", Text: "w0 w1"}},
		{"phrase/mixed", query.Phrase{Field: "body", Text: "w1 w20 w3"}},
		{"prefix", query.Prefix{Field: "body", Text: "w12"}},
		{"all fields", query.Match{Text: "w10 w20"}},
	} {
		for mode, opt := range map[string]index.SearchOptions{"best": {CountUpTo: 1}, "best and count": {}, "count": {Limit: -1}, "best 1000": {Limit: 1000, CountUpTo: 1}} {
			b.Run(c.name+"/"+mode, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Search(b.Context(), c.q, opt); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
