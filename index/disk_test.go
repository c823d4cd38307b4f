package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// numberedDocs are documents n0, n1, ... that share the word "all".
func numberedDocs(from, to int) []index.Document {
	var docs []index.Document
	for i := from; i < to; i++ {
		docs = append(docs, index.Document{Key: fmt.Sprintf("n%d", i), Fields: []index.Field{
			{Name: "title", Value: fmt.Sprintf("number %d", i)},
			{Name: "body", Value: fmt.Sprintf("all documents hold all %s and n%d", strings.Repeat("words ", i%7), i)},
		}})
	}
	return docs
}

func opens(t testing.TB, dir string, opt index.Options) *index.Index {
	t.Helper()
	ix, err := index.Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}

func writer(t testing.TB, ix *index.Index) *index.Writer {
	t.Helper()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func files(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestReopens(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "er")
	ix := opens(t, dir, index.Options{})
	put(t, ix, numberedDocs(0, 300)...)
	put(t, ix, numberedDocs(200, 400)...)
	want := keys(t, ix, query.Match{Text: "words"})
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ix.Snapshot(); !errors.Is(err, index.ErrClosed) {
		t.Errorf("a snapshot of a closed index: %v", err)
	}
	ix = opens(t, dir, index.Options{})
	if got := keys(t, ix, query.Match{Text: "words"}); !slices.Equal(got, want) {
		t.Errorf("%d hits, want %d", len(got), len(want))
	}
	s, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d, ok, err := s.Document("n250")
	if err != nil || !ok || d.Text("title") != "number 250" {
		t.Errorf("%+v, %v, %v", d, ok, err)
	}
	if _, ok, err := s.Document("nowhere"); ok || err != nil {
		t.Errorf("a document that is not there: %v, %v", ok, err)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// A reader in another process is another Index on the same folder.
func TestReadersSeeCommitsOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := writer(t, opens(t, dir, index.Options{}))
	reader := opens(t, dir, index.Options{})
	all := query.Match{Text: "all"}
	for i := range 40 {
		must(t, w.Add(t.Context(), numberedDocs(i, i+1)...))
		if got := len(keys(t, reader, all)); got != i {
			t.Fatalf("%d documents before commit %d", got, i)
		}
		must(t, w.Commit(t.Context()))
		if got := len(keys(t, reader, all)); got != i+1 {
			t.Fatalf("%d documents after commit %d", got, i)
		}
	}
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestSnapshotNeverChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{})
	w := writer(t, ix)
	must(t, w.Add(t.Context(), numberedDocs(0, 100)...), w.Commit(t.Context()))
	s, err := ix.Snapshot()
	must(t, err)
	before, err := s.Search(t.Context(), query.Match{Text: "words"}, index.SearchOptions{Limit: 200, Fields: []string{"title"}})
	must(t, err)

	for i := range 50 {
		must(t, w.Delete(t.Context(), fmt.Sprintf("n%d", i)))
	}
	must(t, w.Add(t.Context(), numberedDocs(60, 300)...), w.Merge(t.Context()))
	after, err := s.Search(t.Context(), query.Match{Text: "words"}, index.SearchOptions{Limit: 200, Fields: []string{"title"}})
	must(t, err)
	if fmt.Sprint(before.Hits) != fmt.Sprint(after.Hits) {
		t.Error("the snapshot has changed")
	}
	if d, ok, err := s.Document("n7"); !ok || err != nil || d.Text("title") != "number 7" {
		t.Errorf("deleted after the snapshot: %v, %v, %v", d, ok, err)
	}
	must(t, s.Close(), s.Close())
	if _, err := s.Search(t.Context(), query.All{}, index.SearchOptions{}); !errors.Is(err, index.ErrClosed) {
		t.Errorf("a closed snapshot: %v", err)
	}
	if got := files(t, dir); len(got) != 3 { // commit, segment, lock
		t.Errorf("files %v", got)
	}
}

func TestOneWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := opens(t, dir, index.Options{}), opens(t, dir, index.Options{})
	w := writer(t, first)
	for _, ix := range []*index.Index{first, second} {
		_, err := ix.Writer()
		var held *index.LockedError
		if !errors.As(err, &held) || !errors.Is(err, index.ErrLocked) || !strings.Contains(held.Holder, fmt.Sprint(os.Getpid())) {
			t.Errorf("a second writer: %v", err)
		}
	}
	must(t, w.Close())
	must(t, writer(t, second).Close())
	if err := w.Add(t.Context(), numberedDocs(0, 1)...); !errors.Is(err, index.ErrClosed) {
		t.Errorf("a closed writer: %v", err)
	}
	memory, err := index.New(index.Options{})
	must(t, err)
	writer(t, memory)
	if _, err := memory.Writer(); !errors.Is(err, index.ErrLocked) {
		t.Errorf("a second writer in memory: %v", err)
	}
}

func TestForeignFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, opens(t, dir, index.Options{}), numberedDocs(0, 10)...)
	foreign := []string{"._segment-1", ".DS_Store", "segment-x", "segment-007", "commit-", "commit-x", "notes.txt", "segment--1"}
	for _, name := range foreign {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("foreign"), 0o600))
	}
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	orphans := []string{"segment-999", "segment-55.terms.tmp", "commit-9.tmp"}
	for _, name := range orphans {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("left by a crash"), 0o600))
	}
	ix := opens(t, dir, index.Options{})
	put(t, ix, numberedDocs(5, 20)...)
	if got := keys(t, ix, query.All{}); len(got) != 20 {
		t.Errorf("%d documents", len(got))
	}
	left := files(t, dir)
	for _, name := range append(foreign, "folder") {
		if !slices.Contains(left, name) {
			t.Errorf("%s was removed", name)
		}
	}
	for _, name := range orphans {
		if slices.Contains(left, name) {
			t.Errorf("%s was not removed", name)
		}
	}
}

func TestMissingAndSpoiledFiles(t *testing.T) {
	t.Parallel()
	build := func(t *testing.T) string {
		dir := t.TempDir()
		ix := opens(t, dir, index.Options{})
		put(t, ix, numberedDocs(0, 10)...)
		must(t, ix.Close())
		return dir
	}
	find := func(t *testing.T, dir, prefix string) string {
		for _, name := range files(t, dir) {
			if strings.HasPrefix(name, prefix) {
				return filepath.Join(dir, name)
			}
		}
		t.Fatal("no " + prefix)
		return ""
	}
	for _, prefix := range []string{"segment-", "commit-"} {
		dir := build(t)
		name := find(t, dir, prefix)
		must(t, os.Remove(name))
		_, err := index.Open(dir, index.Options{})
		var c *index.CorruptError
		if !errors.As(err, &c) || !errors.Is(err, index.ErrCorrupt) || !strings.HasPrefix(filepath.Base(name), strings.TrimSuffix(c.File, "*")) {
			t.Errorf("without a %s: %v", prefix, err)
		}
		must(t, os.Mkdir(name, 0o700))
		if _, err := index.Open(dir, index.Options{}); !errors.As(err, &c) || c.File != filepath.Base(name) {
			t.Errorf("a folder for a %s: %v", prefix, err)
		}
		schema := index.Schema{{Name: "body", Stored: true}}
		if saved, err := index.Salvage(t.Context(), dir, filepath.Join(t.TempDir(), "saved"), index.Options{Schema: schema}); err != nil || len(saved.Damage) != 1 {
			t.Errorf("salvaged with a folder for a %s: %+v, %v", prefix, saved, err)
		}
		// What failed to open can be mended and opened.
		dir = build(t)
		name = find(t, dir, prefix)
		whole, err := os.ReadFile(name)
		must(t, err)
		must(t, os.WriteFile(name, whole[:len(whole)-1], 0o600))
		if _, err := index.Open(dir, index.Options{}); !errors.Is(err, index.ErrCorrupt) {
			t.Errorf("a cut %s: %v", prefix, err)
		}
		must(t, os.WriteFile(name, whole, 0o600))
		if got := keys(t, opens(t, dir, index.Options{}), query.All{}); len(got) != 10 {
			t.Errorf("mended: %d documents", len(got))
		}
	}
	dir := build(t)
	// A segment of another index, whole as it is.
	other := build(t)
	b, err := os.ReadFile(find(t, build(t), "segment-"))
	must(t, err)
	must(t, os.WriteFile(find(t, dir, "segment-"), bytes.Repeat(b, 1), 0o600))
	put(t, opens(t, other, index.Options{}), numberedDocs(0, 30)...)
	b, err = os.ReadFile(find(t, other, "segment-"))
	must(t, err)
	must(t, os.WriteFile(find(t, dir, "segment-"), b, 0o600))
	if _, err := index.Open(dir, index.Options{}); !errors.Is(err, index.ErrCorrupt) {
		t.Errorf("another segment: %v", err)
	}
	if _, err := index.Open(find(t, dir, "segment-"), index.Options{}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file for a folder: %v", err)
	}
}
