//go:build unix

package index_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
)

// A file that is cut, or written over, while it is open gives errors or the right
// answers, whatever was read of it before, and never ends the process.
func TestFilesCutUnderAReader(t *testing.T) {
	t.Parallel()
	from, other := t.TempDir(), t.TempDir()
	richIndex(t, from, 80)
	richIndex(t, other, 88)
	spoil := map[string]func(name string, b, instead []byte) error{
		"cut to nothing":        func(name string, _, _ []byte) error { return os.Truncate(name, 0) },
		"cut in the first page": func(name string, _, _ []byte) error { return os.Truncate(name, 100) },
		"cut in the middle":     func(name string, b, _ []byte) error { return os.Truncate(name, int64(len(b)/2)) },
		"cut between pages":     func(name string, b, _ []byte) error { return os.Truncate(name, int64(len(b)/2/4096*4096)) },
		"a byte fewer":          func(name string, b, _ []byte) error { return os.Truncate(name, int64(len(b)-1)) },
		"another written over":  func(name string, _, instead []byte) error { return os.WriteFile(name, instead, 0o600) },
	}
	for _, name := range kinds(t, from) {
		if strings.HasPrefix(name, "commit-") {
			continue // it is read once
		}
		some := 2
		for what, cut := range spoil { // in any order
			if some--; some < 0 && os.Getenv(long) == "" {
				break
			}
			for _, warm := range []bool{false, true} {
				what := fmt.Sprintf("%s: %s, read before %v", name, what, warm)
				dir := filepath.Join(t.TempDir(), "index")
				must(t, os.CopyFS(dir, os.DirFS(from)))
				whole, err := os.ReadFile(filepath.Join(dir, name))
				must(t, err)
				if strings.Contains(what, "a byte fewer") && whole[len(whole)-1] == 0 {
					continue // what is mapped behind the end of a file is zero: the same
				}
				instead, err := os.ReadFile(filepath.Join(other, name))
				must(t, err)
				ix := opens(t, dir, richOptions)
				s, err := ix.Snapshot()
				must(t, err)
				sound, err := opens(t, from, richOptions).Snapshot()
				must(t, err)
				want := everything(t, sound)
				must(t, sound.Close())
				if warm {
					everything(t, s)
				}
				w := writer(t, ix)
				must(t, cut(filepath.Join(dir, name), whole, instead))
				wrong := 0
				for i, got := range everything(t, s) {
					switch {
					case got.err == nil && got.text != want[i].text:
						t.Errorf("%s: question %d: %s, want %s", what, i, got.text, want[i].text)
					case got.err != nil && !errors.Is(got.err, index.ErrCorrupt):
						t.Errorf("%s: question %d: %v", what, i, got.err)
					case got.err != nil:
						wrong++
					}
				}
				if wrong == 0 {
					t.Errorf("%s: nobody has noticed", what)
				}
				if err := s.Backup(t.Context(), filepath.Join(t.TempDir(), "copy")); err != nil && !errors.Is(err, index.ErrCorrupt) {
					t.Errorf("%s: backup: %v", what, err)
				}
				must(t, s.Close())
				work := []func() error{
					func() error { _, err := w.Set(t.Context(), "n7", index.Field{Name: "price", Value: 1}); return err },
					func() error { return w.Add(t.Context(), richDocs(10, 12)...) },
					func() error { return linkAll(t.Context(), w, "n12 s violet") },
					func() error { return w.Delete(t.Context(), "n13", "n50") },
					func() error { return w.Commit(t.Context()) },
					func() error { return w.Merge(t.Context()) },
				}
				failed := false
				for i, f := range work {
					err := f()
					if err != nil && !errors.Is(err, index.ErrCorrupt) {
						t.Errorf("%s: work %d: %v", what, i, err)
					}
					failed = failed || err != nil
				}
				if !failed {
					t.Errorf("%s: nothing was told to the writer", what)
				}
				w.Close()
				must(t, ix.Close())
			}
		}
	}
}
