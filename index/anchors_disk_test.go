package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/internal/faultfs"
)

// anchorStory is what is linked in an index while its disk fails, and which
// documents are found by it after each step.
var anchorStory = []struct {
	do    func(ctx context.Context, w *index.Writer) error
	after string
}{
	{func(ctx context.Context, w *index.Writer) error {
		return errors.Join(w.Add(ctx, numberedDocs(0, 4)...), linkAll(ctx, w, "n0 s red", "n5 s waits"), w.Commit(ctx))
	}, "red=n0"},
	{func(ctx context.Context, w *index.Writer) error {
		return errors.Join(linkAll(ctx, w, "n0 s blue", "n1 s red"), w.Commit(ctx))
	}, "blue=n0 red=n1"},
	{func(ctx context.Context, w *index.Writer) error {
		return errors.Join(w.Add(ctx, numberedDocs(5, 6)...), w.Commit(ctx))
	}, "blue=n0 red=n1 waits=n5"},
	{func(ctx context.Context, w *index.Writer) error {
		return errors.Join(linkAll(ctx, w, "n1 t green"), w.Merge(ctx))
	}, "blue=n0 green=n1 red=n1 waits=n5"},
	{func(ctx context.Context, w *index.Writer) error {
		return errors.Join(w.Add(ctx, numberedDocs(0, 1)...), w.DeleteAnchors(ctx, "n1"), w.Commit(ctx))
	}, "blue=n0 waits=n5"},
}

// allFaults makes each operation fail, and not some of them.
const allFaults = "QUARRY_INDEX_FAULTS"

func TestAnchorFaults(t *testing.T) {
	t.Parallel()
	later := linked
	later.AnchorsWithin = time.Hour
	for i, c := range []struct {
		name  string
		opt   index.Options
		fault func(int) *faultfs.Fault
	}{{"fail", linked, faultfs.Fail}, {"crash", linked, faultfs.Crash}, {"fail later", later, faultfs.Fail}, {"crash later", later, faultfs.Crash}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n, step := 1+i, 8*few
			if os.Getenv(allFaults) != "" {
				n, step = 1, 1
			}
			for more := true; more; n += step {
				f := c.fault(n)
				anchorFault(t, c.opt, n, f)
				more = f.Ops() >= n
			}
			if n < 50 {
				t.Errorf("only %d operations", n)
			}
		})
	}
}

func anchorFault(t *testing.T, opt index.Options, n int, fault *faultfs.Fault) {
	dir := t.TempDir()
	steps, err := 0, error(nil)
	if ix, openErr := index.Open(dir, opt.WithHooks(fault.Hook)); openErr == nil {
		var w *index.Writer
		if w, err = ix.Writer(); err == nil {
			for steps < len(anchorStory) && err == nil {
				if err = anchorStory[steps].do(t.Context(), w); err == nil {
					steps++
				}
			}
			w.Close()
		}
		ix.Close()
	} else {
		err = openErr
	}
	ix := opens(t, dir, linked)
	last, next := "", anchorStory[min(steps, len(anchorStory)-1)].after
	if steps > 0 {
		last = anchorStory[steps-1].after
	}
	as := func(when string) {
		if got := anchored(t, ix); got != last && (err == nil || got != next) {
			t.Fatalf("operation %d, %v: %s step %d: %s", n, err, when, steps, got)
		}
	}
	if opt.AnchorsWithin == 0 {
		as("after")
	}
	w := writer(t, ix)
	must(t, w.Add(t.Context(), numberedDocs(90, 91)...), w.Commit(t.Context()))
	as("committed after")
	s, err := ix.Snapshot()
	must(t, err)
	stats, err := s.Stats()
	must(t, err, s.Verify(t.Context()), s.Close(), w.Close(), ix.Close())
	counts := map[string]int{}
	for _, name := range files(t, dir) {
		kind, _, _ := strings.Cut(name, "-")
		counts[kind]++
	}
	if counts["segment"] != stats.Segments || counts["column"] > stats.Segments || counts["anchors"] > 2 || counts["commit"] != 1 || len(counts) > 5 {
		t.Fatalf("operation %d: files left: %v, of %+v", n, files(t, dir), stats)
	}
}

