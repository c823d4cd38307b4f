package index_test

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// countdown is a context that ends after so many looks at it.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// A search that may answer in part does so, whenever its time ends; others
// fail.
func TestPartial(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{})
	for i := range 4 {
		put(t, ix, numberedDocs(i*1500, i*1500+1500)...)
	}
	q, err := query.Parse("number OR 5* OR /.*7/ OR 12~1", query.ParseOptions{})
	must(t, err)
	for _, sort := range [][]index.SortBy{nil, {{}}} {
		ask := func(ctx context.Context, partial bool) (*index.Results, error) {
			return ix.Search(ctx, q, index.SearchOptions{Limit: 10_000, Sort: sort, Effort: index.Effort{Partial: partial}})
		}
		all, err := ask(t.Context(), false)
		must(t, err)
		right := map[string]float64{}
		for _, h := range all.Hits {
			right[h.Key] = h.Score
		}
		parts, most := 0, 0
		step := 1
		if testing.Short() {
			step = 3
		}
		for left := 0; ; left += step {
			_, err := ask(&countdown{t.Context(), left}, false)
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			res, partErr := ask(&countdown{t.Context(), left}, true)
			must(t, partErr)
			for _, h := range res.Hits {
				if right[h.Key] != h.Score {
					t.Fatalf("%s scores %v, not %v", h.Key, h.Score, right[h.Key])
				}
			}
			if !res.Partial {
				if res.Total != all.Total || len(res.Hits) != len(all.Hits) {
					t.Errorf("all is %v, not %v", res.Total, all.Total)
				}
				break
			}
			counted := len(res.Hits) > 0 && res.Total == all.Total // the time ended while hits were read
			if counted {
				left += 9
			}
			if err == nil || res.Total.Exact && !counted || res.Total.Value > all.Total.Value {
				t.Errorf("a part has %+v; without Partial: %v", res.Total, err)
			}
			parts, most = parts+1, max(most, len(res.Hits))
		}
		if parts < 5 || most == 0 || most == len(all.Hits) {
			t.Errorf("%d parts, at most %d of %d hits", parts, most, len(all.Hits))
		}
	}
}

// However long a query is, and whatever takes long of it, the context ends it.
func TestLongQueriesLookAtTheContext(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{}, texts(strings.Repeat("v ", 700)+"x", strings.Repeat("w ", 66_000)+"x", "y y")...)
	snap, err := ix.Snapshot()
	must(t, err)
	defer snap.Close()
	var absent, there query.Or
	for i := range 400 {
		absent = append(absent, query.Match{Text: "no" + strconv.Itoa(i)})
		there = append(there, query.Phrase{Text: "y y", Slop: i})
	}
	for name, q := range map[string]query.Query{
		"to plan an Or":      absent,
		"to plan a phrase":   query.Phrase{Text: strings.Repeat("no ", 400)},
		"to open phrases":    there,
		"to open an And":     query.And(there),
		"many places":        query.Phrase{Field: "body", Text: "w w w w w w w w x"},
		"a long phrase":      query.Phrase{Field: "body", Text: strings.Repeat("w ", 100)},
		"a loose phrase":     query.Phrase{Field: "body", Text: "v v v v v v v x v", Slop: 3},
		"terms at one place": query.Phrase{Field: "body", Text: strings.Repeat("v ", 30) + "v*", Slop: 1},
	} {
		looks := &countdown{t.Context(), 1 << 30}
		_, err := snap.Search(looks, q, index.SearchOptions{})
		must(t, err)
		if n := 1<<30 - looks.left; n < 10 {
			t.Errorf("%s: %d looks at the context", name, n)
		}
		_, err = snap.Search(&countdown{t.Context(), 2}, q, index.SearchOptions{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err = snap.Explain(&countdown{t.Context(), 1}, q, "c", index.SearchOptions{}); strings.HasPrefix(name, "to ") && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s, explained: %v", name, err)
		}
	}
}

// Segments that are searched at the same time change nothing, and end with the
// context.
func TestThreads(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{})
	for i := range 7 {
		put(t, ix, numberedDocs(i*300, i*300+300)...)
	}
	for _, text := range []string{"all", "words OR number", `"hold all" -n7`, "*", "nowhere"} {
		q, err := query.Parse(text, query.ParseOptions{})
		must(t, err)
		for _, upTo := range []int{0, 1} {
			opt := index.SearchOptions{Limit: 30, CountUpTo: upTo}
			one, err := ix.Search(t.Context(), q, opt)
			must(t, err)
			opt.Effort.Threads = 3
			three, err := ix.Search(t.Context(), q, opt)
			must(t, err)
			if !reflect.DeepEqual(one.Hits, three.Hits) || upTo == 0 && one.Total != three.Total {
				t.Errorf("%s: %v %v, not %v %v", q, three.Total, three.Hits, one.Total, one.Hits)
			}
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	opt := index.SearchOptions{Scorer: ending(func() { cancel(why) }), Effort: index.Effort{Threads: 3}}
	if _, err := ix.Search(ctx, query.Match{Text: "all"}, opt); err != why {
		t.Errorf("ended with %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("the panic of a scorer is lost")
		}
	}()
	opt.Scorer = ending(func() { panic("in a scorer") })
	ix.Search(t.Context(), query.Match{Text: "all"}, opt)
}

// ending is a Scorer that does something when it is used.
type ending func()

func (f ending) Term(rank.Stats) rank.Score {
	return func(tf, _ uint32) float64 {
		f()
		return float64(tf)
	}
}

// Words that score over all fields at once are pruned like others.
func TestCombinedIsPruned(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{})
	put(t, ix, numberedDocs(0, 3000)...)
	for _, text := range []string{"words", "words OR number", "hold OR n2999"} {
		q, err := query.Parse(text, query.ParseOptions{})
		must(t, err)
		if !comparePruned(t, ix, q, index.SearchOptions{Limit: 3, CountUpTo: 1, Scorer: rank.BM25F{}}) {
			t.Errorf("%s is not pruned", q)
		}
	}
}
