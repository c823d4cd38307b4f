package index_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// Beside a merge of many documents every call of a writer returns when its context is done,
// also one that was done before, with the context's cause; and so do searches. With -short
// there are few documents.
func TestDeadlinesBesideAMerge(t *testing.T) {
	t.Parallel()
	docs := 300_000 / few
	if testing.Short() {
		docs = 20_000
	}
	opt := index.Options{Schema: killed.Schema, MemoryBudget: 4 << 20}
	ix, err := index.Open(t.TempDir(), opt)
	must(t, err)
	t.Cleanup(func() { ix.Close() })
	w := writer(t, ix)
	for from := 0; from < docs; from += 1000 {
		must(t, w.Add(t.Context(), numberedDocs(from, from+1000)...))
	}
	must(t, w.Commit(t.Context()))
	merged := make(chan error, 1)
	go func() { merged <- w.Merge(t.Context()) }()
	enough := errors.New("enough")
	worst := map[string]time.Duration{}
	calls := maps.Clone(calls)
	calls["a timer alone"] = func(ctx context.Context, _ *index.Writer) error { // what the machine takes
		<-ctx.Done()
		return context.Cause(ctx)
	}
	rounds, during := 0, true
	for ; during && rounds < 40; rounds++ {
		for name, call := range calls {
			for _, after := range []time.Duration{-1, 2 * time.Millisecond} {
				ctx, cancel := context.WithTimeoutCause(t.Context(), after, enough)
				began := time.Now()
				err := call(ctx, w)
				late := min(inTimeOf(ctx), time.Since(began))
				cancel()
				if err != nil && !errors.Is(err, enough) || after < 0 && err == nil {
					t.Errorf("%s, with %v: %v", name, after, err)
				}
				worst[name] = max(worst[name], late)
				if late > inTime {
					t.Errorf("%s returns %v late", name, late)
				}
			}
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Millisecond, enough)
		_, err := ix.Search(ctx, query.Or{query.Match{Text: "all"}, query.Prefix{Text: "n"}, query.Wildcard{Pattern: "*1*"}}, index.SearchOptions{})
		late := inTimeOf(ctx)
		cancel()
		if err != nil && !errors.Is(err, enough) || late > inTime {
			t.Errorf("a search returns %v late: %v", late, err)
		}
		worst["Search"] = max(worst["Search"], late)
		select {
		case err := <-merged:
			must(t, err)
			during = false
		default:
		}
	}
	t.Logf("%d rounds beside the merge of %d documents: late at worst: %v", rounds, docs, worst)
	if during {
		must(t, <-merged)
	}
	must(t, w.Commit(t.Context()))
	res, err := ix.Search(t.Context(), query.Match{Field: "body", Text: "all"}, index.SearchOptions{Limit: -1})
	if err != nil || res.Total.Value < docs-1 || res.Total.Value > docs+1 { // n700 may be added and n701 deleted
		t.Errorf("%+v of %d documents: %v", res, docs, err)
	}
}
