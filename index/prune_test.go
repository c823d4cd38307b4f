package index_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/indextest"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// queriesEnv says how many queries TestPrunedIsExhaustive asks; unset: 4,000,
// or 1,000 with -short.
const queriesEnv = "QUARRY_PRUNED_QUERIES"

func prunedQueries(t *testing.T) int {
	if s := os.Getenv(queriesEnv); s != "" {
		n, err := strconv.Atoi(s)
		must(t, err)
		return n
	}
	if testing.Short() {
		return 1000 / few
	}
	return 4000 / few
}

// A search that may stop counting finds the hits of one that counts all: over
// lists of no, one and many blocks, in one to many segments with deletes, for
// windows that end everywhere.
func TestPrunedIsExhaustive(t *testing.T) {
	t.Parallel()
	left, pruned := prunedQueries(t), 0
	for seed := uint64(1); left > 0; seed++ {
		r := rand.New(rand.NewPCG(seed, 99))
		w := newPruneWorld(t, r)
		for range min(left, 200) {
			q, opt := w.query(3), w.options()
			if comparePruned(t, w.ix, q, opt) {
				pruned++
			}
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		left -= 200
		must(t, w.ix.Close())
	}
	if pruned == 0 {
		t.Error("no search was pruned")
	}
}

// comparePruned asks with and without an end of the count, and reports whether
// it mattered.
func comparePruned(t *testing.T, ix index.Searcher, q query.Query, opt index.SearchOptions) bool {
	got, err := ix.Search(t.Context(), q, opt)
	must(t, err)
	upTo := opt.CountUpTo
	opt.CountUpTo, opt.Effort.Threads = 0, 0
	want, err := ix.Search(t.Context(), q, opt.Exhaustive())
	must(t, err)
	counted, err := ix.Search(t.Context(), q, opt)
	must(t, err)
	if counted.Total != want.Total || !reflect.DeepEqual(counted.Hits, want.Hits) {
		t.Errorf("%s\noptions %+v, all counted\n got %v %.300v\nwant %v %.300v", q, opt, counted.Total, fmt.Sprint(counted.Hits), want.Total, fmt.Sprint(want.Hits))
	}
	enough := got.Total == want.Total
	if !got.Total.Exact {
		enough = got.Total.Value >= upTo && got.Total.Value <= want.Total.Value
	}
	if !want.Total.Exact || !enough || !reflect.DeepEqual(got.Hits, want.Hits) {
		t.Errorf("%s\noptions %+v, up to %d\n got %v %.300v\nwant %v %.300v", q, opt, upTo, got.Total, fmt.Sprint(got.Hits), want.Total, fmt.Sprint(want.Hits))
	}
	return !got.Total.Exact
}

// pruneWorld is an index whose few words make long lists and equal scores.
type pruneWorld struct {
	r     *rand.Rand
	ix    *index.Index
	words int
	steep int
}

func newPruneWorld(t *testing.T, r *rand.Rand) *pruneWorld {
	ix, err := index.New(index.Options{
		Schema:       append(index.Schema{{Name: "title", Weight: 2.5}, {Name: "body"}, {Name: "tag", Kind: index.Keyword}}, pruneColumns...),
		MemoryBudget: 1 << 20,
		Order:        index.Order(max(0, r.IntN(7)-3)),
		OrderColumn:  "rank",
	})
	must(t, err)
	w := &pruneWorld{r: r, ix: ix, words: 2 + r.IntN(40), steep: 1 + r.IntN(4)}
	docs := []int{3, 130, 300, 600, 600, 1500, 1500, 6000}[r.IntN(8)]
	commits := 1 + r.IntN(6)
	writer := writer(t, ix)
	for range commits {
		for range docs / commits {
			must(t, writer.Add(t.Context(), w.document(docs)))
		}
		for range r.IntN(1 + docs/20) {
			must(t, writer.Delete(t.Context(), w.key(docs)))
		}
		must(t, writer.Commit(t.Context()))
	}
	if r.IntN(4) == 0 {
		must(t, writer.Merge(context.Background()))
	}
	return w
}

func (w *pruneWorld) key(docs int) string { return fmt.Sprintf("%06d", w.r.IntN(2*docs)) }

func (w *pruneWorld) word() string {
	i := w.r.IntN(w.words)
	for range w.steep - 1 {
		i = min(i, w.r.IntN(w.words))
	}
	return fmt.Sprintf("w%d", i)
}

func (w *pruneWorld) text(most int) string {
	var b strings.Builder
	for range w.r.IntN(most + 1) {
		b.WriteString(w.word() + " ")
	}
	return b.String()
}

func (w *pruneWorld) document(docs int) index.Document {
	body := 8
	switch w.r.IntN(100) {
	case 0:
		body = 600
	case 1, 2, 3, 4, 5, 6, 7, 8, 9:
		body = 40
	}
	key := w.key(docs)
	return index.Document{Key: key, Fields: append(w.columns(key), []index.Field{
		{Name: "title", Value: w.text(3)}, {Name: "body", Value: w.text(body)}, {Name: "tag", Value: w.word()},
	}...)}
}

func (w *pruneWorld) options() index.SearchOptions {
	opt := index.SearchOptions{
		Limit:     []int{-1, 1, 1, 2, 5, 10, 10, 10, 30, 100, []int{100, 1000}[w.r.IntN(2)]}[w.r.IntN(11)],
		CountUpTo: []int{1, 1, 1, 2, 30, 1000}[w.r.IntN(6)],
	}
	if w.r.IntN(5) == 0 {
		opt.Offset = w.r.IntN(20)
	}
	opt.Effort.Threads = max(0, w.r.IntN(5)-2)
	switch w.r.IntN(12) {
	case 8, 9, 10:
		opt.Scorer = indextest.RandomScorer(w.r)
	case 0:
		opt.Scorer = rank.TFIDF{}
	case 1:
		opt.Scorer = rank.BM25{K1: 0.9, B: 0.4}
	case 2:
		opt.Scorer = rank.BM25{B: -1} // many equal scores
	case 3:
		opt.Scorer = stairs{}
	case 4, 5:
		opt.Scorer = rank.BM25F{Fields: map[string]float64{"title": 0.3}}
	}
	w.arrange(&opt)
	return opt.WithSpan([]uint32{1, 7, 64, 100, 500, 4096}[w.r.IntN(6)])
}

// stairs is a scorer of few different scores.
type stairs struct{}

func (stairs) Term(s rank.Stats) rank.Score {
	return func(tf, length uint32) float64 {
		return float64(min(tf, 3)) * 0.1 * float64(1+s.DocFreq%3) / float64(1+length/8)
	}
}

func (w *pruneWorld) query(depth int) query.Query {
	if depth > 0 && w.r.IntN(4) > 0 {
		switch w.r.IntN(11) {
		case 0, 1, 2:
			return query.And(w.members(depth - 1))
		case 3, 4, 5:
			return query.Or(w.members(depth - 1))
		case 7:
			return query.And{w.query(depth - 1), query.Not{Query: w.query(0)}}
		case 8: // a filter
			return query.And{w.query(depth - 1), query.Boost{Query: query.Term{Field: "tag", Text: w.word()}, By: 0}}
		case 6:
			return query.AtLeast{N: 2, Of: append(w.members(depth-1), w.query(0), w.query(0))}
		case 9:
			return query.Constant{Query: w.query(depth - 1), Score: []float64{0, 0.5, 2}[w.r.IntN(3)]}
		default:
			return query.Boost{Query: w.query(depth - 1), By: []float64{0, 0.1, 0.3, 2, 1e-9, 1e30, 1e-200, 1e-310}[w.r.IntN(8)]}
		}
	}
	if w.r.IntN(10) == 0 {
		return w.columnQuery()
	}
	field := []string{"", "title", "body", "body"}[w.r.IntN(4)]
	switch w.r.IntN(12) {
	case 0:
		return query.Prefix{Field: field, Text: w.word()}
	case 1, 2:
		return query.Phrase{Field: field, Text: w.word() + " " + w.word(), Slop: max(0, w.r.IntN(6)-3)}
	case 3:
		return query.Match{Field: field, Text: w.word() + " " + w.word()}
	case 4:
		return query.All{}
	case 5:
		return query.Fuzzy{Field: field, Text: w.word(), Distance: 1}
	}
	return query.Match{Field: field, Text: w.word()}
}

func (w *pruneWorld) members(depth int) (qs []query.Query) {
	for range 1 + w.r.IntN(5) {
		qs = append(qs, w.query(w.r.IntN(depth+1)))
	}
	return qs
}

// Queries of every kind over documents of every kind.
func TestPrunedRandomQueries(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	ix := memory(t, indextest.Options())
	for range 5 {
		var docs []index.Document
		for range 300 {
			docs = append(docs, indextest.RandomDocument(r, 1200))
		}
		put(t, ix, docs...)
	}
	rounds := 2000 / few
	if testing.Short() {
		rounds = 100
	}
	for range rounds {
		opt := index.SearchOptions{Limit: 1 + r.IntN(20), CountUpTo: 1 + r.IntN(30)}
		comparePruned(t, ix, indextest.RandomQuery(r, 3), opt)
		if t.Failed() {
			return
		}
	}
}
