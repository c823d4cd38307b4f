package arch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// checks are the rules that the source alone can answer for.
var checks = map[string]func(*tree) []problem{
	"imports":   checkImports,
	"docs":      checkDocs,
	"names":     checkNames,
	"init":      checkInit,
	"variables": checkVariables,
	"top":       checkTop,
	"depth":     checkDepth,
	"room docs": checkRoomDocs,
	"links":     checkLinks,
}

func TestModule(t *testing.T) {
	t.Parallel()
	root := moduleRoot(t)
	tree, err := load(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	found, err := checkReach(t.Context(), tree, root)
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range checks {
		found = append(found, check(tree)...)
	}
	for _, p := range found {
		t.Error(p)
	}
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if mod, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(mod), "module ") {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}
