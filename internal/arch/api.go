package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// apiDir is where the public API of each package stands as text.
const apiDir = "docs/api"

// updateAPI is what brings apiDir up to date.
const updateAPI = "go test ./internal/arch -run TestAPI -update"

// apis returns what docs/api has to hold: the public API of each package that other
// modules can import, by the name of its file.
func apis(t *tree) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range t.packages {
		if !public(p) {
			continue
		}
		text, err := api(t, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.dir, err)
		}
		out[path.Join(apiDir, strings.ReplaceAll(p.dir, "/", ".")+".txt")] = text
	}
	return out, nil
}

// public reports whether another module may import a package.
func public(p *pkg) bool {
	if len(p.files) == 0 || p.files[0].ast.Name.Name == "main" {
		return false
	}
	parts := strings.Split(p.dir, "/")
	return parts[0] != "examples" && !slices.Contains(parts, "internal")
}

// api prints the exported declarations of a package as they are on Linux, without
// comments, bodies and values of variables, sorted by name.
func api(t *tree, p *pkg) (string, error) {
	linux := build.Default
	linux.GOOS, linux.GOARCH = "linux", "amd64"
	linux.OpenFile = func(name string) (io.ReadCloser, error) { return t.fsys.Open(name) }
	linux.JoinPath = path.Join
	fset := token.NewFileSet()
	var files []*ast.File
	for _, f := range p.files {
		if ok, err := linux.MatchFile(path.Split(f.path)); err != nil || !ok {
			if err != nil {
				return "", err
			}
			continue
		}
		src, err := fs.ReadFile(t.fsys, f.path)
		if err != nil {
			return "", err
		}
		parsed, err := parser.ParseFile(fset, f.path, src, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		files = append(files, parsed)
	}
	d, err := doc.NewFromFiles(fset, files, path.Join(t.module, p.dir))
	if err != nil {
		return "", err
	}
	w := apiPrinter{fset: fset}
	fmt.Fprintf(&w.out, "package %s // import %q\n", d.Name, d.ImportPath)
	w.values(d.Consts)
	w.values(d.Vars)
	w.funcs(d.Funcs)
	for _, t := range d.Types {
		w.decl(t.Decl)
		w.values(t.Consts)
		w.values(t.Vars)
		w.funcs(t.Funcs)
		w.funcs(t.Methods)
	}
	return w.out.String(), w.err
}

type apiPrinter struct {
	fset *token.FileSet
	out  bytes.Buffer
	err  error
}

// decl prints a declaration behind an empty line.
func (w *apiPrinter) decl(d ast.Node) {
	w.out.WriteByte('\n')
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}
	if err := config.Fprint(&w.out, w.fset, d); err != nil && w.err == nil {
		w.err = err
	}
	w.out.WriteByte('\n')
}

func (w *apiPrinter) values(all []*doc.Value) {
	for _, v := range all {
		if v.Decl.Tok == token.VAR {
			for _, s := range v.Decl.Specs {
				s.(*ast.ValueSpec).Values = nil
			}
		}
		w.decl(v.Decl)
	}
}

func (w *apiPrinter) funcs(all []*doc.Func) {
	for _, f := range all {
		f.Decl.Body = nil
		w.decl(f.Decl)
	}
}

// firstDifference names the first line in which two texts differ.
func firstDifference(was, is string) string {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	at := func(lines []string) string {
		if i < len(lines) {
			return lines[i]
		}
		return "the end"
	}
	return fmt.Sprintf("line %d: %q in the file, %q in the source", i+1, at(a), at(b))
}
