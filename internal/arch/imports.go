package arch

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
)

// mayImport says what else of this module a room may import, itself always
// allowed. Tests are free, except that nothing imports the examples.
var mayImport = map[string][]string{
	"frontier": {"internal/durable"},
	"crawler":  {"frontier", "internal/durable", "internal/lang"}, // what sub-rooms write has to survive a crash as well
	"index":    {"rank", "internal/durable", "internal/fold", "internal/lang"},
	"rank":     nil,
	"fuzzy":    {"internal/fold"},
	"examples": {"frontier", "crawler", "index", "rank", "fuzzy"},
	"internal": nil,

	// What a folder may import beyond its room.
	"index/suggest":   {"fuzzy"},
	"index/serve":     {"internal/access", "internal/exposition"},
	"crawler/monitor": {"internal/access", "internal/exposition"},
}

// neverImports lists packages that a package does not import by itself.
var neverImports = map[string][]string{
	"frontier":        {"net", "net/http"}, // opens no socket
	"crawler/urlnorm": {"net", "net/http"}, // sameness is decided without asking anybody
	"rank":            {"net", "net/http", "os"},
	// Know neither documents nor where they lie.
	"index/query":     {"net", "net/http", "os"},
	"index/highlight": {"net", "net/http", "os"},
}

// onlyIn lists packages that one package alone imports.
var onlyIn = map[string]string{
	"os/signal": "crawler/live", // so that all programs end in the same way: they run in its Main, or have its Signals
}

// neverReaches lists what importing a package must not pull in, as prefixes.
var neverReaches = map[string][]string{
	"index":    {"github.com/chromedp/", "github.com/nats-io/", "net/http"},
	"crawler":  {"github.com/chromedp/", "github.com/nats-io/"},
	"frontier": {"github.com/chromedp/", "github.com/nats-io/"},
}

// reachesOnly lists the modules, and folders of this one, that a package may pull in
// beside the standard library.
var reachesOnly = map[string][]string{
	"fuzzy": {"golang.org/x/text", "internal/fold"},
}

// checkImports holds the source against mayImport, neverImports and onlyIn.
func checkImports(t *tree) (found []problem) {
	for _, p := range t.packages {
		for _, f := range slices.Concat(p.files, p.tests) {
			test := slices.Contains(p.tests, f)
			for _, spec := range f.ast.Imports {
				name, _ := strconv.Unquote(spec.Path.Value)
				if why := t.refuse(p, name, test); why != "" {
					found = append(found, problem{"import", f.path, fmt.Sprintf("must not import %s: %s", name, why)})
				}
			}
		}
	}
	return found
}

// refuse says why p must not import name, or nothing when it may.
func (t *tree) refuse(p *pkg, name string, test bool) string {
	if !test && slices.Contains(neverImports[p.dir], name) {
		return "the room does not do that; let the caller pass in what it needs"
	}
	if only := onlyIn[name]; !test && only != "" && p.dir != only {
		return only + " does that for all; call it"
	}
	dir, ours := strings.CutPrefix(name, t.module+"/")
	if !ours {
		return ""
	}
	room, _, _ := strings.Cut(dir, "/")
	switch {
	case room == p.room() && room != "examples", strings.HasPrefix(dir+"/", p.dir+"/"):
		return ""
	case room == "examples":
		return "examples are to be read and copied; move what is shared into a room"
	case test:
		return ""
	}
	allowed := mayImport[p.room()]
	if p.dir != p.room() {
		allowed = slices.Concat(allowed, mayImport[p.dir])
	}
	if slices.ContainsFunc(allowed, func(a string) bool { return within(dir, a) }) {
		return ""
	}
	if len(allowed) == 0 {
		return fmt.Sprintf("%s imports no other room; take a value or an interface instead", p.room())
	}
	return fmt.Sprintf("of this module %s imports only %s; take a value or an interface instead", p.room(), strings.Join(allowed, ", "))
}

// within reports whether the path is the folder or below it.
func within(name, folder string) bool {
	folder = strings.TrimSuffix(folder, "/")
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// checkReach asks the go command, run in the folder root, what the packages of
// neverReaches and reachesOnly pull in.
func checkReach(ctx context.Context, t *tree, root string) (found []problem, err error) {
	dirs := slices.Concat(slices.Collect(maps.Keys(neverReaches)), slices.Collect(maps.Keys(reachesOnly)))
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		cmd := exec.CommandContext(ctx, "go", "list", "-deps", path.Join(t.module, dir))
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("arch: go list -deps %s: %w", dir, err)
		}
		for _, dep := range strings.Fields(string(out)) {
			if why := t.reachRefused(dir, dep); why != "" {
				found = append(found, problem{"reach", dir, fmt.Sprintf("pulls in %s: %s; find the import with go list -deps", dep, why)})
			}
		}
	}
	return found, nil
}

func (t *tree) reachRefused(dir, dep string) string {
	for _, never := range neverReaches[dir] {
		if within(dep, never) {
			return "whoever imports the room would carry it along"
		}
	}
	only, limited := reachesOnly[dir]
	first, _, _ := strings.Cut(dep, "/")
	standard := !strings.Contains(first, ".")
	if !limited || standard || within(dep, path.Join(t.module, dir)) {
		return ""
	}
	if slices.ContainsFunc(only, func(o string) bool { return within(dep, o) || within(dep, path.Join(t.module, o)) }) {
		return ""
	}
	return "beside the standard library only " + strings.Join(only, ", ") + " may be"
}
