package index_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/internal/durable"
)

// A writer with CommitWithin shows what was put by itself.
func TestCommitWithin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ix := memory(t, index.Options{CommitWithin: time.Second})
		w := writer(t, ix)
		found := func() int { return len(keys(t, ix, query.All{})) }
		for i := range 5 {
			must(t, w.Add(t.Context(), numberedDocs(i, i+1)...))
			if n := found(); n != i {
				t.Errorf("%d documents at once, want %d", n, i)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if n := found(); n != i+1 {
				t.Errorf("%d documents after a second, want %d", n, i+1)
			}
		}
		must(t, w.Delete(t.Context(), "n0"))
		time.Sleep(time.Second)
		synctest.Wait()
		if n := found(); n != 4 {
			t.Errorf("%d documents after a deletion", n)
		}
		before := generation(t, ix)
		time.Sleep(time.Hour)
		if after := generation(t, ix); after != before {
			t.Errorf("%d commits of nothing", after-before)
		}
		must(t, w.Add(t.Context(), numberedDocs(7, 8)...), w.Close())
		time.Sleep(time.Hour)
		if n := found(); n != 4 {
			t.Errorf("%d documents after closing", n)
		}
	})
}

// A fault of such a commit is told by the next call.
func TestCommitWithinFails(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	failed := make(chan struct{}, 1)
	ix := opens(t, t.TempDir(), index.Options{CommitWithin: time.Millisecond}.WithHooks(func(op durable.Op) error {
		if op.Name != "commit-1.tmp" {
			return nil
		}
		select {
		case failed <- struct{}{}:
		default:
		}
		return boom
	}))
	w := writer(t, ix)
	must(t, w.Add(t.Context(), numberedDocs(0, 1)...))
	<-failed
	var err error
	for start := time.Now(); err == nil && time.Since(start) < time.Minute; { // the commit has yet to end
		err = w.Add(t.Context(), numberedDocs(1, 2)...)
	}
	if !errors.Is(err, index.ErrWriterFailed) || !errors.Is(err, boom) {
		t.Errorf("after a fault: %v", err)
	}
	if n := len(keys(t, ix, query.All{})); n != 0 {
		t.Errorf("%d documents", n)
	}
}

func generation(t *testing.T, ix *index.Index) uint64 {
	t.Helper()
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	stats, err := s.Stats()
	must(t, err)
	return stats.Generation
}