// linkedIndex has anchors in a file of their own, and joined with a segment.
func linkedIndex(t *testing.T, dir string) (want string) {
	ix := opens(t, dir, linked)
	w := writer(t, ix)
	ctx := t.Context()
	must(t, w.Add(ctx, numberedDocs(0, 9)...), linkAll(ctx, w, "n1 s first", "n2 s text"), w.Commit(ctx), w.Merge(ctx),
		linkAll(ctx, w, "n1 s red", "n1 t green red", "n8 s blue", "n77 s waits"), w.Commit(ctx), w.Close())
	want = anchored(t, ix)
	must(t, ix.Close())
	return want
}

// Every flipped byte of files of anchors is told, or does no harm.
func TestAnchorFlips(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := linkedIndex(t, dir)
	for _, pattern := range []string{"column-*", "anchors-*"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		must(t, err)
		if len(found) != 1 {
			t.Fatalf("files: %v", found)
		}
		b, err := os.ReadFile(found[0])
		must(t, err)
		for i := 0; i < len(b); i += few {
			b[i] ^= 0x21
			must(t, os.WriteFile(found[0], b, 0o644))
			b[i] ^= 0x21
			got, err := anchorAnswers(t, dir)
			c := new(index.CorruptError)
			switch {
			case err == nil:
				t.Errorf("%s, byte %d is of no matter: %s, want %s", found[0], i, got, want)
			case !errors.As(err, &c) && !errors.Is(err, index.ErrVersion) || c.File != "" && c.File != filepath.Base(found[0]):
				t.Errorf("%s, byte %d: %v", found[0], i, err)
			}
		}
		must(t, os.Remove(found[0]))
		if _, err := index.Open(dir, linked); !errors.Is(err, index.ErrCorrupt) || !strings.Contains(err.Error(), filepath.Base(found[0])) {
			t.Errorf("without the file: %v", err)
		}
		must(t, os.WriteFile(found[0], b, 0o644))
	}
}

func anchorAnswers(t *testing.T, dir string) (string, error) {
	ix, err := index.Open(dir, linked)
	if err != nil {
		return "", err
	}
	defer ix.Close()
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	for _, q := range []query.Query{query.Match{Text: "red"}, query.Phrase{Field: "anchor", Text: "green red"}, query.Prefix{Text: "b"}} {
		if _, err := s.Search(t.Context(), q, index.SearchOptions{}); err != nil {
			return "", err
		}
	}
	if _, err := s.Anchors("n1"); err != nil {
		return "", err
	}
	if err := s.Verify(t.Context()); err != nil {
		return "", err
	}
	return anchored(t, ix), nil
}

// A copy has the anchors; what can be saved of a damaged index too.
func TestBackupAndSalvageAnchors(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir, copied := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	want := linkedIndex(t, dir)
	ix := opens(t, dir, linked)
	s, err := ix.Snapshot()
	must(t, err)
	stats, err := s.Stats()
	must(t, err, s.Backup(ctx, copied), s.Close(), ix.Close())
	onDisk := int64(0)
	for _, name := range files(t, dir) {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && !strings.HasPrefix(name, "commit-") && name != "writer.lock" {
			onDisk += st.Size()
		}
	}
	if stats.Bytes != onDisk || stats.Parts["anchors"] == 0 || stats.Parts["joined anchors"] == 0 {
		t.Errorf("%d bytes on disk, told are %+v", onDisk, stats)
	}
	if got := anchored(t, opens(t, copied, index.Options{})); got != want {
		t.Errorf("a copy: %s, want %s", got, want)
	}
	for _, pattern := range []string{"nothing", "segment-*", "column-*", "anchors-*", "commit-*"} {
		from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
		must(t, os.CopyFS(from, os.DirFS(dir)))
		found, err := filepath.Glob(filepath.Join(from, pattern))
		must(t, err)
		for _, name := range found {
			b, err := os.ReadFile(name)
			must(t, err)
			spoilFooters(b)
			must(t, os.WriteFile(name, b, 0o644))
		}
		report, err := index.Salvage(ctx, from, to, linked)
		must(t, err)
		saved := opens(t, to, index.Options{})
		if got := anchored(t, saved); got != want || len(report.Damage) != len(found) || report.Docs != 9 {
			t.Errorf("%s is damaged: %s, want %s; %+v", pattern, got, want, report)
		}
		if got := anchorsOf(t, saved, "n77"); got != "s waits" {
			t.Errorf("%s is damaged: for n77 waits %s", pattern, got)
		}
		snapshot, err := saved.Snapshot()
		must(t, err, snapshot.Verify(ctx), snapshot.Close())
	}
}

