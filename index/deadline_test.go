package index_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/internal/durable"
)

// inTime is how late a call may return whose context is done. It is 20 ms, and more
// here for machines that are busy with other tests and for the race detector.
const inTime = 500 * time.Millisecond * few

var (
	muchText  = hugeText(3<<20, false)
	manyLinks = manyAnchors(20_000)
)

// calls are all methods of a writer that take a context.
var calls = map[string]func(context.Context, *index.Writer) error{
	"Add": func(ctx context.Context, w *index.Writer) error { return w.Add(ctx, numberedDocs(700, 701)...) },
	"Add of much": func(ctx context.Context, w *index.Writer) error {
		return w.Add(ctx, index.Document{Key: "much", Fields: []index.Field{{Name: "body", Value: muchText}}})
	},
	"Add of many": func(ctx context.Context, w *index.Writer) error {
		var docs []index.Document
		for i := range 40 {
			docs = append(docs, index.Document{Key: fmt.Sprint("many", i), Fields: []index.Field{{Name: "body", Value: muchText[:100<<10]}}})
		}
		return w.Add(ctx, docs...)
	},
	"Delete": func(ctx context.Context, w *index.Writer) error { return w.Delete(ctx, "n701") },
	"Set": func(ctx context.Context, w *index.Writer) error {
		_, err := w.Set(ctx, "n1", index.Field{Name: "price", Value: 7})
		return err
	},
	"AddAnchors": func(ctx context.Context, w *index.Writer) error {
		return w.AddAnchors(ctx, index.Anchor{Target: "n2", Source: "s", Text: "text"})
	},
	"many AddAnchors": func(ctx context.Context, w *index.Writer) error { return w.AddAnchors(ctx, manyLinks...) },
	"DeleteAnchors":   func(ctx context.Context, w *index.Writer) error { return w.DeleteAnchors(ctx, "n3") },
	"Commit":          func(ctx context.Context, w *index.Writer) error { return w.Commit(ctx) },
	"Merge":           func(ctx context.Context, w *index.Writer) error { return w.Merge(ctx) },
}

func manyAnchors(n int) (out []index.Anchor) {
	for i := range n {
		out = append(out, index.Anchor{Target: fmt.Sprint("n", i%900), Source: fmt.Sprintf("http://h%d/", i), Text: fmt.Sprint("text ", i%1000)})
	}
	return out
}

// Whatever the writer is doing, and however long the disk takes over it, a call
// returns when its context is done; and nothing is lost by that.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	all := func(durable.Op) bool { return true }
	named := func(prefix string) func(durable.Op) bool {
		return func(op durable.Op) bool { return op.Kind == "write" && strings.HasPrefix(op.Name, prefix) }
	}
	for _, c := range []struct {
		name  string
		stuck func(durable.Op) bool // operations of the disk that do not end
		busy  func(w *index.Writer) error
	}{
		{"a flush of Add", all, func(w *index.Writer) error {
			var docs []index.Document
			for i := range 30 {
				docs = append(docs, index.Document{Key: fmt.Sprint("large", i), Fields: []index.Field{{Name: "body", Value: muchText[:100<<10]}}})
			}
			return w.Add(ctx, docs...)
		}},
		{"Commit", named("commit-"), func(w *index.Writer) error { return w.Commit(ctx) }},
		{"a flush of Commit", named("segment-"), func(w *index.Writer) error { return w.Commit(ctx) }},
		{"a commit of columns", named("column-"), func(w *index.Writer) error { return w.Commit(ctx) }},
		{"a commit of anchors", named("anchors-"), func(w *index.Writer) error {
			return errors.Join(w.AddAnchors(ctx, manyAnchors(100)...), w.Commit(ctx))
		}},
		{"too many anchors", named("anchors-"), func(w *index.Writer) error { return w.AddAnchors(ctx, manyAnchors(5000)...) }},
		{"Merge", named("segment-"), func(w *index.Writer) error { return w.Merge(ctx) }},
		{"the end of Merge", named("commit-"), func(w *index.Writer) error { return w.Merge(ctx) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var armed atomic.Bool
			gate, stuck := make(chan struct{}), make(chan struct{})
			told := sync.OnceFunc(func() { close(stuck) })
			opt := killed
			opt.MemoryBudget = 1
			ix := opens(t, t.TempDir(), opt.WithHooks(func(op durable.Op) error {
				if armed.Load() && c.stuck(op) {
					told()
					<-gate
				}
				return nil
			}))
			w := writer(t, ix)
			must(t, w.Add(ctx, numberedDocs(0, 50)...), w.Commit(ctx), w.Add(ctx, numberedDocs(50, 60)...))
			_, err := w.Set(ctx, "n7", price(3))
			must(t, err)
			armed.Store(true)
			done := make(chan error, 1)
			go func() { done <- c.busy(w) }()
			open := sync.OnceFunc(func() { close(gate) })
			defer open()
			select {
			case <-stuck:
			case err := <-done:
				t.Fatal("it has ended:", err)
			}
			for name, call := range calls {
				within, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
				err := call(within, w)
				late := inTimeOf(within)
				cancel()
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %v", name, err)
				}
				if late > inTime {
					t.Errorf("%s returns %v late", name, late)
				}
			}
			from := time.Now()
			w.Stats()
			if n := len(keys(t, ix, query.Match{Text: "all"})); n != 50 {
				t.Errorf("%d documents are found", n)
			}
			if took := time.Since(from); took > inTime {
				t.Errorf("reading takes %v", took)
			}
			open()
			must(t, <-done, w.Commit(ctx))
			if n := len(keys(t, ix, query.Match{Text: "all"})); n != 60 && n != 61 { // n700
				t.Errorf("%d documents in the end", n)
			}
			s, err := ix.Snapshot()
			must(t, err, s.Verify(ctx), s.Close())
		})
	}
}

// inTimeOf is how long ago a deadline was.
func inTimeOf(ctx context.Context) time.Duration {
	at, _ := ctx.Deadline()
	return time.Since(at)
}

// A context that ends in the middle of long work ends it.
func TestDeadlinesOfLongWork(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{Schema: killed.Schema, MemoryBudget: 256 << 20}, numberedDocs(0, 900)...)
	w := writer(t, ix)
	anchors := manyAnchors(30_000)
	different := index.Document{Key: "x", Fields: []index.Field{{Name: "body", Value: hugeText(20<<20, true)}}}
	var worst time.Duration
	for name, call := range map[string]func(context.Context) error{
		"AddAnchors":    func(ctx context.Context) error { return w.AddAnchors(ctx, anchors...) },
		"Commit":        w.Commit,
		"Merge":         w.Merge,
		"Add":           func(ctx context.Context) error { return calls["Add of much"](ctx, w) },
		"Add meanwhile": func(ctx context.Context) error { return w.Add(ctx, numberedDocs(5, 6)...) },
		"Add of unknown": func(ctx context.Context) error {
			return w.Add(ctx, different)
		},
	} {
		must(t, w.AddAnchors(t.Context(), anchors...))
		var beside sync.WaitGroup
		other, stop := context.WithCancel(t.Context())
		beside.Go(func() { w.Commit(other) })
		for _, after := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond, 60 * time.Millisecond} {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			err := call(ctx)
			late := inTimeOf(ctx)
			cancel()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
			if err != nil && late > worst {
				worst = late
				t.Logf("%s after %v: %v late", name, after, late)
			}
			if err != nil && late > inTime {
				t.Errorf("%s returns %v late", name, late)
			}
		}
		stop()
		beside.Wait()
	}
	must(t, w.Commit(t.Context()))
}
