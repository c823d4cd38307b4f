package frontier_test

import (
	"os"
	"testing"
)

// scratch returns a folder in memory where there is such a thing, or in that of
// QUARRY_FRONTIER_DIR: it is for tests that sync very often, and do not test what a
// sync does.
func scratch(t testing.TB) string {
	t.Helper()
	in := os.Getenv(scaleDir)
	if in == "" {
		in = "/dev/shm"
	}
	dir, err := os.MkdirTemp(in, "frontier-*")
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
