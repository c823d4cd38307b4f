package index_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/internal/faultfs"
)

func ExampleSalvage() {
	report, err := index.Salvage(context.Background(), "pages", "pages-saved", index.Options{})
	if errors.Is(err, os.ErrNotExist) {
		fmt.Println("there is no such index")
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range report.Lost {
		fmt.Println("fetch again:", key)
	}
	// Output: there is no such index
}

// longDocs are documents of some length, so that a segment has several pages.
func longDocs(from, to int) []index.Document {
	docs := numberedDocs(from, to)
	for i := range docs {
		var b strings.Builder
		for j := range 300 {
			fmt.Fprintf(&b, "%x ", (from+i+1)*7919*(j+1)%1_000_003)
		}
		docs[i].Fields = append(docs[i].Fields, index.Field{Name: "body", Value: b.String()})
	}
	return docs
}

// salvageDir is an index of 300 documents in two segments, of which 2 are
// deleted.
func salvageDir(t *testing.T) string {
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{Order: index.AsGiven})
	w := writer(t, ix)
	must(t, w.Add(t.Context(), longDocs(0, 200)...), w.Commit(t.Context()))
	must(t, w.Add(t.Context(), longDocs(200, 302)...), w.Delete(t.Context(), "n5", "n250"), w.Commit(t.Context()))
	must(t, w.Close(), ix.Close())
	return dir
}

// saved salvages an index, checks that what was saved is as it was, and that
// all that was lost is told of.
func saved(t *testing.T, dir, what string, opt index.Options) *index.Salvaged {
	t.Helper()
	to := filepath.Join(t.TempDir(), "saved")
	r, err := index.Salvage(t.Context(), dir, to, opt)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if len(r.Damage) == 0 || !errors.Is(r.Damage[0], index.ErrCorrupt) {
		t.Errorf("%s: damage is told as %v", what, r.Damage)
	}
	ix := opens(t, to, index.Options{})
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	must(t, s.Verify(t.Context()))
	n := 0
	for i, want := range longDocs(0, 302) {
		got, ok, err := s.Document(want.Key)
		must(t, err)
		if ok {
			n++
			if got.Text("title") != want.Text("title") || got.Text("body") != want.Text("body") {
				t.Fatalf("%s: %s is another", what, want.Key)
			}
			if i%10 > 0 {
				continue
			}
			if found := keysOf(t, s, query.Match{Text: fmt.Sprintf("n%d", i)}); len(found) != 1 {
				t.Fatalf("%s: %s is found as %v", what, want.Key, found)
			}
		}
	}
	if n != r.Docs || !r.NoCommit && n+len(r.Lost)+r.Unknown != 300 {
		t.Errorf("%s: %d documents; told are %d, %d lost, %d unknown", what, n, r.Docs, len(r.Lost), r.Unknown)
	}
	must(t, ix.Close())
	return r
}

// spoilFooters spoils the end of a file, so that it cannot be repaired: twice it
// undoes itself.
func spoilFooters(b []byte) {
	le := binary.LittleEndian
	body, foot := le.Uint64(b[len(b)-40:]), le.Uint32(b[len(b)-32:])
	b[body+uint64(foot)-1] ^= 1
	b[len(b)-1] ^= 1
}

func TestSalvageOfLosses(t *testing.T) {
	t.Parallel()
	schema := index.Options{Schema: index.Schema{{Name: "title", Weight: 2, Stored: true}, {Name: "body", Stored: true}}}
	// A whole segment.
	dir := salvageDir(t)
	must(t, os.Remove(filepath.Join(dir, "segment-1")))
	if r := saved(t, dir, "without a segment", schema); r.Docs != 199 || r.Unknown != 101 {
		t.Errorf("without a segment: %+v", r)
	}
	// Half of one.
	dir = salvageDir(t)
	must(t, os.Truncate(filepath.Join(dir, "segment-0"), 30_000))
	if r := saved(t, dir, "a cut segment", schema); r.Docs != 101 || r.Unknown != 199 {
		t.Errorf("a cut segment: %+v", r)
	}
	// The commit: what was deleted is back.
	dir = salvageDir(t)
	spoilCommits(t, dir)
	if _, err := index.Salvage(t.Context(), dir, t.TempDir(), index.Options{}); err == nil {
		t.Error("without commit and schema")
	}
	if r := saved(t, dir, "without a commit", schema); r.Docs != 301 || !r.NoCommit {
		t.Errorf("without a commit: %+v", r)
	}
	// The commit and a part of what came later.
	newestSaved(t, schema)
	// The text was not stored.
	dir = t.TempDir()
	ix := opens(t, dir, index.Options{Schema: index.Schema{{Name: "title"}, {Name: "body"}}})
	put(t, ix, numberedDocs(0, 10)...)
	put(t, ix, numberedDocs(10, 13)...)
	must(t, ix.Close())
	ruin(t, filepath.Join(dir, "segment-1"))
	r, err := index.Salvage(t.Context(), dir, t.TempDir(), index.Options{})
	must(t, err)
	if r.Docs != 10 || len(r.Lost)+r.Unknown != 3 {
		t.Errorf("nothing stored: %+v", r)
	}
}

