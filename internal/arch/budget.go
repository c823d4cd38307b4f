package arch

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// The size budget.
const (
	maxFile      = 500 // lines of a file, tests included
	maxMedian    = 150 // lines of the median file
	maxFunc95    = 45  // lines of the function at the 95th percentile
	maxMethods   = 3   // methods of an interface
	maxFields    = 12  // fields of a struct
	maxExported  = 30  // exported names of a package, methods not counted
	maxFolders   = 3   // folders from the top down to a package
	longestShown = 10
)

type sized struct {
	name  string
	lines int
}

// checkFiles limits single files, and the middle of them all.
func checkFiles(t *tree) (found []problem) {
	var sizes []sized
	for _, p := range t.packages {
		for _, f := range slices.Concat(p.files, p.tests) {
			if f.lines > maxFile {
				found = append(found, problem{"file-size", f.path, fmt.Sprintf("has %d lines of at most %d; split it by what a reader looks for", f.lines, maxFile), f.lines})
			}
		}
		for _, f := range p.files {
			sizes = append(sizes, sized{f.path, f.lines})
		}
	}
	if at, longest := percentile(sizes, 50); at > maxMedian {
		found = append(found, problem{"file-median", t.module, fmt.Sprintf("the median file has %d lines of at most %d; split some, the longest are %s", at, maxMedian, longest), at})
	}
	return found
}

// checkFunctions limits the 95th percentile, so that a few long ones, such as
// a switch over many kinds, are no matter.
func checkFunctions(t *tree) (found []problem) {
	var sizes []sized
	for _, p := range t.packages {
		for _, f := range p.files {
			for _, decl := range f.ast.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok {
					sizes = append(sizes, sized{p.named(fn.Name.Name), t.lines(fn)})
				}
			}
		}
	}
	if at, longest := percentile(sizes, 95); at > maxFunc95 {
		found = append(found, problem{"func-size", t.module, fmt.Sprintf("one function in twenty is longer than %d lines (limit %d); shorten some, the longest are %s", at, maxFunc95, longest), at})
	}
	return found
}

func (t *tree) lines(n ast.Node) int {
	line := func(p token.Pos) int { return t.fset.Position(p).Line }
	return line(n.End()) - line(n.Pos()) + 1
}

// percentile gives the size below or at which p of a hundred lie, and the
// longest in words.
func percentile(sizes []sized, p int) (int, string) {
	if len(sizes) == 0 {
		return 0, ""
	}
	slices.SortFunc(sizes, func(a, b sized) int { return cmp.Or(cmp.Compare(b.lines, a.lines), cmp.Compare(a.name, b.name)) })
	var longest []string
	for _, s := range sizes[:min(longestShown, len(sizes))] {
		longest = append(longest, fmt.Sprintf("%s (%d)", s.name, s.lines))
	}
	return sizes[(len(sizes)-1)*(100-p)/100].lines, strings.Join(longest, ", ")
}

// checkTypes limits interfaces and structs that have a name.
func checkTypes(t *tree) (found []problem) {
	for _, p := range t.packages {
		for _, f := range p.files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					found = append(found, p.checkType(spec)...)
				}
				return true
			})
		}
	}
	return found
}

func (p *pkg) checkType(spec *ast.TypeSpec) (found []problem) {
	obj := p.info.Defs[spec.Name]
	if obj == nil {
		return nil
	}
	switch u := obj.Type().Underlying().(type) {
	case *types.Struct:
		if n := u.NumFields(); n > maxFields {
			found = append(found, problem{"struct-size", p.named(spec.Name.Name), fmt.Sprintf("has %d fields of at most %d; group what belongs together", n, maxFields), n})
		}
	case *types.Interface:
		if n := methods(spec); n > maxMethods {
			found = append(found, problem{"interface-size", p.named(spec.Name.Name), fmt.Sprintf("has %d methods of at most %d; move what not every user needs to an optional interface", n, maxMethods), n})
		}
	}
	return found
}

// methods counts what an interface declares. One that is embedded counts as
// one method: it has its own limit, and composing small ones is the way to
// large ones.
func methods(spec *ast.TypeSpec) (n int) {
	iface, ok := spec.Type.(*ast.InterfaceType)
	if !ok {
		return 0 // named after another
	}
	for _, field := range iface.Methods.List {
		n += max(len(field.Names), 1)
	}
	return n
}

// checkExported limits what a reader of a package's documentation meets.
// Constants that are declared together are met together, as the values of an
// enumeration, and count as one name.
func checkExported(t *tree) (found []problem) {
	for _, p := range t.packages {
		n := 0
		for _, f := range p.files {
			for _, decl := range f.ast.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
					continue
				}
				names := len(exportedNames(decl))
				if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.CONST {
					names = min(names, 1)
				}
				n += names
			}
		}
		if n > maxExported {
			found = append(found, problem{"exported", p.dir, fmt.Sprintf("exports %d names of at most %d; hide some or found a sub-room", n, maxExported), n})
		}
	}
	return found
}
