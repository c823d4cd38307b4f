package arch

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A tree is the source of a module.
type tree struct {
	fsys     fs.FS
	module   string
	fset     *token.FileSet
	packages []*pkg // by folder
}

// A pkg is a folder with Go files. Its types are known as far as they do not
// depend on imports, which are not loaded.
type pkg struct {
	dir   string // slash separated, "." for the root
	files []*file
	tests []*file
	types *types.Package
	info  *types.Info
}

type file struct {
	path string
	ast  *ast.File
}

// A problem is a rule broken in one place.
type problem struct {
	rule    string
	subject string // file, package, or package.Name
	message string // what is wrong and what to do
}

func (p problem) key() string { return p.rule + " " + p.subject }

func (p problem) String() string { return p.key() + ": " + p.message }

// load reads the module that fsys holds. Generated files, testdata, nested
// modules and folders whose name starts with a dot or an underscore are left
// out.
func load(fsys fs.FS) (*tree, error) {
	mod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, err
	}
	t := &tree{fsys: fsys, fset: token.NewFileSet()}
	if line, _, ok := bytes.Cut(mod, []byte("\n")); ok {
		t.module = strings.TrimSpace(strings.TrimPrefix(string(line), "module"))
	}
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name != "." {
			if base := path.Base(name); base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
				return fs.SkipDir
			}
			if _, err := fs.Stat(fsys, path.Join(name, "go.mod")); err == nil {
				return fs.SkipDir
			}
		}
		return t.loadPackage(name)
	})
	return t, err
}

func (t *tree) loadPackage(dir string) error {
	names, err := fs.Glob(t.fsys, path.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		return err
	}
	p := &pkg{dir: dir}
	for _, name := range names {
		src, err := fs.ReadFile(t.fsys, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // an editor's file that has just gone
		}
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(t.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		f := &file{path: name, ast: parsed}
		switch {
		case ast.IsGenerated(parsed):
		case strings.HasSuffix(name, "_test.go"):
			p.tests = append(p.tests, f)
		default:
			p.files = append(p.files, f)
		}
	}
	t.packages = append(t.packages, p)
	p.check(t.fset)
	return nil
}

// check resolves the names of the package.
func (p *pkg) check(fset *token.FileSet) {
	config := types.Config{
		Importer:    noImports{},
		Error:       func(error) {}, // imports are missing by intent
		FakeImportC: true,
	}
	p.info = &types.Info{
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	var files []*ast.File
	for _, f := range p.files {
		files = append(files, f.ast)
	}
	p.types, _ = config.Check(p.dir, fset, files, p.info)
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not loaded") }

// room is the first folder of the package's path.
func (p *pkg) room() string {
	room, _, _ := strings.Cut(p.dir, "/")
	return room
}

// public reports whether other modules can import the package.
func (p *pkg) public() bool {
	return !slices.Contains(strings.Split(p.dir, "/"), "internal") && !p.command()
}

func (p *pkg) command() bool { return len(p.files) > 0 && p.files[0].ast.Name.Name == "main" }

// named is how messages call a name of the package.
func (p *pkg) named(name string) string { return p.dir + "." + name }