// newestSaved checks that a document that can be read in a damaged segment is
// kept before an older one in an intact segment.
func newestSaved(t *testing.T, schema index.Options) {
	t.Helper()
	dir, to := t.TempDir(), t.TempDir()
	ix := opens(t, dir, index.Options{})
	later := longDocs(0, 50)
	for i := range later {
		later[i].Fields[0] = index.Field{Name: "title", Value: "later"}
	}
	put(t, ix, longDocs(0, 200)...)
	put(t, ix, later...)
	must(t, ix.Close())
	spoilCommits(t, dir)
	segment := filepath.Join(dir, "segment-1")
	ruin(t, segment)
	r, err := index.Salvage(t.Context(), dir, to, schema)
	must(t, err)
	ix = opens(t, to, index.Options{})
	defer ix.Close()
	if n := len(keys(t, ix, query.Match{Field: "title", Text: "later"})); r.Docs != 200 || n == 0 || n+len(r.Lost)+r.Unknown != 50 {
		t.Errorf("%d of 50 later documents: %+v", n, r)
	}
}

func spoilCommits(t *testing.T, dir string) {
	t.Helper()
	for _, name := range files(t, dir) {
		if strings.HasPrefix(name, "commit-") {
			ruin(t, filepath.Join(dir, name))
		}
	}
}

// ruin spoils the end of a file, whose old content may be mapped.
func ruin(t *testing.T, name string) {
	t.Helper()
	b, err := os.ReadFile(name)
	must(t, err)
	spoilFooters(b)
	must(t, os.Remove(name), os.WriteFile(name, b, 0o600))
}

// A fault while salvaging is told, and leaves the damaged index as it was.
func TestSalvageFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{})
	put(t, ix, numberedDocs(0, 9)...)
	put(t, ix, numberedDocs(9, 12)...)
	must(t, ix.Close())
	ruin(t, filepath.Join(dir, "segment-1"))
	n := 0
	for fault := range faultfs.Crashes() {
		n++
		to := filepath.Join(t.TempDir(), "saved")
		if _, err := index.Salvage(t.Context(), dir, to, index.Options{}.WithHooks(fault.Hook)); err != nil && !errors.Is(err, faultfs.ErrInjected) {
			t.Fatalf("operation %d: %v", n, err)
		}
	}
	if n < 10 {
		t.Errorf("only %d operations", n)
	}
	r, err := index.Salvage(t.Context(), dir, t.TempDir(), index.Options{})
	must(t, err)
	if r.Docs+len(r.Lost)+r.Unknown != 12 || r.Docs < 9 {
		t.Errorf("afterwards: %+v", r)
	}
}

func TestSalvageRefuses(t *testing.T) {
	t.Parallel()
	dir := salvageDir(t)
	ix := opens(t, dir, index.Options{})
	w := writer(t, ix)
	if _, err := index.Salvage(t.Context(), dir, t.TempDir(), index.Options{}); !errors.Is(err, index.ErrLocked) {
		t.Errorf("while a writer is at work: %v", err)
	}
	must(t, w.Close())
	if _, err := index.Salvage(t.Context(), dir, dir, index.Options{}); err == nil {
		t.Error("into itself")
	}
	if _, err := index.Salvage(t.Context(), filepath.Join(dir, "nowhere"), t.TempDir(), index.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("from nowhere: %v", err)
	}
	if _, err := index.Salvage(t.Context(), t.TempDir(), t.TempDir(), index.Options{}); err == nil {
		t.Error("from an empty folder")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := index.Salvage(ctx, dir, t.TempDir(), index.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
