package indextest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// Writer is what changes an index.
type Writer interface {
	Add(context.Context, ...index.Document) error
	Delete(context.Context, ...string) error
	Commit(context.Context) error
}

// setter is a Writer that sets columns of documents.
type setter interface {
	Set(ctx context.Context, key string, fields ...index.Field) (bool, error)
}

// Opened is a new, empty index: what it has committed, its searcher finds.
type Opened struct {
	Searcher index.Searcher
	Writer   Writer
	Merge    func(context.Context) error // brings all documents together; nil: that is no matter
}

// Open makes an index with the given options. It arranges for its end.
type Open func(t testing.TB, opt index.Options) Opened

// Test holds an index to the contract of [index.Searcher] and to the meaning of
// every [query.Query]: worked cases, and random comparisons with the [Twin],
// to the last bit of every score, over few and many commits, deletes and
// merges. Rounds is the number of random queries; 0: 10,000, or 500 with
// -short.
func Test(t *testing.T, open Open, rounds int) {
	t.Run("Matching", func(t *testing.T) { t.Parallel(); testMatching(t, open) })
	t.Run("Languages", func(t *testing.T) { t.Parallel(); testLanguages(t, open) })
	t.Run("Scores", func(t *testing.T) { t.Parallel(); testScores(t, open) })
	t.Run("Pages", func(t *testing.T) { t.Parallel(); testPages(t, open) })
	t.Run("Changes", func(t *testing.T) { t.Parallel(); testChanges(t, open) })
	t.Run("Refusals", func(t *testing.T) { t.Parallel(); testRefusals(t, open) })
	t.Run("Expander", func(t *testing.T) { t.Parallel(); testExpander(t, open) })
	t.Run("Random", func(t *testing.T) {
		t.Parallel()
		if rounds == 0 {
			rounds = 10_000
			if testing.Short() {
				rounds = 500
			}
		}
		testRandom(t, open, rounds)
	})
}

const queriesPerCommit = 20

// testRandom changes an index and its twin at random, and after each commit
// asks both the same. Some are large enough for lists of several blocks.
func testRandom(t *testing.T, open Open, rounds int) {
	for seed := uint64(1); rounds > 0; seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		opt := Options()
		opt.MemoryBudget = 1 << 20
		opt.Order, opt.OrderColumn, opt.KeepFilters = index.Order(r.IntN(4)), "price", 2
		real, twin := open(t, opt), NewTwin(opt)
		keys := 60
		if seed%12 == 0 {
			keys = 800
		}
		for range 1 + r.IntN(8) {
			change(t, r, keys, real, twin)
			for range queriesPerCommit {
				q, times := RandomQuery(r, 3), 1
				if r.IntN(8) == 0 { // a filter, which is remembered the second time
					q, times = query.Constant{Query: q, Score: 1}, 3
				}
				for range times {
					rounds--
					if !same(t, real.Searcher, twin, q, randomSearch(r)) {
						t.Fatalf("seed %d", seed)
					}
				}
			}
		}
	}
}

// RandomScorer draws one of the scorers of package rank.
func RandomScorer(r *rand.Rand) rank.Scorer {
	names := rank.ScorerNames()
	s, err := rank.ParseScorer(names[r.IntN(len(names))])
	if err != nil {
		panic(err)
	}
	return s
}

func randomSearch(r *rand.Rand) index.SearchOptions {
	opt := index.SearchOptions{Limit: 1 + r.IntN(40), Offset: max(0, r.IntN(20)-10), Fields: []string{"title", "tag"}}
	opt.Effort.Threads = max(0, r.IntN(6)-3)
	switch r.IntN(16) {
	case 10, 11, 12, 13:
		opt.Scorer = RandomScorer(r)
	case 4, 5:
		opt.Scorer = rank.BM25F{B: 0.5, Fields: map[string]float64{"title": 0.2, "text": 1, "same": -1}}
		if r.IntN(2) == 0 {
			opt.Expander = synonyms{"the": {"of": 0.5, "vacuum": 0.1}, "run": {"runs": 0.9}, "search": {"zebra": 1}}
		}
	case 3:
		opt.Effort.Terms = 1 + r.IntN(4)
	case 0:
		opt.Scorer = rank.TFIDF{}
	case 1:
		opt.Scorer = rank.BM25{K1: 0.9, B: 0.4}
	case 2:
		opt.Expander = synonyms{"the": {"of": 0.5, "the": 1, "vacuum": 0.1}, "run": {"runs": 0.9, "running": 0.3}, "search": {"zebra": 1}}
	}
	if r.IntN(4) == 0 {
		opt.Typos = query.Typos{Forgive: true, One: max(0, r.IntN(5)-2), Two: r.IntN(8) - 1, FirstLetter: r.IntN(2) == 0}
	}
	if r.IntN(4) == 0 {
		opt.Weights = map[string]float64{}
		for _, name := range []string{"title", "body", "text", "short", "same", "aside"} {
			if r.IntN(3) == 0 {
				opt.Weights[name] = []float64{0, 0, 0.5, 1, 7}[r.IntN(5)]
			}
		}
	}
	if r.IntN(2) == 0 {
		arrange(r, &opt)
	}
	return opt
}

