package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// checkVariables refuses package variables that can change. Without running
// the program a variable counts as constant when
//
//   - it is an error made by errors.New or fmt.Errorf, or one of another package by its
//     name, such as fault.ErrCorrupt, or
//   - it is not exported, no statement of the package assigns to it or to a
//     part of it, takes its address or calls a pointer method on it, and it
//     does not hold state by its nature: a lock, an atomic, a channel, a source
//     of random numbers, a pointer to a type of the package itself.
//
// So tables, regular expressions, templates, embedded files, sync.OnceValue
// and sync.Pool (nobody can tell what it holds) are fine.
func checkVariables(t *tree) (found []problem) {
	for _, p := range t.packages {
		written := p.written()
		for _, f := range p.files {
			for _, decl := range f.ast.Decls {
				gen, ok := decl.(*ast.GenDecl)
				if !ok || gen.Tok != token.VAR {
					continue
				}
				for _, spec := range gen.Specs {
					found = append(found, p.checkVariable(spec.(*ast.ValueSpec), written)...)
				}
			}
		}
	}
	return found
}

func (p *pkg) checkVariable(spec *ast.ValueSpec, written map[types.Object]bool) (found []problem) {
	for i, name := range spec.Names {
		var value ast.Expr
		if i < len(spec.Values) {
			value = spec.Values[i]
		}
		why := ""
		switch {
		case name.Name == "_" || isError(value):
		case written[p.info.Defs[name]]:
			why = "is written to; make it a field of the value that needs it"
		case name.IsExported():
			why = "can be set from anywhere; make it a constant or a function"
		case p.holdsState(spec.Type) || p.holdsState(value):
			why = "holds state that the whole process shares; make it a field of the value that needs it"
		}
		if why != "" {
			found = append(found, problem{"variable", p.named(name.Name), why})
		}
	}
	return found
}

func isError(value ast.Expr) bool {
	if _, name, _ := strings.Cut(qualified(value), "."); strings.HasPrefix(name, "Err") {
		return true
	}
	call, ok := value.(*ast.CallExpr)
	if !ok {
		return false
	}
	name := qualified(call.Fun)
	return name == "errors.New" || name == "fmt.Errorf"
}

// qualified is a selector as it is written, such as "errors.New".
func qualified(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			return id.Name + "." + sel.Sel.Name
		}
	}
	return ""
}

// holdsState looks at the type or value that a declaration gives.
func (p *pkg) holdsState(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.ChanType:
		return true
	case *ast.StarExpr: // a pointer type
		return p.own(x.X) || p.holdsState(x.X)
	case *ast.UnaryExpr: // &T{}
		lit, ok := x.X.(*ast.CompositeLit)
		return x.Op == token.AND && ok && (p.own(lit.Type) || p.holdsState(lit.Type))
	case *ast.CompositeLit:
		return p.holdsState(x.Type)
	case *ast.IndexExpr: // atomic.Pointer[T]
		return p.holdsState(x.X)
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && (id.Name == "make" || id.Name == "new") && len(x.Args) > 0 {
			return p.holdsState(x.Args[0]) || id.Name == "new" && p.own(x.Args[0])
		}
		return strings.HasPrefix(qualified(x.Fun), "rand.New")
	case *ast.SelectorExpr:
		name := qualified(x)
		return strings.HasPrefix(name, "atomic.") || slices.Contains([]string{"sync.Mutex", "sync.RWMutex", "sync.Once", "sync.Map", "sync.WaitGroup", "sync.Cond", "bytes.Buffer", "strings.Builder"}, name)
	}
	return false
}

// own reports whether the expression is a type of this package.
func (p *pkg) own(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && p.types.Scope().Lookup(id.Name) != nil
}

// written collects the package variables that some statement writes to.
func (p *pkg) written() map[types.Object]bool {
	written := map[types.Object]bool{}
	mark := func(e ast.Expr) {
		if id := root(e); id != nil {
			if v, ok := p.info.Uses[id].(*types.Var); ok && v.Parent() == p.types.Scope() {
				written[v] = true
			}
		}
	}
	for _, f := range p.files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.AssignStmt:
				for _, left := range x.Lhs {
					mark(left)
				}
			case *ast.IncDecStmt:
				mark(x.X)
			case *ast.RangeStmt:
				if x.Tok == token.ASSIGN {
					mark(x.Key)
					mark(x.Value)
				}
			case *ast.UnaryExpr:
				if x.Op == token.AND {
					mark(x.X)
				}
			case *ast.CallExpr:
				if id, ok := x.Fun.(*ast.Ident); ok && len(x.Args) > 0 && slices.Contains([]string{"delete", "clear", "copy"}, id.Name) {
					mark(x.Args[0])
				}
			case *ast.SelectorExpr:
				if p.takesAddress(x) {
					mark(x.X)
				}
			}
			return true
		})
	}
	return written
}

// takesAddress reports whether x.f is a method that gets the address of x,
// although x is no pointer.
func (p *pkg) takesAddress(x *ast.SelectorExpr) bool {
	sel := p.info.Selections[x]
	if sel == nil || sel.Kind() != types.MethodVal {
		return false
	}
	if _, pointer := sel.Recv().Underlying().(*types.Pointer); pointer {
		return false
	}
	recv := sel.Obj().(*types.Func).Signature().Recv()
	_, pointer := recv.Type().(*types.Pointer)
	return pointer
}

// root is the variable that an expression such as v.f[i] is a part of.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		default:
			return nil
		}
	}
}
