//go:build unix

package seen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPageThatCannotBeRead cuts a file that is mapped: what is read from it then
// is an error and not the end of the process.
func TestPageThatCannotBeRead(t *testing.T) {
	t.Parallel()
	path, m := makeSet(t, 500)
	s := openSet(t, path)
	if err := os.Truncate(filepath.Join(path, runName(1)), 0); err != nil {
		t.Fatal(err)
	}
	var failed error
	for fp := range m {
		if _, err := s.HasOne(fp); err != nil {
			failed = err
		}
		if _, err := s.AddOne(t.Context(), fp); err != nil {
			failed = err
		}
	}
	if failed == nil || !strings.Contains(failed.Error(), "cannot be read") {
		t.Errorf("got %v", failed)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
