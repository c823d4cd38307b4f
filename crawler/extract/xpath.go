package extract

import (
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/antchfx/xpath"
	"golang.org/x/net/html"
)

// xpathQuery is an XPath expression. The library's expressions keep state
// while they are evaluated, so each goroutine takes one of its own.
type xpathQuery struct {
	pool  sync.Pool
	steps int // that it may take on a page
}

// compileXPath compiles an expression, and tries it on an empty document: some
// mistakes show only then.
func compileXPath(s string) (q *xpathQuery, err error) {
	defer recovered(&err)
	if _, err := xpath.Compile(s); err != nil {
		return nil, err
	}
	q = &xpathQuery{steps: maxSteps}
	q.pool.New = func() any {
		expr, _ := xpath.Compile(s) // it has compiled before
		return expr
	}
	_, err = q.find(&html.Node{Type: html.DocumentNode}, 1)
	return q, err
}

// find evaluates the expression at a node, which is the root to it.
func (q *xpathQuery) find(at *html.Node, limit int) (all []found, err error) {
	defer recovered(&err)
	expr := q.pool.Get().(*xpath.Expr)
	switch v := expr.Evaluate(newStepper(at, q.steps)).(type) {
	case *xpath.NodeIterator:
		for len(all) < limit && v.MoveNext() {
			nav, ok := v.Current().(*stepper)
			if !ok {
				continue
			}
			if nav.NodeType() == xpath.AttributeNode {
				all = append(all, found{text: nav.Value()})
			} else {
				all = append(all, found{node: nav.Current()})
			}
		}
	case string:
		all = []found{{text: v}}
	case float64:
		all = []found{{text: strconv.FormatFloat(v, 'f', -1, 64)}}
	case bool:
		all = []found{{text: strconv.FormatBool(v)}}
	}
	q.pool.Put(expr)
	return all, nil
}

// recovered makes an error of a panic of the XPath library, by which it
// refuses arguments of the wrong type.
func recovered(err *error) {
	switch v := recover().(type) {
	case nil:
	case error:
		*err = fmt.Errorf("%w: %w", errXPath, v)
	default:
		*err = fmt.Errorf("%w: %v", errXPath, v)
	}
}

var errXPath = errors.New("cannot be evaluated")
