package arch

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// topLevel is all that may lie in the first folder, beside what .gitignore
// names.
var topLevel = []string{
	".ci", ".git", ".gitattributes", ".gitignore",
	"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "NOTICE", "README.md", "SECURITY.md",
	"go.mod", "go.sum", "staticcheck.conf",
	"crawler", "docs", "examples", "frontier", "fuzzy", "index", "internal", "rank",
	"example_test.go", // the engine of the README, compiled
}

// checkTop refuses what lies about at the top.
func checkTop(t *tree) (found []problem) {
	entries, err := fs.ReadDir(t.fsys, ".")
	if err != nil {
		return []problem{{"top", ".", err.Error()}}
	}
	ignored := t.ignored()
	for _, e := range entries {
		if !slices.Contains(topLevel, e.Name()) && !slices.ContainsFunc(ignored, func(pattern string) bool {
			ok, _ := path.Match(pattern, e.Name())
			return ok
		}) {
			found = append(found, problem{"top", e.Name(), "does not belong at the top level; move it to a room or to docs"})
		}
	}
	return found
}

// ignored are the patterns of .gitignore that apply to the top level.
func (t *tree) ignored() (patterns []string) {
	text, err := fs.ReadFile(t.fsys, ".gitignore")
	if err != nil {
		return nil
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); line != "" && !strings.HasPrefix(line, "#") {
			patterns = append(patterns, strings.Trim(line, "/"))
		}
	}
	return patterns
}

// maxFolders is how many folders lead from the top down to a package.
const maxFolders = 3

// checkDepth keeps packages near the top.
func checkDepth(t *tree) (found []problem) {
	for _, p := range t.packages {
		if n := strings.Count(p.dir, "/") + 1; n > maxFolders {
			found = append(found, problem{"depth", p.dir, fmt.Sprintf("lies %d folders deep of at most %d; move it up", n, maxFolders)})
		}
	}
	return found
}

var fileName = regexp.MustCompile(`\b([a-z0-9_]+/)*[a-z0-9_]+\.go\b`)

// checkRoomDocs wants a doc.go in every package that others can import, and
// in each package of internal, whose map of files is true. A package of a
// single file has its comment there.
func checkRoomDocs(t *tree) (found []problem) {
	for _, p := range t.packages {
		if p.room() == "examples" || len(p.files) == 0 || !p.public() && p.room() != "internal" {
			continue
		}
		name := path.Join(p.dir, "doc.go")
		if len(p.files) == 1 {
			name = p.files[0].path
		}
		at := slices.IndexFunc(p.files, func(f *file) bool { return f.path == name })
		if at < 0 || p.files[at].ast.Doc == nil {
			found = append(found, problem{"room-doc", p.dir, "has no doc.go with a package comment; say what the room is, what it is not, and which file answers which question"})
			continue
		}
		mentioned := fileName.FindAllString(p.files[at].ast.Doc.Text(), -1)
		if len(mentioned) == 0 && len(p.files) > 2 {
			found = append(found, problem{"room-doc", name, "has no map; say which file answers which question"})
		}
		for _, m := range mentioned {
			if _, err := fs.Stat(t.fsys, path.Join(p.dir, m)); err != nil {
				found = append(found, problem{"room-doc", name, "sends the reader to " + m + ", which is not there; mend the map"})
			}
		}
	}
	return found
}
