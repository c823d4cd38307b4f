package index_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/internal/faultfs"
)

// priced is the schema of documents with a price.
var priced = index.Options{Schema: index.Schema{{Name: "title"}, {Name: "body"}, {Name: "price", Kind: index.Integer}}}

func price(v any) index.Field { return index.Field{Name: "price", Value: v} }

// prices lists the documents with their prices.
func prices(t testing.TB, s index.Searcher) string {
	t.Helper()
	res, err := s.Search(t.Context(), query.All{}, index.SearchOptions{Limit: 1000, Fields: []string{"price"}})
	must(t, err)
	var out []string
	for _, h := range res.Hits {
		out = append(out, h.Key+"="+h.Text("price"))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// setAll sets prices, each "key price" or "key" for none.
func setAll(ctx context.Context, w *index.Writer, sets ...string) error {
	var errs []error
	for _, s := range sets {
		key, text, _ := strings.Cut(s, " ")
		var v any
		if text != "" {
			v = len(text)
		}
		found, err := w.Set(ctx, key, price(v))
		if !found && err == nil {
			err = fmt.Errorf("no document %s", key)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func TestSetIsSeenAfterCommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix := opens(t, dir, priced)
	w := writer(t, ix)
	ctx := t.Context()
	must(t, w.Add(ctx, numberedDocs(0, 3)...), setAll(ctx, w, "n0 .", "n1 .."), w.Commit(ctx))
	if got := prices(t, ix); got != "n0=1 n1=2 n2=" {
		t.Fatalf("set before they were in a segment: %s", got)
	}
	before, err := ix.Snapshot()
	must(t, err)
	defer before.Close()
	must(t, setAll(ctx, w, "n1 ...", "n2 ....", "n0"))
	if got := prices(t, ix); got != "n0=1 n1=2 n2=" {
		t.Fatalf("seen before Commit: %s", got)
	}
	must(t, w.Commit(ctx))
	for want, s := range map[string]index.Searcher{"n0= n1=3 n2=4": ix, "n0=1 n1=2 n2=": before, "n0= n1=3 n2=4 ": opens(t, dir, index.Options{})} {
		if got := prices(t, s); got != strings.TrimSpace(want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	// A document that is added again has its own.
	must(t, setAll(ctx, w, "n1 ......"), w.Add(ctx, numberedDocs(1, 2)...), w.Commit(ctx))
	if got := prices(t, ix); got != "n0= n1= n2=4" {
		t.Errorf("set, then added: %s", got)
	}
	must(t, w.Merge(ctx))
	if got := prices(t, ix); got != "n0= n1= n2=4" {
		t.Errorf("merged: %s", got)
	}
	must(t, before.Verify(ctx))
	if got := prices(t, before); got != "n0=1 n1=2 n2=" {
		t.Errorf("an old snapshot: %s", got)
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	ix := memory(t, priced, numberedDocs(0, 1)...)
	w := writer(t, ix)
	for _, f := range []index.Field{
		price("1"), price(1.5), price([]int{1}), {Name: "title", Value: "x"}, {Name: "nothing", Value: 1}, price(uint64(1 << 63)),
	} {
		_, err := w.Set(t.Context(), "n0", f)
		if _, ok := errors.AsType[*index.SchemaError](err); !ok {
			t.Errorf("%v: %v", f, err)
		}
	}
	if found, err := w.Set(t.Context(), "n1", price(1)); found || err != nil {
		t.Errorf("an unknown key: %v, %v", found, err)
	}
}

// setStory is what is set in an index while its disk fails, and what it holds
// after each step.
var setStory = []struct {
	do    func(ctx context.Context, w *index.Writer) error
	after string
}{
	{func(ctx context.Context, w *index.Writer) error {
		return errors.Join(w.Add(ctx, numberedDocs(0, 4)...), setAll(ctx, w, "n0 .", "n1 ."), w.Commit(ctx))
	}, "n0=1 n1=1 n2= n3="},
	{func(ctx context.Context, w *index.Writer) error {
		return errors.Join(setAll(ctx, w, "n1 ..", "n2 .."), w.Commit(ctx))
	}, "n0=1 n1=2 n2=2 n3="},
	{func(ctx context.Context, w *index.Writer) error {
		return errors.Join(w.Add(ctx, numberedDocs(5, 6)...), setAll(ctx, w, "n0", "n5 ..."), w.Commit(ctx))
	}, "n0= n1=2 n2=2 n3= n5=3"},
	{func(ctx context.Context, w *index.Writer) error {
		return errors.Join(setAll(ctx, w, "n3 ...."), w.Merge(ctx))
	}, "n0= n1=2 n2=2 n3=4 n5=3"},
	{func(ctx context.Context, w *index.Writer) error {
		return errors.Join(setAll(ctx, w, "n0 ....."), w.Commit(ctx))
	}, "n0=5 n1=2 n2=2 n3=4 n5=3"},
}

func TestSetFaultAtEveryOperation(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]iter.Seq[*faultfs.Fault]{"fail": faultfs.Fails(), "crash": faultfs.Crashes()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			for fault := range faults {
				n++
				setFault(t, n, fault)
			}
			if n < 50 {
				t.Errorf("only %d operations", n)
			}
		})
	}
}

func setFault(t *testing.T, n int, fault *faultfs.Fault) {
	dir := t.TempDir()
	steps, err := 0, error(nil)
	if ix, openErr := index.Open(dir, priced.WithHooks(fault.Hook)); openErr == nil {
		var w *index.Writer
		if w, err = ix.Writer(); err == nil {
			for steps < len(setStory) && err == nil {
				if err = setStory[steps].do(t.Context(), w); err == nil {
					steps++
				}
			}
			w.Close()
		}
		ix.Close()
	} else {
		err = openErr
	}
	ix := opens(t, dir, priced)
	last, next := "", setStory[min(steps, len(setStory)-1)].after
	if steps > 0 {
		last = setStory[steps-1].after
	}
	if got := prices(t, ix); got != last && (err == nil || got != next) {
		t.Fatalf("operation %d, %v: after step %d: %s", n, err, steps, got)
	}
	w := writer(t, ix)
	must(t, w.Add(t.Context(), numberedDocs(90, 91)...), w.Commit(t.Context()))
	s, err := ix.Snapshot()
	must(t, err)
	stats, err := s.Stats()
	must(t, err, s.Verify(t.Context()), s.Close(), w.Close(), ix.Close())
	left := slices.DeleteFunc(files(t, dir), func(name string) bool { return strings.HasPrefix(name, "column-") })
	if columns := len(files(t, dir)) - len(left); len(left) != 2+stats.Segments || columns > stats.Segments {
		t.Fatalf("operation %d: files left: %v, of %+v", n, files(t, dir), stats)
	}
}

// What is set while segments are merged is not lost.
func TestSetWhileMerging(t *testing.T) {
	t.Parallel()
	opt := priced
	opt.Order, opt.OrderColumn = index.ByColumn, "price"
	ix := opens(t, t.TempDir(), opt)
	w := writer(t, ix)
	ctx := t.Context()
	const docs = 300
	must(t, w.Add(ctx, numberedDocs(0, docs)...), w.Commit(ctx))
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		for i := docs; ctx.Err() == nil; i++ {
			if err := errors.Join(w.Add(ctx, numberedDocs(i, i+3)...), w.Merge(ctx)); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
	})
	r := rand.New(rand.NewPCG(3, 3))
	want := map[string]int{}
	for round := range 60 {
		for range 1 + r.IntN(20) {
			key := fmt.Sprintf("n%d", r.IntN(docs))
			want[key] = r.IntN(1000)
			found, err := w.Set(t.Context(), key, price(want[key]))
			if must(t, err); !found {
				t.Fatalf("round %d: no document %s", round, key)
			}
		}
		must(t, w.Commit(t.Context()))
	}
	cancel()
	group.Wait()
	must(t, w.Merge(t.Context()))
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	for key, v := range want {
		d, ok, err := s.Document(key)
		if must(t, err); !ok || len(d.Fields) != 1 || d.Fields[0].Value != int64(v) {
			t.Errorf("%s: %v, want %d", key, d, v)
		}
	}
	must(t, s.Verify(t.Context()))
}

// Every flipped byte of a file of columns is told, or does no harm.
func TestSetFlips(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix := opens(t, dir, priced)
	w := writer(t, ix)
	ctx := t.Context()
	must(t, w.Add(ctx, numberedDocs(0, 9)...), w.Commit(ctx), setAll(ctx, w, "n1 .", "n8 ..."), w.Commit(ctx), w.Close())
	want := prices(t, ix)
	must(t, ix.Close())
	found, err := filepath.Glob(filepath.Join(dir, "column-*"))
	must(t, err)
	if len(found) != 1 {
		t.Fatalf("files of columns: %v", found)
	}
	b, err := os.ReadFile(found[0])
	must(t, err)
	for i := range b {
		b[i] ^= 0x21
		must(t, os.WriteFile(found[0], b, 0o644))
		b[i] ^= 0x21
		ix, err := index.Open(dir, priced)
		if err == nil {
			var s *index.Snapshot
			s, err = ix.Snapshot()
			must(t, err)
			if err = s.Verify(ctx); err == nil && prices(t, s) != want {
				t.Errorf("byte %d: another answer", i)
			}
			must(t, s.Close(), ix.Close())
		}
		if err != nil && !errors.Is(err, index.ErrCorrupt) && !errors.Is(err, index.ErrVersion) {
			t.Errorf("byte %d: %v", i, err)
		} else if err == nil {
			t.Errorf("byte %d is of no matter", i)
		}
	}
	must(t, os.Remove(found[0]))
	if _, err := index.Open(dir, priced); !errors.Is(err, index.ErrCorrupt) || !strings.Contains(err.Error(), filepath.Base(found[0])) {
		t.Errorf("without the file: %v", err)
	}
}

// A copy has the columns that were set; what can be saved of a damaged index
// too, and where they are damaged themselves, the values from before.
func TestBackupAndSalvageColumns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{Schema: index.Schema{{Name: "title", Stored: true}, {Name: "price", Kind: index.Integer}, {Name: "shop", Kind: index.Keyword, Column: true}}})
	w := writer(t, ix)
	ctx := t.Context()
	for i, d := range numberedDocs(0, 3) {
		d.Fields = append(d.Fields[:1], price(i), index.Field{Name: "shop", Value: []string{"north", "south"}[:i]})
		must(t, w.Add(ctx, d))
	}
	must(t, w.Commit(ctx), setAll(ctx, w, "n0 .........", "n2"), w.Commit(ctx), w.Close())
	const before, now = "n0=0 n1=1 n2=2", "n0=9 n1=1 n2="
	s, err := ix.Snapshot()
	must(t, err)
	copied := filepath.Join(t.TempDir(), "copy")
	must(t, s.Backup(ctx, copied), s.Close(), ix.Close())
	if got := prices(t, opens(t, copied, index.Options{})); got != now {
		t.Errorf("a copy: %s", got)
	}
	for damaged, want := range map[string]string{"nothing": now, "segment-0": now, "column-1": before} {
		from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
		must(t, os.CopyFS(from, os.DirFS(dir)))
		if damaged != "nothing" {
			b, err := os.ReadFile(filepath.Join(from, damaged))
			must(t, err)
			if damaged == "segment-0" {
				b[20] ^= 1 // which can be repaired
			} else {
				spoilFooters(b)
			}
			must(t, os.WriteFile(filepath.Join(from, damaged), b, 0o644))
		}
		report, err := index.Salvage(ctx, from, to, index.Options{})
		must(t, err)
		saved := opens(t, to, index.Options{})
		if got := prices(t, saved); got != want || (len(report.Damage) > 0) != (damaged != "nothing") {
			t.Errorf("%s is damaged: %s, want %s; %+v", damaged, got, want, report)
		}
		if got := keys(t, saved, query.Term{Field: "shop", Text: "north"}); len(got) != 2 {
			t.Errorf("%s is damaged: %v", damaged, got)
		}
	}
}
