package index_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
)

// Whatever commits beside whatever closes: all documents of the last commit are
// there, and one more when the call said so.
func TestCommitBesideClose(t *testing.T) {
	t.Parallel()
	commits := map[string]func(*index.Writer) error{
		"Commit": func(w *index.Writer) error { return w.Commit(t.Context()) },
		"Merge":  func(w *index.Writer) error { return w.Merge(t.Context()) },
		"two Commits": func(w *index.Writer) error {
			var other error
			var both sync.WaitGroup
			both.Go(func() { other = w.Commit(t.Context()) })
			err := w.Commit(t.Context())
			both.Wait()
			if other == nil {
				return nil
			}
			return err
		},
		"by itself": func(w *index.Writer) error { return errors.New("nobody is told") },
	}
	closes := map[string]func(*index.Index, *index.Writer) error{
		"Writer.Close": func(_ *index.Index, w *index.Writer) error { return w.Close() },
		"Index.Close":  func(ix *index.Index, _ *index.Writer) error { return ix.Close() },
		"both":         func(ix *index.Index, w *index.Writer) error { return errors.Join(w.Close(), ix.Close()) },
		"and the next Writer": func(ix *index.Index, w *index.Writer) error {
			if err := w.Close(); err != nil {
				return err
			}
			next, err := ix.Writer()
			if err != nil {
				return err
			}
			return errors.Join(next.Commit(t.Context()), next.Close())
		},
	}
	rounds := 12
	if testing.Short() || few > 1 {
		rounds = 4
	}
	for commit, commits := range commits {
		for closed, closes := range closes {
			t.Run(commit+", "+closed, func(t *testing.T) {
				t.Parallel()
				for range rounds {
					besideClose(t, commit == "by itself", commits, closes)
				}
			})
		}
	}
}

func besideClose(t *testing.T, within bool, commits func(*index.Writer) error, closes func(*index.Index, *index.Writer) error) {
	dir := t.TempDir()
	opt := index.Options{}
	if within {
		opt.CommitWithin = 2 * time.Millisecond
	}
	ix := opens(t, dir, opt)
	w, err := ix.Writer()
	must(t, err, w.Add(t.Context(), numberedDocs(0, 20)...), w.Commit(t.Context()))
	want := 20
	if rand.IntN(2) == 0 {
		must(t, w.Add(t.Context(), numberedDocs(20, 21)...))
		want = 21
	} else {
		must(t, w.Delete(t.Context(), "n3"))
		want = 19
	}
	var told error
	var both sync.WaitGroup
	both.Go(func() { told = commits(w) })
	both.Go(func() {
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		if err := closes(ix, w); err != nil {
			t.Error("close:", err)
		}
	})
	both.Wait()
	if !within && told != nil && !errors.Is(told, index.ErrClosed) {
		t.Error("commit:", told)
	}
	must(t, ix.Close())
	again := opens(t, dir, index.Options{})
	s, err := again.Snapshot()
	must(t, err)
	if n := s.Docs(); n != want && (n != 20 || told == nil) {
		t.Errorf("%d documents, want %d; the commit said %v", n, want, told)
	}
	must(t, s.Verify(t.Context()), s.Close(), again.Close())
}

// A call of a writer whose goroutine has nothing to do any more ends, whoever else
// closes it, however often.
func TestCloseManyTimes(t *testing.T) {
	t.Parallel()
	for range 20 {
		ix := memory(t, index.Options{CommitWithin: time.Millisecond}, numberedDocs(0, 5)...)
		w, err := ix.Writer()
		must(t, err)
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				if err := w.Close(); err != nil {
					t.Error(err)
				}
				// Close has returned, so that the lock is free.
				if next, err := ix.Writer(); err == nil {
					next.Close()
				} else if !errors.Is(err, index.ErrLocked) {
					t.Error(err)
				}
			})
			all.Go(func() {
				if err := w.Add(t.Context(), numberedDocs(i*10, i*10+3)...); err != nil && !errors.Is(err, index.ErrClosed) {
					t.Error(err)
				}
			})
			all.Go(func() {
				if _, err := w.Set(t.Context(), fmt.Sprint("n", i)); err != nil && !errors.Is(err, index.ErrClosed) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		must(t, ix.Close())
	}
}
