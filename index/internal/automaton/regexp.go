package automaton

import (
	"encoding/binary"
	"errors"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// maxProgram bounds a regular expression, in instructions.
const maxProgram = 2000

// Regexp makes an automaton of the strings that match a regular expression as
// a whole, in the syntax of package regexp; fold ignores case. Word boundaries
// are not known.
func Regexp(pattern string, fold bool) (*Automaton, error) {
	tree, err := parse(pattern, fold)
	if err != nil {
		return nil, err
	}
	return compile(tree)
}

// CheckRegexp returns the error that Regexp would, at less cost.
func CheckRegexp(pattern string) error {
	_, err := parse(pattern, false)
	return err
}

func parse(pattern string, fold bool) (*syntax.Regexp, error) {
	flags := syntax.Perl | syntax.DotNL
	if fold {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(pattern, flags)
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, errors.New(e.Code.String() + ": " + e.Expr)
	}
	switch {
	case err != nil:
		return nil, err
	case bounded(tree):
		return nil, errors.New(`word boundaries (\b) are not known`)
	case cost(tree) > maxProgram:
		return nil, ErrLarge
	}
	return tree, nil
}

// bounded reports whether a tree asks for word boundaries.
func bounded(tree *syntax.Regexp) bool {
	return tree.Op == syntax.OpWordBoundary || tree.Op == syntax.OpNoWordBoundary || slices.ContainsFunc(tree.Sub, bounded)
}

// cost is about how many instructions a tree becomes, up to a bit more than
// maxProgram: repetitions are written out, so a few signs can become millions.
func cost(tree *syntax.Regexp) int {
	n := 1
	if tree.Op == syntax.OpLiteral {
		n = len(tree.Rune)
	}
	for _, sub := range tree.Sub {
		n = min(n+cost(sub), 2*maxProgram)
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(tree.Min, tree.Max, 1)
	}
	return min(n, 2*maxProgram)
}

func compile(tree *syntax.Regexp) (*Automaton, error) {
	prog, err := syntax.Compile(tree.Simplify())
	switch {
	case err != nil:
		return nil, err
	case len(prog.Inst) > 10*maxProgram:
		return nil, ErrLarge
	}
	a := newAutomaton(&program{prog: prog, seen: make([]bool, len(prog.Inst))}, bounds(prog))
	a.needs = needs(tree)
	return a, nil
}

// Wildcard makes an automaton of the strings that a pattern stands for: * is
// any number of runes, ? is one, and a backslash takes away the meaning of the
// rune behind it. Lit is what becomes of the text between.
func Wildcard(pattern string, lit func(string) string) (*Automaton, error) {
	tree := &syntax.Regexp{Op: syntax.OpConcat}
	for _, p := range Pieces(pattern) {
		any := &syntax.Regexp{Op: syntax.OpAnyChar}
		switch p.Op {
		case '*':
			tree.Sub = append(tree.Sub, &syntax.Regexp{Op: syntax.OpStar, Sub: []*syntax.Regexp{any}})
		case '?':
			tree.Sub = append(tree.Sub, any)
		default:
			tree.Sub = append(tree.Sub, &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune(lit(p.Text))})
		}
	}
	return compile(tree)
}

// Piece is a part of a wildcard pattern: * or ?, or text.
type Piece struct {
	Op   rune // 0: text
	Text string
}

// Pieces takes a wildcard pattern apart. A backslash at its end is text.
func Pieces(pattern string) (pieces []Piece) {
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			pieces = append(pieces, Piece{Text: text.String()})
			text.Reset()
		}
	}
	escaped := false
	for i, r := range pattern {
		switch {
		case !escaped && r == '\\' && i+1 < len(pattern):
			escaped = true
			continue
		case !escaped && (r == '*' || r == '?'):
			flush()
			pieces = append(pieces, Piece{Op: r})
		default:
			text.WriteRune(r)
		}
		escaped = false
	}
	flush()
	return pieces
}

// program is a machine: a state is the numbers of the instructions that may be
// next, ascending, before those that read nothing are followed; the first byte
// says whether nothing was read yet.
type program struct {
	prog *syntax.Prog
	seen []bool
	list []uint32
}

const (
	atStart = 's'
	later   = 'l'
)

func (p *program) start() string {
	return string(binary.LittleEndian.AppendUint32([]byte{atStart}, uint32(p.prog.Start)))
}

// follow lists the instructions that a state leads to without reading.
func (p *program) follow(state string, flags syntax.EmptyOp) []uint32 {
	if state[0] == atStart {
		flags |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	}
	clear(p.seen)
	p.list = p.list[:0]
	for i := 1; i < len(state); i += 4 {
		p.visit(binary.LittleEndian.Uint32([]byte(state[i:i+4])), flags)
	}
	return p.list
}

func (p *program) visit(pc uint32, flags syntax.EmptyOp) {
	if p.seen[pc] {
		return
	}
	p.seen[pc] = true
	switch in := &p.prog.Inst[pc]; in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		p.visit(in.Out, flags)
		p.visit(in.Arg, flags)
	case syntax.InstCapture, syntax.InstNop:
		p.visit(in.Out, flags)
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(in.Arg)&^flags == 0 {
			p.visit(in.Out, flags)
		}
	case syntax.InstFail:
	default:
		p.list = append(p.list, pc)
	}
}

func (p *program) step(state string, r rune) string {
	var next []uint32
	for _, pc := range p.follow(state, 0) {
		in := &p.prog.Inst[pc]
		if in.Op != syntax.InstMatch && in.MatchRune(r) {
			next = append(next, in.Out)
		}
	}
	if len(next) == 0 {
		return ""
	}
	slices.Sort(next)
	out := []byte{later}
	for _, pc := range slices.Compact(next) {
		out = binary.LittleEndian.AppendUint32(out, pc)
	}
	return string(out)
}

func (p *program) accepts(state string) int {
	for _, pc := range p.follow(state, syntax.EmptyEndText|syntax.EmptyEndLine) {
		if p.prog.Inst[pc].Op == syntax.InstMatch {
			return 0
		}
	}
	return -1
}

// bounds lists where runes begin that some instruction tells from those before.
func bounds(prog *syntax.Prog) (bounds []rune) {
	known := map[*rune]bool{} // classes that are repeated share their runes
	for i := range prog.Inst {
		in := &prog.Inst[i]
		if len(in.Rune) > 1 {
			if known[&in.Rune[0]] {
				continue
			}
			known[&in.Rune[0]] = true
		}
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1:
			if len(in.Rune) == 1 {
				bounds = append(bounds, in.Rune[0], in.Rune[0]+1)
				if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
					for r := unicode.SimpleFold(in.Rune[0]); r != in.Rune[0]; r = unicode.SimpleFold(r) {
						bounds = append(bounds, r, r+1)
					}
				}
				continue
			}
			for j := 0; j+1 < len(in.Rune); j += 2 {
				bounds = append(bounds, in.Rune[j], in.Rune[j+1]+1)
			}
		case syntax.InstRuneAnyNotNL:
			bounds = append(bounds, '\n', '\n'+1)
		}
	}
	return bounds
}
