package frontier_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/webquarry/quarry/frontier"
)

// TestOldVersion opens a folder that was written by version 2: it is refused and
// left as it is.
func TestOldVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/version2")); err != nil {
		t.Fatal(err)
	}
	_, err := frontier.Open(dir, frontier.Options{})
	if !errors.Is(err, frontier.ErrVersion) || errors.Is(err, frontier.ErrCorrupt) {
		t.Fatalf("got %v", err)
	}
	for _, name := range []string{"log-000001", "seen"} {
		want, err := os.ReadFile(filepath.Join("testdata/version2", name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s is not as it was: %v", name, err)
		}
	}
}
