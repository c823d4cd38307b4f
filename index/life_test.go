package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/internal/durable"
)

// Many small commits leave few files.
func TestManySmallCommits(t *testing.T) {
	t.Parallel()
	commits, each := 250, 400
	if testing.Short() || few > 1 {
		commits = 60
	}
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{})
	w := writer(t, ix)
	most, fds := 0, 0
	for i := range commits {
		for _, d := range numberedDocs(i*each, (i+1)*each) {
			must(t, w.Add(t.Context(), d))
		}
		must(t, w.Commit(t.Context()))
		if i%50 == 0 {
			most = max(most, len(files(t, dir)))
			fds = max(fds, openFiles(dir))
		}
	}
	if most > 60 || fds > 10 {
		t.Errorf("%d files, %d of them open", most, fds)
	}
	must(t, w.Merge(t.Context()))
	if got := files(t, dir); len(got) != 3 {
		t.Errorf("merged: %v", got)
	}
	res, err := ix.Search(t.Context(), query.Match{Text: "all"}, index.SearchOptions{})
	must(t, err)
	if res.Total.Value != commits*each {
		t.Errorf("%d documents", res.Total.Value)
	}
}

// openFiles counts the descriptors of this process on files in a folder; 0
// where the system does not tell.
func openFiles(dir string) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	n := 0
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil && strings.HasPrefix(to, dir) {
			n++
		}
	}
	return n
}

// mappedFiles counts the files in a folder that are mapped.
func mappedFiles(dir string) int {
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0
	}
	return strings.Count(string(b), dir)
}

func size(t testing.TB, dir string) (total int64) {
	for _, name := range files(t, dir) {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil {
			total += st.Size()
		}
	}
	return total
}

// Documents indexed again and again take no more room in the end.
func TestIndexedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{MemoryBudget: 1})
	w := writer(t, ix)
	var once int64
	for round := range 6 {
		must(t, w.Add(t.Context(), numberedDocs(0, 5000)...), w.Commit(t.Context()), w.Merge(t.Context()))
		if round == 0 {
			once = size(t, dir)
		}
	}
	if again := size(t, dir); again > once*11/10 {
		t.Errorf("%d bytes, %d at first", again, once)
	}
	if s := w.Stats(); s.Flushes > 30 || s.Segments != 1 {
		t.Errorf("with the least budget: %+v", s)
	}
	must(t, w.Close(), ix.Close())
	if n := mappedFiles(dir); n > 0 {
		t.Errorf("%d files are still mapped", n)
	}
}

func TestFieldsMissingInSomeSegments(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "a", Stored: true}, {Name: "b", Stored: true}, {Name: "k", Kind: index.Keyword, Stored: true}}})
	for i, fields := range [][]index.Field{
		{{Name: "a", Value: "one"}},
		{{Name: "b", Value: []string{"one", "two"}}},
		{},
		{{Name: "k", Value: "one"}, {Name: "b", Value: ""}},
	} {
		put(t, ix, index.Document{Key: fmt.Sprint(i), Fields: fields})
	}
	check := func(when string) {
		if got := keys(t, ix, query.Match{Text: "one"}); !slices.Equal(got, []string{"0", "1"}) && !slices.Equal(got, []string{"1", "0"}) {
			t.Errorf("%s: %v", when, got)
		}
		if got := keys(t, ix, query.Term{Field: "k", Text: "one"}); !slices.Equal(got, []string{"3"}) {
			t.Errorf("%s: %v", when, got)
		}
		s, err := ix.Snapshot()
		must(t, err)
		defer s.Close()
		must(t, s.Verify(t.Context()))
		if d, _, err := s.Document("1"); err != nil || d.Text("b") != "one\ntwo" || len(d.Fields) != 1 {
			t.Errorf("%s: %+v, %v", when, d, err)
		}
		if d, _, err := s.Document("3"); err != nil || fmt.Sprint(d.Fields) != "[{b } {k one}]" {
			t.Errorf("%s: %+v, %v", when, d, err)
		}
	}
	check("in segments")
	w := writer(t, ix)
	must(t, w.Merge(t.Context()))
	check("merged")
}

