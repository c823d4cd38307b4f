package index_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
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
			if _, err := ix.Search(t.Context(), query.Match{Text: "all"}, index.SearchOptions{}); err != nil {
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
		got := keys(t, ix, query.All{})
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
		got := keys(t, ix, query.All{})
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

// at returns a text with a bomb behind so many bytes.
func (explosive) at(n int) string { return strings.Repeat("fine text ", n/10) + "bomb" }

// A panic over one document is the error of that one: what was there of its key
// stays, and all others are taken up, wherever the panic is.
func TestPanicInAnalyzer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   analysis.Analyzer
		at   int // bytes before the bomb
	}{
		{"before the first token", explosive{}, 20},
		{"before the first token of much text", explosive{}, 3 << 20},
		{"between tokens", fused{}, 20},
		{"between many tokens", fused{}, 3 << 20},
		{"in the language", foreign{}, 20},
	} {
		for _, among := range []int{1, 900} {
			t.Run(fmt.Sprint(c.name, " among ", among), func(t *testing.T) {
				t.Parallel()
				ix := memory(t, index.Options{
					Schema:    index.Schema{{Name: "body", Analyzer: "mine"}},
					Analyzers: map[string]analysis.Analyzer{"mine": c.in},
				}, index.Document{Key: "k5", Fields: []index.Field{{Name: "body", Value: "earlier"}}})
				w := writer(t, ix)
				var docs []index.Document
				for i := range among + 5 {
					docs = append(docs, index.Document{Key: fmt.Sprint("k", i), Fields: []index.Field{{Name: "body", Value: "fine"}}})
				}
				docs[5].Fields[0].Value = explosive{}.at(c.at)
				for range 2 { // also in a buffer
					err := w.Add(t.Context(), docs...)
					of, ok := errors.AsType[*index.DocumentError](err)
					if !ok || of.Key != "k5" || !strings.Contains(err.Error(), "boom") || errors.Is(err, index.ErrWriterFailed) {
						t.Fatalf("the panic is told as %v", err)
					}
				}
				must(t, w.Commit(t.Context()), w.Merge(t.Context()))
				if got := keys(t, ix, query.Match{Text: "fine"}); len(got) != among+4 {
					t.Errorf("%d documents, want %d", len(got), among+4)
				}
				if got := keys(t, ix, query.Match{Text: "earlier"}); !slices.Equal(got, []string{"k5"}) {
					t.Errorf("the earlier document: %v", got)
				}
				if s := w.Stats(); s.Added != 2*(among+4) {
					t.Errorf("%+v", s)
				}
			})
		}
	}
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body", Analyzer: "mine"}}, Analyzers: map[string]analysis.Analyzer{"mine": explosive{}}})
	if _, err := ix.Search(t.Context(), query.Match{Text: "bomb"}, index.SearchOptions{}); err == nil {
		t.Error("a panic in the analyzer of a query is no error")
	}
}

// fused panics at a word, after the tokens before.
type fused struct{ analysis.Standard }

func (f fused) Tokens(text string) iter.Seq[analysis.Token] {
	return func(yield func(analysis.Token) bool) {
		for token := range f.Standard.Tokens(text) {
			if token.Text == "bomb" {
				panic("boom")
			}
			if !yield(token) {
				return
			}
		}
	}
}

// foreign panics when it is asked for the language of a text.
type foreign struct{ analysis.Standard }

func (foreign) Language(text string) string {
	if strings.Contains(text, "bomb") {
		panic("boom")
	}
	return "de"
}

func (f foreign) In(string) analysis.Analyzer      { return f.Standard }
func (f foreign) Among([]string) analysis.Analyzer { return f.Standard }

// An anchor over which an analyzer panics is refused; if it panics only later, the
// commit goes on without the anchors of the document.
func TestPanicOverAnchors(t *testing.T) {
	t.Parallel()
	moody := &moody{}
	ix := memory(t, index.Options{
		Schema:    index.Schema{{Name: "anchor", Analyzer: "mine", Anchors: 5}},
		Analyzers: map[string]analysis.Analyzer{"mine": moody},
	}, index.Document{Key: "a"}, index.Document{Key: "b"}, index.Document{Key: "c"})
	w := writer(t, ix)
	moody.hates.Store("bomb")
	err := w.AddAnchors(t.Context(), index.Anchor{Target: "a", Source: "s", Text: "fine"}, index.Anchor{Target: "b", Source: "s", Text: "a bomb"}, index.Anchor{Target: "b", Source: "r", Text: "fine too"})
	if of, ok := errors.AsType[*index.DocumentError](err); !ok || of.Key != "b" || errors.Is(err, index.ErrWriterFailed) {
		t.Fatalf("told as %v", err)
	}
	must(t, w.AddAnchors(t.Context(), index.Anchor{Target: "c", Source: "s", Text: "fine changes"}))
	moody.hates.Store("changes")
	must(t, w.Commit(t.Context()))
	if got := keys(t, ix, query.Term{Field: "anchor", Text: "fine"}); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("found %v", got)
	}
	if s := w.Stats(); s.AnchorsSkipped != 1 || s.Anchors != 3 {
		t.Errorf("%+v", s)
	}
}

// moody panics at a word, not always the same.
type moody struct {
	analysis.Standard
	hates atomic.Value // string
}

func (m *moody) Tokens(text string) iter.Seq[analysis.Token] {
	if strings.Contains(text, m.hates.Load().(string)) {
		panic("boom")
	}
	return m.Standard.Tokens(text)
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
		if got := keys(t, ix, query.Match{Text: "all"}); len(got) != c.commits {
			t.Errorf("%s: readers see %v", c.bomb, got)
		}
		must(t, w.Close(), ix.Close())
		put(t, opens(t, dir, index.Options{}), numberedDocs(500, 501)...)
	}
}
