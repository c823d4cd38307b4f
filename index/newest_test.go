package index_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

// Searches of an index without a writer see every commit of other writers as soon as it
// is there, whatever these remove and fail to remove, and none that is older than one
// they have seen.
func TestSearchSeesTheNewestCommit(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		dir := t.TempDir()
		var failing atomic.Bool
		rnd := rand.New(rand.NewPCG(seed, 1))
		var mu sync.Mutex
		writes := func(op durable.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if failing.Load() && op.Kind == "remove" && strings.HasPrefix(op.Name, "commit-") && rnd.IntN(2) == 0 {
				return faultfs.ErrInjected
			}
			return nil
		}
		reader := opens(t, dir, index.Options{})
		var committed atomic.Int64
		ctx, stop := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				seen := 0
				for ctx.Err() == nil {
					least := max(seen, int(committed.Load()))
					res, err := reader.Search(t.Context(), query.All{}, index.SearchOptions{Limit: -1})
					if err != nil {
						t.Error(err)
						return
					}
					if seen = res.Total.Value; seen < least {
						t.Errorf("seed %d: %d documents after a commit of %d", seed, seen, least)
						return
					}
				}
			})
		}
		n := 0
		for round := range 4 {
			failing.Store(round%2 == 1)
			other := opens(t, dir, index.Options{}.WithHooks(writes))
			w := writer(t, other)
			for range 8 {
				must(t, w.Add(t.Context(), numberedDocs(n, n+1)...), w.Commit(t.Context()))
				n++
				committed.Store(int64(n))
			}
			must(t, w.Close(), other.Close())
		}
		stop()
		group.Wait()
	}
}

// A reader that has missed any number of commits finds the newest, also where those
// between, and its own, are gone or could not be removed.
func TestSearchAfterMissedCommits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var stuck atomic.Bool
	other := opens(t, dir, index.Options{}.WithHooks(func(op durable.Op) error {
		if stuck.Load() && op.Kind == "remove" {
			return faultfs.ErrInjected
		}
		return nil
	}))
	w := writer(t, other)
	n := 0
	for _, missed := range []int{1, 2, 9} {
		for _, fails := range []int{0, 1, 100} { // how many of the commits' removals
			reader := opens(t, dir, index.Options{})
			for i := range missed {
				stuck.Store(i < fails)
				must(t, w.Add(t.Context(), numberedDocs(n, n+1)...), w.Commit(t.Context()))
				n++
			}
			if got := len(keysOf(t, reader, query.All{})); got != n {
				t.Errorf("%d commits missed, %d removals failed: %d documents of %d", missed, fails, got, n)
			}
			must(t, reader.Close())
		}
	}
}

// Searches without a new commit do not list the folder, and do not wait for one another.
func TestSearchesAskSideBySide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{})
	put(t, ix, numberedDocs(0, 9)...)
	must(t, ix.Close())
	const searches = 8
	var lists, asking atomic.Int64
	all := make(chan struct{})
	ix = opens(t, dir, index.Options{}.WithHooks(func(op durable.Op) error {
		switch op.Kind {
		case "list":
			lists.Add(1)
		case "stat":
			if asking.Add(1) == searches {
				close(all)
			}
			<-all // until all of them ask
		}
		return nil
	}))
	opened := lists.Load()
	var group sync.WaitGroup
	for range searches {
		group.Go(func() {
			if _, err := ix.Search(t.Context(), query.All{}, index.SearchOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := lists.Load() - opened; n > 0 {
		t.Errorf("%d searches listed the folder %d times", searches, n)
	}
}

// Searches beside Close answer, or say that the index is closed.
func TestSearchBesideClose(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := opens(t, dir, index.Options{})
	w := writer(t, other)
	for i := range 15 {
		ix := opens(t, dir, index.Options{})
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for {
					res, err := ix.Search(t.Context(), query.All{}, index.SearchOptions{Limit: -1})
					if errors.Is(err, index.ErrClosed) {
						return
					}
					if err != nil || res.Total.Value < i {
						t.Error(res, err)
						return
					}
				}
			})
		}
		must(t, w.Add(t.Context(), numberedDocs(i, i+1)...), w.Commit(t.Context()))
		must(t, ix.Close())
		group.Wait()
	}
}

// BenchmarkSearchIndex compares searches of an index, which look for a new commit, with
// those of a snapshot, one at a time and side by side.
func BenchmarkSearchIndex(b *testing.B) {
	dir := b.TempDir()
	ix := opens(b, dir, index.Options{})
	put(b, ix, corpus(2000)...)
	must(b, ix.Close())
	ix = opens(b, dir, index.Options{})
	s, err := ix.Snapshot()
	must(b, err)
	defer s.Close()
	q := query.Match{Field: "body", Text: "w5000"}
	for name, of := range map[string]index.Searcher{"index": ix, "snapshot": s} {
		b.Run(fmt.Sprint(name, "/one"), func(b *testing.B) {
			for b.Loop() {
				_, err := of.Search(b.Context(), q, index.SearchOptions{})
				must(b, err)
			}
		})
		b.Run(fmt.Sprint(name, "/many"), func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := of.Search(b.Context(), q, index.SearchOptions{}); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
