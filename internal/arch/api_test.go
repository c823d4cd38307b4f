package arch

import (
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var update = flag.Bool("update", false, "write docs/api anew")

// docs/api holds the public API, so that a change of it shows in the diff.
func TestAPI(t *testing.T) {
	t.Parallel()
	root := moduleRoot(t)
	tree, err := load(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	want, err := apis(tree)
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(tree.fsys, apiDir+"/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, ok := want[name]; ok {
			continue
		}
		if !*update {
			t.Errorf("%s: there is no such package: run %s", name, updateAPI)
		} else if err := os.Remove(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		is, err := fs.ReadFile(tree.fsys, name)
		switch {
		case err == nil && string(is) == want[name]:
		case !*update && errors.Is(err, fs.ErrNotExist):
			t.Errorf("%s is missing: run %s", name, updateAPI)
		case !*update:
			t.Errorf("the public API has changed: run %s and look at the difference in %s: %s", updateAPI, name, firstDifference(string(is), want[name]))
		default:
			file := filepath.Join(root, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(want[name]), 0o666)); err != nil {
				t.Error(err)
			}
		}
	}
}

// What is public is printed, and nothing else.
func TestAPIText(t *testing.T) {
	t.Parallel()
	tree, err := load(fstest.MapFS{
		"go.mod": {Data: []byte("module example.org/m\n")},
		"a/b/b.go": {Data: []byte(`// Package b is.
package b

// Err is.
var Err = errors.New("text")

const (
	One = 1 // one
	two = 2
)

// T is.
type T struct {
	A int // a
	b int
}

type Open interface {
	Do() error
	do()
}

// New makes one.
func New(x int) *T { return &T{} }

func (t *T) M() {}
func (t *T) m() {}
func hidden()   {}
`)},
		"a/b/b_windows.go":     {Data: []byte("package b\n\nfunc Windows() {}\n")},
		"a/b/b_test.go":        {Data: []byte("package b\n\nfunc Tested() {}\n")},
		"a/internal/c/c.go":    {Data: []byte("package c\n\nfunc C() {}\n")},
		"examples/d/e/e.go":    {Data: []byte("package e\n\nfunc E() {}\n")},
		"cmd/main.go":          {Data: []byte("package main\n\nfunc F() {}\n")},
		"docs/api/old.txt":     {Data: []byte("package old\n")},
		"docs/api/a.b.txt":     {Data: []byte("package b\n")},
		"docs/architecture.md": {Data: []byte("# x\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := apis(tree)
	if err != nil {
		t.Fatal(err)
	}
	want := `package b // import "example.org/m/a/b"

const (
	One = 1
)

var Err

type Open interface {
	Do() error
	// contains filtered or unexported methods
}

type T struct {
	A int
	// contains filtered or unexported fields
}

func New(x int) *T

func (t *T) M()
`
	if len(got) != 1 || got["docs/api/a.b.txt"] != want {
		t.Errorf("got %q\n%s", slices.Collect(maps.Keys(got)), firstDifference(got["docs/api/a.b.txt"], want))
	}
	if d := firstDifference("a\nb\n", "a\nc\n"); !strings.HasPrefix(d, `line 2: "b"`) {
		t.Error(d)
	}
}