// What is damaged keeps its age: it neither hides what is newer nor brings back
// what a newer file took away.
func TestSalvageOneOfTwoAnchors(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	ix := opens(t, dir, linked)
	w := writer(t, ix)
	must(t, w.Add(ctx, numberedDocs(0, 5)...), linkAll(ctx, w, "n1 s old", "n2 s gone", "n3 s stays", "n3 t goes", "n4 s kept"))
	for i := range 100 { // so that the newer file is small beside it
		must(t, linkAll(ctx, w, fmt.Sprintf("waits%d s text%d", i*i*i, i*i)))
	}
	must(t, w.Commit(ctx), linkAll(ctx, w, "n1 s new", "n3 t "), w.DeleteAnchors(ctx, "n2"), w.Commit(ctx))
	const want = "kept=n4 new=n1 stays=n3"
	if got := anchored(t, ix); got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	must(t, w.Close(), ix.Close())
	found, err := filepath.Glob(filepath.Join(dir, "anchors-*"))
	must(t, err)
	if len(found) != 2 {
		t.Fatalf("files: %v", found)
	}
	for _, name := range found {
		b, err := os.ReadFile(name)
		must(t, err)
		spoilFooters(b)
		must(t, os.WriteFile(name, b, 0o644))
		to := filepath.Join(t.TempDir(), "to")
		report, err := index.Salvage(ctx, dir, to, linked)
		must(t, err)
		if got := anchored(t, opens(t, to, index.Options{})); got != want || len(report.Damage) != 1 {
			t.Errorf("%s is damaged: %s, want %s; %v", name, got, want, report.Damage)
		}
		spoilFooters(b)
		must(t, os.WriteFile(name, b, 0o644))
	}
}

// What anchors any version wrote are read for ever.
func TestAnchorGolden(t *testing.T) {
	t.Parallel()
	const golden = "testdata/anchors1"
	if *update {
		must(t, os.RemoveAll(golden))
		want := linkedIndex(t, golden)
		must(t, os.Remove(filepath.Join(golden, "writer.lock")), os.WriteFile(filepath.Join(golden, "answers.txt"), []byte(want), 0o644))
	}
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(golden)))
	want, err := os.ReadFile(filepath.Join(golden, "answers.txt"))
	must(t, err)
	ix := opens(t, dir, index.Options{})
	if got := anchored(t, ix); got != string(want) {
		t.Errorf("%s, want %s", got, want)
	}
	if got := anchorsOf(t, ix, "n1"); got != "s red; t green red" {
		t.Errorf("of n1: %s", got)
	}
	w := writer(t, ix)
	must(t, w.Add(t.Context(), numberedDocs(77, 78)...), linkAll(t.Context(), w, "n1 s "), w.Merge(t.Context()))
	if got, want := anchored(t, ix), "blue=n8 green=n1 red=n1 text=n2 waits=n77"; got != want {
		t.Errorf("written to: %s, want %s", got, want)
	}
}
