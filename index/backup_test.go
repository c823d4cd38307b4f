package index_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

// backUp makes a backup of an index of 40 documents in segments with deleted
// ones, while its writer goes on.
func backUp(t *testing.T, opt index.Options) (from, to string) {
	from, to = t.TempDir(), filepath.Join(t.TempDir(), "backup")
	ix := opens(t, from, opt)
	w := writer(t, ix)
	must(t, w.Add(t.Context(), numberedDocs(0, 30)...), w.Commit(t.Context()))
	must(t, w.Add(t.Context(), numberedDocs(20, 42)...), w.Delete(t.Context(), "n3", "n41"), w.Commit(t.Context()))
	s, err := ix.Snapshot()
	must(t, err)
	must(t, w.Delete(t.Context(), "n5"), w.Merge(t.Context()))
	must(t, s.Backup(t.Context(), to), s.Close())
	return from, to
}

func ExampleSnapshot_Backup() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "backup")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	ix, err := index.Open(filepath.Join(folder, "pages"), index.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		fmt.Println(err)
		return
	}
	page := index.Document{Key: "https://a.example/", Fields: []index.Field{{Name: "title", Value: "A page"}}}
	if err := errors.Join(w.Add(ctx, page), w.Commit(ctx)); err != nil {
		fmt.Println(err)
		return
	}
	s, err := ix.Snapshot()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	copied := filepath.Join(folder, "pages-backup")
	if err := s.Backup(ctx, copied); err != nil {
		fmt.Println(err)
		return
	}

	restored, err := index.Open(copied, index.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer restored.Close()
	res, err := restored.Search(ctx, query.Match{Text: "page"}, index.SearchOptions{})
	fmt.Println(res.Total.Value, err)
	// Output: 1 <nil>
}

func TestBackup(t *testing.T) {
	t.Parallel()
	noLinks := func(op durable.Op) error {
		if op.Kind == "link" {
			return errors.ErrUnsupported
		}
		return nil
	}
	for name, opt := range map[string]index.Options{"links": {}, "copies": index.Options{}.WithHooks(noLinks)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, dir := backUp(t, opt)
			must(t, os.RemoveAll(from))
			ix := opens(t, dir, index.Options{})
			if got := keys(t, ix, query.Match{Text: "all"}); len(got) != 40 || !slices.Contains(got, "n5") || slices.Contains(got, "n3") {
				t.Errorf("restored: %v", got)
			}
			s, err := ix.Snapshot()
			must(t, err)
			must(t, s.Verify(t.Context()))
			if err := s.Backup(t.Context(), dir); err == nil {
				t.Error("a backup over an index")
			}
			must(t, s.Close())
			put(t, ix, numberedDocs(100, 110)...)
			must(t, writer(t, ix).Merge(t.Context()))
			if got := keys(t, ix, query.All{}); len(got) != 50 {
				t.Errorf("written to: %v", got)
			}
		})
	}
}

func TestBackupOfMemory(t *testing.T) {
	t.Parallel()
	s, err := memory(t, index.Options{}, numberedDocs(0, 10)...).Snapshot()
	must(t, err)
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if err := s.Backup(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	must(t, s.Backup(t.Context(), dir))
	if got := keys(t, opens(t, dir, index.Options{}), query.All{}); len(got) != 10 {
		t.Errorf("restored: %v", got)
	}
}

// A backup that fails at any operation leaves no index, or a whole one, and can
// be made again.
func TestBackupFaults(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	put(t, opens(t, from, index.Options{}), numberedDocs(0, 9)...)
	for _, faults := range []iter.Seq[*faultfs.Fault]{faultfs.Fails(), faultfs.Crashes()} {
		n := 0
		for fault := range faults {
			n++
			backUpWith(t, from, fault, n)
		}
		if n < 5 {
			t.Errorf("only %d operations", n)
		}
	}
}

func backUpWith(t *testing.T, from string, fault *faultfs.Fault, n int) {
	t.Helper()
	var armed atomic.Bool
	ix := opens(t, from, index.Options{}.WithHooks(func(op durable.Op) error {
		if !armed.Load() {
			return nil
		}
		return fault.Hook(op)
	}))
	s, err := ix.Snapshot()
	must(t, err)
	dir := filepath.Join(t.TempDir(), "backup")
	armed.Store(true)
	failed := s.Backup(t.Context(), dir)
	armed.Store(false)
	if failed != nil && !errors.Is(failed, faultfs.ErrInjected) {
		t.Fatalf("operation %d: %v", n, failed)
	}
	if _, err := os.Stat(filepath.Join(dir, "commit-1")); err != nil {
		must(t, s.Backup(t.Context(), dir))
	}
	if got := keys(t, opens(t, dir, index.Options{}), query.Match{Text: "all"}); len(got) != 9 {
		t.Fatalf("operation %d, %v: restored: %v", n, failed, got)
	}
	must(t, s.Close(), ix.Close())
}