// change adds, replaces and deletes some documents and commits, and merges now
// and then.
func change(t *testing.T, r *rand.Rand, keys int, real Opened, twin *Twin) {
	ctx := t.Context()
	for range r.IntN(12) {
		var docs []index.Document
		for range 1 + r.IntN(keys/10) {
			docs = append(docs, RandomDocument(r, keys))
		}
		must(t, real.Writer.Add(ctx, docs...), twin.Add(ctx, docs...))
		if r.IntN(3) == 0 {
			key := RandomDocument(r, keys).Key
			must(t, real.Writer.Delete(ctx, key), twin.Delete(ctx, key))
		}
		if s, ok := real.Writer.(setter); ok && r.IntN(3) == 0 {
			set(t, r, keys, s, twin)
		}
	}
	must(t, real.Writer.Commit(ctx), twin.Commit(ctx))
	if real.Merge != nil && r.IntN(4) == 0 {
		must(t, real.Merge(ctx))
	}
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// warningKinds are the kinds of the warnings of an answer, ascending, each once.
func warningKinds(res *index.Results) (kinds []query.WarningKind) {
	for _, w := range res.Warnings {
		kinds = append(kinds, w.Kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// same reports whether both searchers answer q with the same hits, scores and
// total, and warnings of the same kinds.
func same(t testing.TB, real, twin index.Searcher, q query.Query, opt index.SearchOptions) bool {
	t.Helper()
	got, err := real.Search(t.Context(), q, opt)
	want, wantErr := twin.Search(t.Context(), q, opt)
	must(t, err, wantErr)
	ok := got.Total == want.Total && len(got.Hits) == len(want.Hits) && slices.Equal(warningKinds(got), warningKinds(want))
	for name, want := range want.Facets {
		ok = ok && sameFacet(got.Facets[name], want)
	}
	for i := range got.Hits {
		if !ok {
			break
		}
		g, w := got.Hits[i], want.Hits[i]
		ok = g.Key == w.Key && g.Score == w.Score && reflect.DeepEqual(g.Sort, w.Sort) && (len(g.Fields) == 0 && len(w.Fields) == 0 || reflect.DeepEqual(g.Fields, w.Fields))
	}
	if !ok {
		t.Errorf("query %s\n%#v\noptions %+v\n got %s\nwant %s", q, q, opt, page(got), page(want))
	}
	return ok
}

func page(res *index.Results) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %v %q", res.Total.Value, res.Total.Exact, res.Warnings)
	for _, h := range res.Hits {
		fmt.Fprintf(&b, "\n     %s %v %q", h.Key, h.Score, h.Fields)
	}
	return b.String()
}

// filled opens an index and puts documents into it: each text becomes the body
// of a document, with the keys a, b, c and so on. Every third one is a commit.
func filled(t *testing.T, open Open, opt index.Options, texts ...any) Opened {
	t.Helper()
	o := open(t, opt)
	for i, text := range texts {
		must(t, o.Writer.Add(t.Context(), index.Document{Key: key(i), Fields: []index.Field{{Name: "body", Value: text}}}))
		if i%3 == 2 {
			must(t, o.Writer.Commit(t.Context()))
		}
	}
	must(t, o.Writer.Commit(t.Context()))
	return o
}

func key(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return fmt.Sprintf("z%04d", i)
}

// found asks and returns the keys in order.
func found(t *testing.T, o Opened, q query.Query) string {
	t.Helper()
	res, err := o.Searcher.Search(t.Context(), q, index.SearchOptions{Limit: 1000})
	must(t, err)
	var keys []string
	for _, h := range res.Hits {
		keys = append(keys, h.Key)
	}
	if res.Total != (index.Count{Value: len(keys), Exact: true}) {
		t.Errorf("%s: total %+v of %d hits", q, res.Total, len(keys))
	}
	return strings.Join(keys, " ")
}

// scores asks and returns the scores by key.
func scores(t *testing.T, o Opened, q query.Query, opt index.SearchOptions) map[string]float64 {
	t.Helper()
	opt.Limit = 1000
	res, err := o.Searcher.Search(t.Context(), q, opt)
	must(t, err)
	byKey := map[string]float64{}
	for _, h := range res.Hits {
		byKey[h.Key] = h.Score
	}
	return byKey
}

// sorted puts keys in order, where that is not the point.
func sorted(keys string) string {
	fields := strings.Fields(keys)
	slices.Sort(fields)
	return strings.Join(fields, " ")
}

// parse reads a query that is part of a test; a very long one is a word.
func parse(t *testing.T, text string) query.Query {
	t.Helper()
	if len(text) >= 1000 {
		return query.Match{Text: text}
	}
	q, err := query.Parse(text, query.ParseOptions{})
	must(t, err)
	return q
}
