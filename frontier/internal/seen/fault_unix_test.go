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

// TestMappedFileCut cuts a file whose blocks are mapped, and were checked: an answer is
// right or an error.
func TestMappedFileCut(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, 1, blockSize/2 + 1, 2*blockSize - 1, 4*blockSize - 3, 5*blockSize + 7} {
		path, m := makeSet(t, 9000)
		s := openSet(t, path)
		if r := s.tier.runs[0]; len(r.blocks) <= 5*blockSize+7 {
			t.Fatalf("only %d bytes are mapped", len(r.blocks))
		}
		for fp := range m {
			if ok, err := s.HasOne(fp); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		if err := os.Truncate(s.tier.runs[0].path, size); err != nil {
			t.Fatal(err)
		}
		errs := 0
		for fp := range m {
			ok, err := s.HasOne(fp)
			if err != nil {
				errs++
			} else if !ok {
				t.Fatalf("cut to %d: a fingerprint is new", size)
			}
		}
		if errs == 0 {
			t.Errorf("cut to %d: no error", size)
		}
	}
}
