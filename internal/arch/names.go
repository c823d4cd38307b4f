package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// checkDocs wants a comment on every exported name of every package that is
// not a command. A comment over a group of constants or variables serves all
// of them, and Error, String and Unwrap say what they are by themselves.
func checkDocs(t *tree) (found []problem) {
	for _, p := range t.packages {
		if p.command() {
			continue
		}
		for _, f := range p.files {
			for _, decl := range f.ast.Decls {
				for _, name := range undocumented(decl) {
					found = append(found, problem{"undocumented", p.named(name), "is exported without a comment; say what it is, its units, defaults and errors"})
				}
			}
		}
	}
	return found
}

func undocumented(decl ast.Decl) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && receiverExported(d) && !selfEvident(d) {
			names = append(names, receiverPrefix(d)+d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && s.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				if d.Doc != nil || s.Doc != nil || s.Comment != nil {
					continue
				}
				for _, name := range s.Names {
					if name.IsExported() {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// receiver is the name of the type that a method belongs to, or empty.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	expr := d.Recv.List[0].Type
	for {
		switch x := expr.(type) {
		case *ast.StarExpr:
			expr = x.X
		case *ast.IndexExpr:
			expr = x.X
		case *ast.IndexListExpr:
			expr = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func selfEvident(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{"Error", "String", "Unwrap"}, d.Name.Name)
}

func receiverExported(d *ast.FuncDecl) bool { return d.Recv == nil || ast.IsExported(receiver(d)) }

func receiverPrefix(d *ast.FuncDecl) string {
	if r := receiver(d); r != "" {
		return r + "."
	}
	return ""
}

// Words that say nothing: anywhere in a name, at the end of one that is not an
// error's, and as a file or package.
var (
	emptyWord  = regexp.MustCompile(`(^|[a-z0-9])(Manager|Utils?|Common|Helpers?|Impl)($|[A-Z0-9_])|_v[0-9]+$`)
	emptyEnd   = regexp.MustCompile(`(^|[a-z0-9])(Base|Data|Info)$`)
	getter     = regexp.MustCompile(`^Get[A-Z]`)
	emptyPlace = regexp.MustCompile(`^(manager|utils?|common|helpers?|impl|base|data|info|misc|shared|stuff)$|_v[0-9]+$`)
)

// checkNames refuses names that say nothing.
func checkNames(t *tree) (found []problem) {
	for _, p := range t.packages {
		if emptyPlace.MatchString(path.Base(p.dir)) {
			found = append(found, problem{"name", p.dir, "the folder's name says nothing; name it after what it knows"})
		}
		for _, f := range slices.Concat(p.files, p.tests) {
			base := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.path), ".go"), "_test")
			if emptyPlace.MatchString(base) {
				found = append(found, problem{"name", f.path, "the file's name says nothing; name it after the question it answers"})
			}
		}
		for _, f := range p.files {
			for _, decl := range f.ast.Decls {
				for _, name := range exportedNames(decl) {
					if empty(name) {
						found = append(found, problem{"name", p.named(name), fmt.Sprintf("%s holds a word that says nothing; name what it is or does", name)})
					}
				}
			}
		}
	}
	return found
}

func empty(name string) bool {
	return emptyWord.MatchString(name) || getter.MatchString(name) || emptyEnd.MatchString(name) && !strings.HasPrefix(name, "Err")
}

func exportedNames(decl ast.Decl) (names []string) {
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		add(d.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				add(s.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					add(name)
				}
			}
		}
	}
	return names
}

// checkInit refuses init, which runs for whoever imports the package, asked or
// not.
func checkInit(t *tree) (found []problem) {
	for _, p := range t.packages {
		for _, f := range p.files {
			for _, decl := range f.ast.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					found = append(found, problem{"init", position(t.fset, fn.Pos()), "let whoever needs it call it, or build the table where it is declared"})
				}
			}
		}
	}
	return found
}

func position(fset *token.FileSet, pos token.Pos) string {
	at := fset.Position(pos)
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}
