package index_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

// story is what is done to an index while its disk fails: step by step, each
// ends with a commit or merge.
var story = []func(ctx context.Context, w *index.Writer) error{
	func(ctx context.Context, w *index.Writer) error {
		return errors.Join(w.Add(ctx, numberedDocs(0, 5)...), w.Commit(ctx))
	},
	func(ctx context.Context, w *index.Writer) error {
		return errors.Join(w.Add(ctx, numberedDocs(3, 9)...), w.Delete(ctx, "n1"), w.Commit(ctx))
	},
	func(ctx context.Context, w *index.Writer) error { return w.Merge(ctx) },
	func(ctx context.Context, w *index.Writer) error {
		return errors.Join(w.Delete(ctx, "n2", "n7"), w.Commit(ctx))
	},
	func(ctx context.Context, w *index.Writer) error {
		return errors.Join(w.Add(ctx, numberedDocs(20, 21)...), w.Merge(ctx))
	},
}

// after are the keys after so many steps.
var after = []string{
	"",
	"n0 n1 n2 n3 n4",
	"n0 n2 n3 n4 n5 n6 n7 n8",
	"n0 n2 n3 n4 n5 n6 n7 n8",
	"n0 n3 n4 n5 n6 n8",
	"n0 n20 n3 n4 n5 n6 n8",
}

// tell runs the story as far as it goes, and returns how many steps went well.
func tell(t *testing.T, dir string, fault *faultfs.Fault) (steps int, err error) {
	ix, err := index.Open(dir, index.Options{}.WithHooks(fault.Hook))
	if err != nil {
		return 0, err
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		return 0, err
	}
	defer w.Close()
	for _, step := range story {
		if err := step(t.Context(), w); err != nil {
			if !errors.Is(err, index.ErrWriterFailed) {
				t.Errorf("a fault is told as %v", err)
			}
			if again := w.Add(t.Context(), numberedDocs(50, 51)...); !errors.Is(again, index.ErrWriterFailed) || !errors.Is(again, faultfs.ErrInjected) && !errors.Is(again, syscall.ENOSPC) {
				t.Errorf("after a fault: %v", again)
			}
			if _, err := ix.Search(t.Context(), index.Match{Text: "all"}, index.SearchOptions{}); err != nil {
				t.Errorf("readers after a fault: %v", err)
			}
			return steps, err
		}
		steps++
	}
	return steps, nil
}

func TestFaultAtEveryOperation(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]iter.Seq[*faultfs.Fault]{"fail": faultfs.Fails(), "crash": faultfs.Crashes()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faultEach(t, faults)
		})
	}
}

func faultEach(t *testing.T, faults iter.Seq[*faultfs.Fault]) {
	n := 0
	for fault := range faults {
		n++
		dir := t.TempDir()
		steps, err := tell(t, dir, fault)
		if err == nil && steps < len(story) {
			t.Fatalf("operation %d: ended after step %d", n, steps)
		}
		ix, openErr := index.Open(dir, index.Options{})
		if openErr != nil {
			t.Fatalf("operation %d, %v: does not open: %v", n, err, openErr)
		}
		got := keys(t, ix, index.All{})
		slices.Sort(got)
		// A commit that failed may still have come through whole.
		last := after[steps]
		next := after[min(steps+1, len(story))]
		if s := strings.Join(got, " "); s != last && (err == nil || s != next) {
			t.Fatalf("operation %d, %v: after step %d: %s", n, err, steps, s)
		}
		put(t, ix, numberedDocs(90, 91)...)
		s, err := ix.Snapshot()
		must(t, err)
		stats, err := s.Stats()
		must(t, err, s.Verify(t.Context()), s.Close(), ix.Close())
		if left := files(t, dir); len(left) != 2+stats.Segments {
			t.Fatalf("operation %d, %v: files left: %v, of %+v", n, err, left, stats)
		}
	}
	if n < 50 {
		t.Errorf("only %d operations", n)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	for room := 0; room < 60_000; room += 397 {
		dir := t.TempDir()
		steps, err := tell(t, dir, faultfs.Full(room))
		if err == nil {
			return
		}
		ix, openErr := index.Open(dir, index.Options{})
		if openErr != nil {
			t.Fatalf("room %d: %v", room, openErr)
		}
		got := keys(t, ix, index.All{})
		slices.Sort(got)
		if s := strings.Join(got, " "); s != after[steps] && s != after[steps+1] {
			t.Fatalf("room %d: after step %d: %s", room, steps, s)
		}
		must(t, ix.Close())
	}
	t.Error("60,000 bytes are not enough for the story")
}

// explosive is an analyzer that panics at a word.
type explosive struct{ analysis.Standard }

func (e explosive) Tokens(text string) iter.Seq[analysis.Token] {
	if strings.Contains(text, "bomb") {
		panic("boom")
	}
	return e.Standard.Tokens(text)
}

func TestPanicInAnalyzer(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{
		Schema:    index.Schema{{Name: "body", Analyzer: "explosive"}},
		Analyzers: map[string]analysis.Analyzer{"explosive": explosive{}},
	}, texts("fine")...)
	w := writer(t, ix)
	err := w.Add(t.Context(), texts("a bomb")...)
	if !errors.Is(err, index.ErrWriterFailed) || !strings.Contains(fmt.Sprint(err), "boom") {
		t.Errorf("the panic is told as %v", err)
	}
	for _, err := range []error{w.Add(t.Context()), w.Commit(t.Context()), w.Delete(t.Context(), "a"), w.Merge(t.Context())} {
		if err != nil && !errors.Is(err, index.ErrWriterFailed) {
			t.Errorf("afterwards: %v", err)
		}
	}
	if err := w.Commit(t.Context()); !errors.Is(err, index.ErrWriterFailed) {
		t.Errorf("commit: %v", err)
	}
	if got := keys(t, ix, index.Match{Text: "fine"}); len(got) != 1 {
		t.Errorf("readers see %v", got)
	}
	if _, err := ix.Search(t.Context(), index.Match{Text: "bomb"}, index.SearchOptions{}); err == nil {
		t.Error("a panic in the analyzer of a query is no error")
	}
	must(t, w.Close())
	put(t, ix, texts("next", "one")...)
}

// A panic in a merge, here of the disk, ends the writer and nothing else.
func TestPanicInMerge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		commits int
		bomb    string // the segment that is not written
		itself  bool
	}{
		{7, "segment-7", false}, // by Merge
		{8, "segment-8", true},  // eight are enough
	} {
		blown := make(chan struct{})
		bomb := func(op durable.Op) error {
			if op.Kind == "write" && op.Name == c.bomb {
				close(blown)
				panic("boom")
			}
			return nil
		}
		dir := t.TempDir()
		ix := opens(t, dir, index.Options{}.WithHooks(bomb))
		w := writer(t, ix)
		for i := range c.commits {
			must(t, w.Add(t.Context(), numberedDocs(i, i+1)...), w.Commit(t.Context()))
		}
		if c.itself {
			<-blown
		}
		for _, err := range []error{w.Merge(t.Context()), w.Commit(t.Context())} {
			if !errors.Is(err, index.ErrWriterFailed) || !strings.Contains(err.Error(), "boom") {
				t.Errorf("%s: %v", c.bomb, err)
			}
		}
		if got := keys(t, ix, index.Match{Text: "all"}); len(got) != c.commits {
			t.Errorf("%s: readers see %v", c.bomb, got)
		}
		must(t, w.Close(), ix.Close())
		put(t, opens(t, dir, index.Options{}), numberedDocs(500, 501)...)
	}
}
