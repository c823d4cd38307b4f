package seen

import (
	"os"
	"testing"
)

// scratch returns a folder in memory where there is such a thing, for tests that
// sync very often and do not test what a sync does.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "seen-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
