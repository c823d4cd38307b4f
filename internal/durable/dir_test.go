package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

func TestDirFiles(t *testing.T) {
	t.Parallel()
	d := openDir(t, filepath.Join(t.TempDir(), "made", "here"))
	f, err := d.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("one "))
	if err := errors.Join(f.Sync(), f.Close()); err != nil || f.Name() != "a" {
		t.Fatal(f.Name(), err)
	}
	if f, err = d.OpenAppend("a"); err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("two"))
	f.Close()
	if b, err := d.ReadFile("a"); err != nil || string(b) != "one two" {
		t.Errorf("read %q, %v", b, err)
	}
	if err := errors.Join(d.Replace("b", []byte("new")), d.Rename("b", "c"), d.Remove("a"), d.Sync()); err != nil {
		t.Fatal(err)
	}
	if names, err := d.List(); err != nil || !slices.Equal(names, []string{"c"}) {
		t.Errorf("names %v, %v", names, err)
	}
	r, err := d.OpenFile("c")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if st, err := r.Stat(); err != nil || st.Size() != 3 {
		t.Errorf("size %d, %v", st.Size(), err)
	}
}

func TestDirErrorsSayWhatAndWhere(t *testing.T) {
	t.Parallel()
	d := openDir(t, t.TempDir())
	_, err := d.ReadFile("none")
	if want := "durable: read " + filepath.Join(d.Path(), "none") + ": "; !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %q, want %q...", err, want)
	}
	if _, err := d.Create("../outside"); err == nil {
		t.Error("a name led out of the folder")
	}
	if _, err := d.OpenFile("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o644)
	if _, err := durable.Open(file); err == nil {
		t.Error("a file was opened as a folder")
	}
}

// TestReplaceFaults makes every operation of Replace fail: the file has the old
// content or the new, and the new if Replace said so.
func TestReplaceFaults(t *testing.T) {
	t.Parallel()
	for _, faults := range []func(func(*faultfs.Fault) bool){faultfs.Fails(), faultfs.Crashes()} {
		for f := range faults {
			dir := t.TempDir()
			if err := openDir(t, dir).Replace("file", []byte("old content")); err != nil {
				t.Fatal(err)
			}
			err := openDir(t, dir, f.Hook).Replace("file", []byte("new"))
			if f.Fired() != errors.Is(err, faultfs.ErrInjected) {
				t.Fatalf("operation %d: %v", f.Ops(), err)
			}
			b, rerr := os.ReadFile(filepath.Join(dir, "file"))
			if got := string(b); rerr != nil || got != "new" && (got != "old content" || err == nil) {
				t.Fatalf("operation %d: %q, %v; Replace said %v", f.Ops(), got, rerr, err)
			}
			if err := openDir(t, dir).Replace("file", []byte("newer")); err != nil {
				t.Fatalf("operation %d: the next Replace: %v", f.Ops(), err)
			}
		}
	}
}

func TestReplaceOnFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openDir(t, dir, faultfs.Full(20).Hook)
	if err := d.Replace("file", []byte("fits")); err != nil {
		t.Fatal(err)
	}
	if err := d.Replace("file", make([]byte, 100)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want ENOSPC", err)
	}
	if b, err := d.ReadFile("file"); err != nil || string(b) != "fits" {
		t.Errorf("%q, %v", b, err)
	}
}