// Adding, committing, merging and searching at the same time.
func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{MemoryBudget: 1 << 20})
	w := writer(t, ix)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var writers, readers sync.WaitGroup
	rounds := 20
	if testing.Short() {
		rounds = 10
	}
	for g := range 3 {
		writers.Go(func() {
			for i := range rounds {
				if err := w.Add(ctx, numberedDocs(g*10_000+i*20, g*10_000+(i+1)*20)...); err != nil {
					t.Error(err)
				}
				if err := w.Commit(ctx); err != nil {
					t.Error(err)
				}
				if i%15 == 14 {
					if err := w.Merge(ctx); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	other := opens(t, dir, index.Options{})
	for _, from := range []*index.Index{ix, other} {
		readers.Go(func() {
			for last := 0; ctx.Err() == nil; {
				s, err := from.Snapshot()
				if err != nil {
					t.Error(err)
					return
				}
				res, err := s.Search(ctx, query.Or{query.Match{Text: "all"}, query.Phrase{Text: "hold all"}}, index.SearchOptions{Fields: []string{"body"}})
				if err == nil && (res.Total.Value != s.Docs() || s.Docs() < last) {
					t.Errorf("%d of %d documents, %d before", res.Total.Value, s.Docs(), last)
				}
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				last = s.Docs()
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	cancel()
	readers.Wait()
	must(t, w.Merge(t.Context()))
	res, err := other.Search(t.Context(), query.All{}, index.SearchOptions{})
	must(t, err)
	if want := 3 * rounds * 20; res.Total.Value != want {
		t.Errorf("%d documents, want %d", res.Total.Value, want)
	}
	if left := files(t, dir); len(left) != 3 {
		t.Errorf("files %v", left)
	}
}

func TestCommitCancelled(t *testing.T) {
	t.Parallel()
	ix := opens(t, t.TempDir(), index.Options{})
	w := writer(t, ix)
	must(t, w.Add(t.Context(), numberedDocs(0, 3)...), w.Commit(t.Context()))
	must(t, w.Add(t.Context(), numberedDocs(3, 5)...), w.Delete(t.Context(), "n0"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range []error{w.Commit(ctx), w.Merge(ctx), w.Add(ctx, numberedDocs(5, 6)...), w.Delete(ctx, "n1")} {
		if !errors.Is(err, context.Canceled) || errors.Is(err, index.ErrWriterFailed) {
			t.Errorf("cancelled: %v", err)
		}
	}
	if got := len(keys(t, ix, query.All{})); got != 3 {
		t.Errorf("%d documents after a cancelled commit", got)
	}
	must(t, w.Commit(t.Context()))
	if got := len(keys(t, ix, query.All{})); got != 4 {
		t.Errorf("%d documents after the commit", got)
	}
}

// A Merge that is given up leaves the merges that it stopped to be done.
func TestMergeGivenUp(t *testing.T) {
	t.Parallel()
	gate, began := make(chan struct{}), make(chan struct{}, 100)
	var created atomic.Int32
	ix := opens(t, t.TempDir(), index.Options{}.WithHooks(func(op durable.Op) error {
		if op.Kind == "create" && strings.HasPrefix(op.Name, "segment-") && created.Add(1) > 8 {
			began <- struct{}{}
			<-gate
		}
		return nil
	}))
	w := writer(t, ix)
	goOn := sync.OnceFunc(func() { close(gate) })
	defer goOn()
	for i := range 8 { // the last one begins a merge
		must(t, w.Add(t.Context(), numberedDocs(i, i+1)...), w.Commit(t.Context()))
	}
	<-began
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := w.Merge(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("given up: %v", err)
	}
	goOn()
	select {
	case <-began:
	case <-time.After(10 * time.Second):
		t.Error("the merge never began again")
	}
}
