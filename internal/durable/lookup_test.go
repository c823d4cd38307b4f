package durable

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Exists says of names of all sorts what a look-up by package os does, within the folder
// alone.
func TestExists(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	d, err := Open(filepath.Join(path, "in"))
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.WriteFile(filepath.Join(path, "out"), nil, 0o644), d.Replace("file", nil),
		os.Mkdir(filepath.Join(path, "in", "folder"), 0o755), os.WriteFile(filepath.Join(path, "in", "folder", "deep"), nil, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	linked := os.Symlink("nowhere", filepath.Join(path, "in", "link")) == nil
	for _, c := range []struct {
		name         string
		want, failed bool
	}{
		{"file", true, false}, {"folder", true, false}, {"link", linked, false}, {".", true, false},
		{"folder/deep", true, false}, {"folder/none", false, false}, {"none/deep", false, false},
		{"none", false, false}, {"File2", false, false},
		{"../out", false, true}, {"..", false, true}, {filepath.Join(path, "out"), false, true}, {"", false, true},
	} {
		if got, err := d.Exists(c.name); got != c.want || (err != nil) != c.failed {
			t.Errorf("%q: %v, %v", c.name, got, err)
		}
	}
	if err := d.Remove("file"); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Exists("file"); got || err != nil {
		t.Errorf("removed: %v, %v", got, err)
	}
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if _, err := d.Exists("folder"); err == nil {
		t.Error("closed, and a name was looked up")
	}
}
